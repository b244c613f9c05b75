"""API keys: their text, what they allow, and until when.

A key is ``brain_<id>_<secret>``: twelve characters that name it in lists and logs, and 256 random bits. Only the SHA-256 of the
secret is stored, so the text is shown once, to whoever makes it.
"""

import hashlib
import re
import secrets
import string
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from rag_core.errors import InvalidInputError
from rag_core.model.access import KeyGrant, PresentedKey, Scope

SCOPES: tuple[Scope, ...] = ("read", "write", "evaluate", "admin")
MAX_NAME_CHARACTERS = 100
_ID_CHARACTERS = string.ascii_lowercase + string.digits
_ID_LENGTH = 12
_KEY = re.compile(rf"brain_([{_ID_CHARACTERS}]{{{_ID_LENGTH}}})_([A-Za-z0-9_-]{{43}})")
_SPAN = re.compile(r"([1-9][0-9]{0,4})([hd])")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key that was just made; its text exists nowhere else."""

    presented: PresentedKey
    text: str = field(repr=False)


def make_key() -> NewKey:
    """A key that nobody has seen."""
    key_id = "".join(secrets.choice(_ID_CHARACTERS) for _ in range(_ID_LENGTH))
    secret = secrets.token_urlsafe(32)
    return NewKey(presented=PresentedKey(key_id=key_id, secret_hash=_hashed(secret)), text=f"brain_{key_id}_{secret}")


def parse_key(text: str) -> PresentedKey | None:
    """Parse a presented key; None for a text without the form of one."""
    found = _KEY.fullmatch(text.strip())
    return None if found is None else PresentedKey(key_id=found[1], secret_hash=_hashed(found[2]))


def _hashed(secret: str) -> bytes:
    """The secret has 256 random bits, so there is nothing that a slow hash would keep from being guessed."""
    return hashlib.sha256(secret.encode()).digest()


def check_grant(grant: KeyGrant, *, now: datetime) -> KeyGrant:
    """The grant, its name trimmed and its scopes in order.

    Evaluations ask and quote all of a tenant's notes, and whoever can write a note under a name learns whether another has it: a key
    for some departments reads, and with ``write`` sends documents to its departments.

    Raises:
        InvalidInputError: no such name, no scope, an end that has passed, or departments beside a scope that sees everything.
    """
    name, wanted = grant.name.strip(), set(grant.scopes)
    if not name or len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        raise InvalidInputError(
            f"{grant.name!r} is no name for a key; use 1 to {MAX_NAME_CHARACTERS} printable characters"
        )
    if not wanted:
        raise InvalidInputError(f"a key without scopes opens nothing; choose from {', '.join(SCOPES)}")
    if grant.expires_at is not None and grant.expires_at <= now:
        raise InvalidInputError(f"the key would have expired on {grant.expires_at.isoformat()}; choose a later time")
    if grant.departments is not None and not wanted <= {"read", "write"}:
        raise InvalidInputError(
            "a key for some departments can have the scopes read and write alone: the others tell of all of the tenant's notes; leave "
            "one of the two out"
        )
    return KeyGrant(
        tenant=grant.tenant,
        name=name,
        scopes=tuple(scope for scope in SCOPES if scope in wanted),
        departments=None if grant.departments is None else checked_departments(grant.departments),
        expires_at=grant.expires_at,
        questions_per_minute=grant.questions_per_minute,
        questions_per_hour=grant.questions_per_hour,
    )


def checked_departments(names: Sequence[str]) -> tuple[str, ...]:
    """The names trimmed, each once.

    Raises:
        InvalidInputError: one is empty, too long or has a character that is not printed.
    """
    trimmed = tuple(dict.fromkeys(name.strip() for name in names))
    for name in trimmed:
        if not name or len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
            raise InvalidInputError(
                f"{name!r} is no name for a department; use 1 to {MAX_NAME_CHARACTERS} printable characters"
            )
    return trimmed


def parse_expiry(text: str, *, now: datetime, zone: ZoneInfo) -> datetime:
    """Parse the expiry of a key: ``90d`` and ``12h`` count from now, ``2027-01-31`` is the end of that day in the zone.

    Raises:
        InvalidInputError: it is neither, or lies beyond the calendar.
    """
    span = _SPAN.fullmatch(text.strip())
    try:
        if span is not None:
            return now + (timedelta(days=int(span[1])) if span[2] == "d" else timedelta(hours=int(span[1])))
        day = date.fromisoformat(text.strip())
        return datetime.combine(day + timedelta(days=1), time(), tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"{text!r} is no end for a key; use days or hours from now such as 90d or 12h, or a day such as 2027-01-31"
        ) from error
