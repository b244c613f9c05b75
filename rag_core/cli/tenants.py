"""Whole tenants: who there is, how much each may have, and the end of one."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag_core.cli.app import JsonOption, app, command, print_json, say, table
from rag_core.cli.messages import amount, headings, localised, tr

if TYPE_CHECKING:
    from rag_core.model.access import TenantDetails, TenantSummary
    from rag_core.model.note import TenantId
    from rag_core.settings import Settings
    from rag_core.storage.database import Database

tenant_app = typer.Typer(no_args_is_help=True, help="Tenants: who has notes here, how many, and the end of one.")
app.add_typer(tenant_app, name="tenant")

NO_LIMIT = "none"
NameArgument = Annotated[str, typer.Argument(help="Lower-case letters, digits, - and _, at most 63.")]


def _limit(value: str | None) -> str | None:
    if value is not None and value != NO_LIMIT and not (value.isascii() and value.isdigit() and 0 < int(value) < 2**31):
        raise typer.BadParameter(f"{value!r} is neither a whole number above 0 nor `{NO_LIMIT}`")
    return value


@tenant_app.command("list")
def list_all(is_json: JsonOption = False) -> None:
    """Show all tenants with their notes, keys and limits.

    Example: brain tenant list
    """
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database
    from rag_core.storage.tenants import list_tenants

    with command(is_json=is_json):
        with open_database(read_settings()) as database, database.owner() as connection:
            found = list_tenants(connection)
        if is_json:
            print_json([asdict(tenant) for tenant in found])
        else:
            _show_tenants(found)


def _show_tenants(found: "Sequence[TenantSummary]") -> None:
    headers = headings("tenant", "notes", "limit", "keys", "questions a minute", "questions an hour")
    rows = [
        [
            tenant.name,
            f"{tenant.notes:,}",
            _shown(tenant.max_notes),
            str(tenant.keys),
            _shown(tenant.questions_per_minute),
            _shown(tenant.questions_per_hour),
        ]
        for tenant in found
    ]
    table(tr("Tenants"), headers, rows)


def _shown(limit: int | None) -> str:
    return "-" if limit is None else f"{limit:,}"


@tenant_app.command("create")
def create(name: NameArgument, is_json: JsonOption = False) -> None:
    """Make a tenant. An import for a new name makes one too, and `brain key create` with --create-tenant.

    Example: brain tenant create ana
    """
    from rag_core.errors import ConflictError
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database
    from rag_core.storage.tenants import create_tenant

    with command(is_json=is_json):
        tenant = _named(name)
        with open_database(read_settings()) as database, database.owner() as connection:
            is_new = create_tenant(connection, tenant)
        if not is_new:
            raise ConflictError(f"there is a tenant {tenant} already; `brain tenant show {tenant}` tells what it has")
        if is_json:
            print_json({"name": tenant})
        else:
            print(
                tr(
                    "created the tenant {tenant}; `brain key create NAME --tenant {tenant}` gives access",
                    tenant=tenant,
                )
            )


@tenant_app.command("show")
def show(name: NameArgument, is_json: JsonOption = False) -> None:
    """Show a tenant: its limits, the rows of every table that are its own, and how many notes each department may see.

    Example: brain tenant show ana --json
    """
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database
    from rag_core.storage.tenants import describe_tenant

    with command(is_json=is_json):
        tenant = _named(name)
        with open_database(read_settings()) as database, database.owner() as connection:
            found = describe_tenant(connection, tenant)
        if is_json:
            print_json(_document(found))
        else:
            _show_tenants([found.summary])
            audiences = [[localised(_audience(name)), f"{notes:,}"] for name, notes in found.audiences.items()]
            table(tr("Who may see notes"), headings("who", "notes"), audiences)
            table(tr("Stored"), headings("table", "rows"), [[name, f"{rows:,}"] for name, rows in found.rows.items()])


def _document(found: "TenantDetails") -> dict[str, Any]:
    audiences = {_audience(name): notes for name, notes in found.audiences.items()}
    return {**asdict(found.summary), "audiences": audiences, "rows": dict(found.rows)}


def _audience(department: str | None) -> str:
    if department is None:
        return "everybody"
    return f"department {department}" if department else "private"


@tenant_app.command("limit")
def limit(
    name: NameArgument,
    max_notes: Annotated[str | None, typer.Option(callback=_limit, help="Notes at most, or none.")] = None,
    per_minute: Annotated[
        str | None, typer.Option(callback=_limit, help="Questions a minute and key, or none.")
    ] = None,
    per_hour: Annotated[str | None, typer.Option(callback=_limit, help="Questions an hour and key, or none.")] = None,
    is_json: JsonOption = False,
) -> None:
    """Set how much a tenant may have and ask; what is not given stays, `none` takes a limit away.

    A limit below the notes there are deletes none; new ones are refused until there is room.

    Example: brain tenant limit ana --max-notes 10000 --per-minute 30
    """
    from rag_core.settings import read_settings
    from rag_core.storage.database import open_database
    from rag_core.storage.tenants import Limit, limit_tenant

    given: dict[Limit, str | None] = {
        "max_notes": max_notes,
        "questions_per_minute": per_minute,
        "questions_per_hour": per_hour,
    }
    limits = {of: None if value == NO_LIMIT else int(value) for of, value in given.items() if value is not None}
    with command(is_json=is_json):
        tenant = _named(name)
        with open_database(read_settings()) as database, database.owner() as connection:
            found = limit_tenant(connection, tenant, limits)
        if is_json:
            print_json(asdict(found))
        else:
            _show_tenants([found])


@tenant_app.command("delete")
def delete(
    name: NameArgument,
    is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask for the name.")] = False,
    is_json: JsonOption = False,
) -> None:
    """Delete a tenant with everything that is its own: notes, index, keys, conversations, evaluations. It cannot be undone.

    It asks for the name unless --yes or --json is given. All is deleted in one transaction, or nothing. Backups stay as they are.

    Example: brain tenant delete ana
    """
    from rag_core.runtime.engine import open_engine
    from rag_core.settings import read_settings
    from rag_core.storage.tenants import delete_tenant, find_tenant

    with command(is_json=is_json), open_engine(read_settings()) as engine:
        tenant = _named(name)
        with engine.database.owner() as connection:
            summary = find_tenant(connection, tenant)
        if not (is_sure or is_json):
            _ask(summary)
        deleted = delete_tenant(engine.database, tenant)
        runs = _forget_in_dagster(engine.settings, engine.database, deleted.batches)
        if is_json:
            print_json({"name": tenant, "rows": dict(deleted.rows), "dagster": runs})
        else:
            table(
                tr("Deleted of {tenant}", tenant=tenant),
                headings("table", "rows"),
                [[of, f"{n:,}"] for of, n in deleted.rows.items()],
            )
            print(tr("deleted tenant {tenant} and all of its rows", tenant=tenant))
            say(
                tr(
                    "Earlier backups still hold it. A running API accepts its keys for five more seconds, and finds nothing."
                )
            )


def _ask(summary: "TenantSummary") -> None:
    from rag_core.errors import InvalidInputError

    if not _is_somebody_there():
        raise InvalidInputError(
            f"cannot ask for confirmation: standard input is not a terminal. Use --yes to delete tenant {summary.name}"
        )
    held = tr("{notes} and {keys}", notes=amount(summary.notes, "note"), keys=amount(summary.keys, "key"))
    say(tr("{name} has {held}. Only a backup can restore them.", name=summary.name, held=held))
    if typer.prompt(tr("Type its name to delete it"), err=True) != summary.name:
        raise InvalidInputError("that was not its name; nothing was deleted")


def _is_somebody_there() -> bool:
    return sys.stdin.isatty()


def _forget_in_dagster(settings: "Settings", database: "Database", batches: Sequence[str]) -> dict[str, int]:
    """Delete the tenant's partitions and runs, where Dagster was ever used here."""
    if not batches or not settings.dagster_home.exists():
        return {"partitions": 0, "runs": 0}
    from rag_assets.forgetting import forget_batches
    from rag_assets.indexing import dagster_instance

    with dagster_instance(settings, database, lambda event: say(localised(event.message))) as instance:
        return asdict(forget_batches(instance, batches))


def _named(name: str) -> "TenantId":
    """The name of a tenant.

    Raises:
        InvalidInputError: no tenant can be called so.
    """
    import re

    from rag_core.errors import InvalidInputError
    from rag_core.model.note import TenantId
    from rag_core.settings import TENANT_NAME

    if not re.fullmatch(TENANT_NAME, name):
        raise InvalidInputError(
            f"{name!r} is no name for a tenant; use lower-case letters, digits, - and _, at most 63"
        )
    return TenantId(name)
