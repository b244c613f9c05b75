"""The names that stand for people and for what they asked, in what is stored and logged.

A pseudonym is HMAC-SHA256 under a key of its purpose, and that key is one of the installation's secret: the same value gives the
same pseudonym for ever, pseudonyms of different purposes cannot be held against each other, and without the secret nobody can
try values out.
"""

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rag_core.errors import ConfigurationError

if TYPE_CHECKING:
    from pydantic import SecretStr

FILE_NAME = "secret"
MIN_SECRET_CHARACTERS = 32
_CONTEXT = "brain-sync/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pseudonyms:
    """Makes pseudonyms with one secret; 64 hexadecimal digits each."""

    secret: bytes = field(repr=False)

    def user_hash(self, caller_id: str) -> str:
        """Pseudonym of a caller: tells callers apart without naming them."""
        return self._made("user", caller_id)

    def query_hash(self, text: str) -> str:
        """A question, told from others and not said."""
        return self._made("query", text)

    @property
    def machine(self) -> str:
        """Pseudonym of the caller in open mode: one for the whole machine, on the page and in a terminal."""
        return self.user_hash("machine")

    def of_key(self, key_id: str) -> str:
        """Pseudonym of the caller with a key."""
        return self.user_hash(f"key {key_id}")

    @property
    def process_key(self) -> str:
        """Key that a process of this installation presents to read another one's figures."""
        return self.key("process").hex()

    @property
    def terminal_key(self) -> str:
        """Key that a command of this home presents to be answered by its API."""
        return self.key("terminal").hex()

    def key(self, purpose: str) -> bytes:
        """The 32 bytes that pseudonyms of this purpose are made with."""
        return _hmac(self.secret, _CONTEXT + purpose)

    def _made(self, purpose: str, value: str) -> str:
        return _hmac(self.key(purpose), value).hex()


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256)


@cache
def pseudonyms(home: Path, secret: "SecretStr | None" = None) -> Pseudonyms:
    """Pseudonyms of an installation: with the secret given, else with the one in its home, which is made at the first need.

    Raises:
        ConfigurationError: the file cannot be made or read, or holds too little.
    """
    if secret is not None:
        return Pseudonyms(secret=secret.get_secret_value().encode())
    return Pseudonyms(secret=_kept_secret(home / FILE_NAME))


def has_secret(home: Path, secret: "SecretStr | None" = None) -> bool:
    """True when an installation has a secret already."""
    return secret is not None or (home / FILE_NAME).exists()


def _kept_secret(path: Path) -> bytes:
    try:
        if not path.exists():
            _make_secret(path)
        found = path.read_bytes().strip()
    except OSError as error:
        raise ConfigurationError(
            f"the secret {path} cannot be made or read ({error.strerror}); give the home the right owner, or set BRAIN_SECRET"
        ) from error
    if len(found) < MIN_SECRET_CHARACTERS:
        raise ConfigurationError(
            f"the secret {path} has {len(found)} characters, expected {MIN_SECRET_CHARACTERS} at least; put it back from a backup, "
            "or delete it for a new one, with which conversations and keys' pseudonyms begin anew"
        )
    return found


def _make_secret(path: Path) -> None:
    """Write the file whole before it has its name, so that of processes that start together the first one's counts for all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
