"""API keys: making one, seeing which there are, revoking one."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import (
    JsonOption,
    TenantOption,
    app,
    command,
    iso_moment,
    names_like,
    own_tenant,
    print_json,
    say,
    table,
)
from rag_core.cli.messages import headings, tr

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from rag_core.model.access import ApiKey
    from rag_core.model.note import TenantId
    from rag_core.settings import Settings
    from rag_core.storage.database import Connection, Database

key_app = typer.Typer(no_args_is_help=True, help="API keys: who may use the API, as which tenant, and for what.")
app.add_typer(key_app, name="key")

STATEMENT_MS = 15_000


ScopesOption = Annotated[
    list[str] | None,
    typer.Option("--scope", help="read (default), write, evaluate or admin; give it several times for several."),
]
DepartmentsOption = Annotated[
    list[str] | None,
    typer.Option("--department", help="Whose notes it sees beside everybody's; default: all of the tenant's."),
]
ExpiryOption = Annotated[
    str | None, typer.Option(help="When it ends: 90d, 12h or a day such as 2027-01-31; default: never.")
]
MinuteOption = Annotated[int | None, typer.Option(min=1, help="Questions in a minute at most.")]
HourOption = Annotated[int | None, typer.Option(min=1, help="Questions in an hour at most.")]
NewTenantOption = Annotated[bool, typer.Option("--create-tenant", help="Make the tenant too, where there is none.")]


@key_app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="Whose key it is, or what it is for.")],
    tenant: TenantOption = None,
    scopes: ScopesOption = None,
    departments: DepartmentsOption = None,
    expires: ExpiryOption = None,
    per_minute: MinuteOption = None,
    per_hour: HourOption = None,
    is_tenant_made: NewTenantOption = False,
    is_json: JsonOption = False,
) -> None:
    """Make a key and show it, this once. It says for whom requests are answered.

    A tenant that is not there is refused, as a typing error would open an empty one; the first of all is made with its key.

    - `brain key create ana --scope read --scope write --expires 90d`

    - `brain key create luis --tenant familia --create-tenant`
    """
    from datetime import UTC

    from rag_core.access.keys import check_grant, make_key, parse_expiry
    from rag_core.model.access import KeyGrant
    from rag_core.settings import read_settings
    from rag_core.storage.api_keys import insert_key

    with command(is_json=is_json):
        settings, now = read_settings(), datetime.now(UTC)
        grant = check_grant(
            KeyGrant(
                tenant=own_tenant(settings, tenant),
                name=name,
                scopes=_parse_scopes(scopes or ["read"]),
                departments=tuple(departments) if departments else None,
                expires_at=None if expires is None else parse_expiry(expires, now=now, zone=settings.zone),
                questions_per_minute=per_minute,
                questions_per_hour=per_hour,
            ),
            now=now,
        )
        new = make_key()
        with _operator(settings) as (database, connection):
            if not is_tenant_made:
                _check_tenant(database, settings, grant.tenant)
            stored, is_new_tenant = insert_key(connection, grant, new.presented)
        if is_json:
            print_json({**_to_json(stored, now), "key": new.text, "is_new_tenant": is_new_tenant})
            return
        _tell_made(stored, zone=settings.zone, is_new_tenant=is_new_tenant, is_asked_for=settings.access == "keys")
        print(new.text)


def _check_tenant(database: "Database", settings: "Settings", tenant: "TenantId") -> None:
    """Refuse a tenant that is not there, but for the installation's own and the very first.

    Raises:
        NotFoundError: there are others and not this one; the names that are like it are told to whoever runs as no tenant.
    """
    from rag_core.errors import NotFoundError
    from rag_core.storage.batches import list_tenants

    known = list_tenants(database)
    if not known or tenant in known or tenant == own_tenant(settings, None):
        return
    near = names_like(tenant, known, settings)
    meant = tr("; is it {near}?", near=" or ".join(near)) if near else ";"
    raise NotFoundError(
        f"there is no tenant {tenant}{meant} `brain tenant create {tenant}` makes it, and --create-tenant makes it with the key"
    )


@contextmanager
def _operator(settings: "Settings") -> "Iterator[tuple[Database, Connection]]":
    from rag_core.storage.alerts import operator_connection
    from rag_core.storage.database import open_database

    with open_database(settings) as database, operator_connection(database, timeout_ms=STATEMENT_MS) as connection:
        yield database, connection


def _parse_scopes(names: list[str]) -> tuple[Any, ...]:
    """The scopes, also written with commas.

    Raises:
        InvalidInputError: there is no such scope.
    """
    from rag_core.access.keys import SCOPES
    from rag_core.errors import InvalidInputError

    wanted = [name.strip() for names_together in names for name in names_together.split(",")]
    unknown = next((name for name in wanted if name not in SCOPES), None)
    if unknown is not None:
        raise InvalidInputError(f"{unknown!r} is no scope; choose from {', '.join(SCOPES)}")
    return tuple(wanted)


def _tell_made(key: "ApiKey", *, zone: "ZoneInfo", is_new_tenant: bool, is_asked_for: bool) -> None:
    if is_new_tenant:
        say(tr("The tenant {tenant} did not exist and was created.", tenant=key.tenant))
    end = (
        tr("never ends")
        if key.expires_at is None
        else tr("ends on {expires_at}", expires_at=_local(key.expires_at, zone))
    )
    say(
        tr(
            "Key {key_id} for {name}: tenant {tenant}, {key}; {end}.",
            key_id=key.key_id,
            name=key.name,
            tenant=key.tenant,
            key=", ".join(_ordered(key)),
            end=end,
        )
    )
    if not is_asked_for:
        say(tr("The API asks for keys when it is started with BRAIN_ACCESS=keys."))
    say(tr("The key is shown only once; keep it like a password:"))


@key_app.command("list")
def list_all(tenant: TenantOption = None, is_json: JsonOption = False) -> None:
    """Show the keys, never their secrets: of a tenant, of BRAIN_TENANT, else of all tenants.

    Example: brain key list --tenant familia
    """
    from datetime import UTC

    from rag_core.model.note import TenantId
    from rag_core.settings import read_settings
    from rag_core.storage.api_keys import list_keys

    with command(is_json=is_json):
        settings, now = read_settings(), datetime.now(UTC)
        wanted = tenant or settings.tenant
        with _operator(settings) as (_, connection):
            keys = list_keys(connection, TenantId(wanted) if wanted else None)
        if is_json:
            print_json({"keys": [_to_json(key, now) for key in keys]})
        else:
            _show(keys, now=now, zone=settings.zone)


@key_app.command("revoke")
def revoke(
    name_or_id: Annotated[str, typer.Argument(metavar="NAME|ID", help="As `brain key list` shows it.")],
    tenant: TenantOption = None,
    is_json: JsonOption = False,
) -> None:
    """Let a key open nothing any more, within five seconds where an API runs. Its name is free for another.

    Example: brain key revoke ana --tenant familia
    """
    from datetime import UTC

    from rag_core.model.note import TenantId
    from rag_core.settings import read_settings
    from rag_core.storage.api_keys import list_keys, revoke_key

    with command(is_json=is_json):
        settings = read_settings()
        wanted = tenant or settings.tenant
        with _operator(settings) as (_, connection):
            key = _chosen(list_keys(connection, TenantId(wanted) if wanted else None), name_or_id)
            revoked = revoke_key(connection, key)
        if is_json:
            print_json(_to_json(revoked, datetime.now(UTC)))
        else:
            say(
                tr(
                    "Revoked: {key_id}, {name} of {tenant}. A running API refuses it within five seconds.",
                    key_id=revoked.key_id,
                    name=revoked.name,
                    tenant=revoked.tenant,
                )
            )


def _chosen(keys: "list[ApiKey]", name_or_id: str) -> "ApiKey":
    """The key of that id, else the only live one of that name, else the only one.

    Raises:
        NotFoundError: there is none.
        InvalidInputError: there are several.
    """
    from rag_core.errors import InvalidInputError, NotFoundError

    by_id = [key for key in keys if key.key_id == name_or_id]
    by_name = [key for key in keys if key.name == name_or_id]
    found = by_id or [key for key in by_name if key.revoked_at is None] or by_name
    if not found:
        raise NotFoundError(f"no key is named {name_or_id!r} or has that id; `brain key list` shows them")
    if len(found) > 1:
        listed = ", ".join(tr("{key_id} of {tenant}", key_id=key.key_id, tenant=key.tenant) for key in found)
        raise InvalidInputError(f"{len(found)} keys are named {name_or_id!r}: {listed}; give the id")
    return found[0]


def _to_json(key: "ApiKey", now: datetime) -> dict[str, Any]:
    return {
        "id": key.key_id,
        "tenant": key.tenant,
        "name": key.name,
        "state": _state(key, now),
        "scopes": _ordered(key),
        "departments": None if key.departments is None else list(key.departments),
        "questions_per_minute": key.questions_per_minute,
        "questions_per_hour": key.questions_per_hour,
        "created_at": iso_moment(key.created_at),
        "expires_at": iso_moment(key.expires_at),
        "revoked_at": iso_moment(key.revoked_at),
        "last_used_at": iso_moment(key.last_used_at),
    }


def _ordered(key: "ApiKey") -> list[str]:
    from rag_core.access.keys import SCOPES

    return [scope for scope in SCOPES if scope in key.scopes]


def _state(key: "ApiKey", now: datetime) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "usable" if key.is_usable(now) else "expired"


def _local(moment: datetime | None, zone: "ZoneInfo") -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M") if moment else ""


def _show(keys: "list[ApiKey]", *, now: datetime, zone: "ZoneInfo") -> None:
    """Six columns, so that eighty characters are enough; an id is on one line, as revoking may ask for it."""
    rows = [
        [
            key.key_id,
            key.name,
            key.tenant,
            _allowed(key),
            _ending(key, now, zone),
            _local(key.last_used_at, zone) or tr("never"),
        ]
        for key in keys
    ]
    headers = headings("id", "name", "tenant", "allows", "ends", "last used")
    table(tr("Keys: {usable} usable", usable=sum(key.is_usable(now) for key in keys)), headers, rows, whole=(0,))


def _allowed(key: "ApiKey") -> str:
    scopes = ", ".join(_ordered(key))
    return (
        scopes
        if key.departments is None
        else tr("{scopes} for {departments}", scopes=scopes, departments=", ".join(key.departments))
    )


def _ending(key: "ApiKey", now: datetime, zone: "ZoneInfo") -> str:
    if key.revoked_at is not None:
        return tr("revoked {revoked_at}", revoked_at=_local(key.revoked_at, zone))
    end = _local(key.expires_at, zone) or tr("never")
    return end if key.is_usable(now) else tr("expired {end}", end=end)
