"""Legacy notes for tests: rows attached to the tenant, and a migration put into a state."""

from collections.abc import Iterable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from rag_core.migration.attach import AttachReport, LegacyNote, attach
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine


def attach_texts(engine: Engine, tenant: TenantId, texts: Mapping[str, str] | Iterable[str]) -> AttachReport:
    """Attach texts, by id or numbered from 0; the first is the newest."""
    named = texts if isinstance(texts, Mapping) else {str(number): text for number, text in enumerate(texts)}
    rows = (
        LegacyNote(place=f"(line {number})", id=name, text=text, created_at=f"2020-01-01T00:00:{59 - number % 60:02}")
        for number, (name, text) in enumerate(named.items())
    )
    return attach(
        engine.database,
        tenant,
        rows,
        source="legacy",
        model=engine.model,
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=100_000,
        language="es",
    )


def put_state(engine: Engine, tenant: TenantId, state: str) -> None:
    """Put the tenant's migration into a state, as if it had got there; one that has none gets one."""
    with engine.database.owner() as connection:
        connection.execute(
            "insert into brain.migrations (tenant_id, state) values (%s, %s) "
            "on conflict (tenant_id) do update set state = excluded.state",
            (tenant, state),
        )


def ask(engine: Engine, tenant: TenantId, statement: str, *parameters: Any) -> list[tuple]:
    """The rows of a query as the tenant."""
    with engine.database.transaction(tenant) as connection:
        return connection.execute(statement, parameters).fetchall()
