"""Whole tenants: listed, limited and deleted, over all tables, as the owner of the schema."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from graphlib import TopologicalSorter
from typing import Any, Literal

import psycopg
from psycopg import sql

from rag_core.errors import BusyError, NotFoundError, QueryFailedError
from rag_core.model.access import DeletedTenant, TenantDetails, TenantSummary
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query

Limit = Literal["max_notes", "questions_per_minute", "questions_per_hour"]
LOCK_SECONDS = 30
"""Limit of a deletion's wait for writers of the tenant."""
_PASSES = 5
_WITH_THE_TENANT = ("chunks", "notes")
"""Tables deleted with the tenant's own row, so that the triggers know that there are no statistics to maintain."""
_ATTEMPTS = 3


def list_tenants(connection: Connection) -> list[TenantSummary]:
    """All tenants by name."""
    return [_summary(row) for row in connection.execute(query("tenant_summaries"), {"tenant": None}).fetchall()]


def find_tenant(connection: Connection, tenant: TenantId) -> TenantSummary:
    """One tenant.

    Raises:
        NotFoundError: there is none of that name.
    """
    row = connection.execute(query("tenant_summaries"), {"tenant": tenant}).fetchone()
    if row is None:
        raise _no_tenant(tenant)
    return _summary(row)


def describe_tenant(connection: Connection, tenant: TenantId) -> TenantDetails:
    """One tenant with all that is stored of it.

    Raises:
        NotFoundError: there is none of that name.
    """
    summary = find_tenant(connection, tenant)
    audiences = connection.execute(query("tenant_departments"), {"tenant": tenant}).fetchall()
    return TenantDetails(summary=summary, rows=count_rows(connection, tenant), audiences=dict(audiences))


def create_tenant(connection: Connection, tenant: TenantId) -> bool:
    """Make the tenant; False where it was there."""
    return connection.execute(query("create_tenant"), {"tenant": tenant}).fetchone() is not None


def limit_tenant(connection: Connection, tenant: TenantId, limits: Mapping[Limit, int | None]) -> TenantSummary:
    """Set the limits that are given, None for no limit of its own; the tenant afterwards.

    Raises:
        NotFoundError: there is none of that name.
    """
    values = dict.fromkeys(("max_notes", "questions_per_minute", "questions_per_hour")) | dict(limits)
    connection.execute(query("limit_tenant"), {"tenant": tenant, "given": list(limits), **values})
    return find_tenant(connection, tenant)


def count_rows(connection: Connection, tenant: TenantId) -> dict[str, int]:
    """Count the tenant's rows by table, without tables that have none."""
    tables = _tables(connection)
    counts = sql.SQL(" union all ").join(
        sql.SQL("select {}, count(*) from {} where tenant_id = %(tenant)s").format(sql.Literal(name), table_named(name))
        for name in tables
    )
    return {name: rows for name, rows in connection.execute(counts, {"tenant": tenant}).fetchall() if rows}


def delete_tenant(database: Database, tenant: TenantId) -> DeletedTenant:
    """Delete the tenant with every row that is its own, in one transaction: all of it or nothing.

    Which tables have rows of tenants is asked of the catalogue, and that none has any of this one's is looked at before the
    transaction ends. Whoever writes for the tenant meanwhile waits, and fails. After a deadlock it is tried again, twice at most.

    Raises:
        NotFoundError: there is none of that name.
        BusyError: somebody wrote for the tenant for longer than ``LOCK_SECONDS``.
        QueryFailedError: a row was left, or the server refused a statement; nothing was deleted.
        DatabaseUnavailableError: no connection.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            with database.owner() as connection, _failures_explained(tenant), connection.transaction():
                return _delete(connection, tenant)
        except BusyError as error:
            if attempt == _ATTEMPTS or not isinstance(error.__cause__, psycopg.errors.DeadlockDetected):
                raise
    raise AssertionError("the last attempt returns or raises")


def _delete(connection: Connection, tenant: TenantId) -> DeletedTenant:
    connection.execute("set local search_path = brain, public, extensions")
    connection.execute(sql.SQL("set local lock_timeout = {}").format(sql.Literal(f"{LOCK_SECONDS}s")))
    if connection.execute(query("hold_tenant"), {"tenant": tenant}).fetchone() is None:
        raise _no_tenant(tenant)
    connection.execute(query("lock_graph"), {"tenant": tenant})
    batches = connection.execute(query("batches_of_tenant"), {"tenant": tenant}).fetchall()
    held = count_rows(connection, tenant)
    order = deletion_order(_tables(connection), connection.execute(query("references_between_tables")).fetchall())
    for _ in range(_PASSES):
        for name in order:
            if name in _WITH_THE_TENANT:
                continue
            connection.execute(sql.SQL("delete from {} where tenant_id = %s").format(table_named(name)), (tenant,))
        connection.execute("set constraints all immediate")
        left = count_rows(connection, tenant)
        if not left:
            return DeletedTenant(name=tenant, rows=held, batches=tuple(row[0] for row in batches))
    raise QueryFailedError(f"rows of {tenant} were left in {', '.join(sorted(left))}; nothing was deleted")


@contextmanager
def _failures_explained(tenant: TenantId) -> Iterator[None]:
    try:
        yield
    except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
        raise BusyError(
            f"others were writing for {tenant} for more than {LOCK_SECONDS} s; nothing was deleted. Stop imports and index runs of it, "
            "and try again"
        ) from error
    except psycopg.OperationalError:
        raise
    except psycopg.Error as error:
        raise QueryFailedError(f"PostgreSQL refused a statement: {error}; nothing was deleted") from error


def _tables(connection: Connection) -> list[str]:
    return [row[0] for row in connection.execute(query("tables_of_tenants")).fetchall()]


def table_named(table: str) -> sql.Identifier:
    """The table of schema ``brain``."""
    return sql.Identifier("brain", table)


def _no_tenant(tenant: TenantId) -> NotFoundError:
    return NotFoundError(f"there is no tenant {tenant!r}; `brain tenant list` shows those there are")


def _summary(row: tuple[Any, ...]) -> TenantSummary:
    name, created_at, max_notes, per_minute, per_hour, notes, keys = row
    return TenantSummary(
        name=TenantId(name),
        created_at=created_at,
        max_notes=max_notes,
        questions_per_minute=per_minute,
        questions_per_hour=per_hour,
        notes=notes,
        keys=keys,
    )


def deletion_order(tables: Collection[str], references: Iterable[tuple[str, str]]) -> list[str]:
    """The tables such that rows that point to others go before these; (holder, target) pairs of other tables are left out.

    Tables that no reference touches come last, by name: triggers write there while the others are emptied.

    Raises:
        graphlib.CycleError: tables point to each other in a circle.
    """
    holders: dict[str, set[str]] = {}
    for holder, target in references:
        if holder in tables and target in tables:
            holders.setdefault(target, set()).add(holder)
            holders.setdefault(holder, set())
    ordered = list(TopologicalSorter({name: sorted(holders[name]) for name in sorted(holders)}).static_order())
    return ordered + sorted(set(tables) - set(ordered))
