"""Rows of a legacy table, attached and counted."""

from collections.abc import Iterable
from zoneinfo import ZoneInfo

from rag_core.migration.attach import AttachReport, LegacyNote, attach
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine

ZONE = ZoneInfo("Europe/Madrid")


def take(
    engine: Engine, tenant: TenantId, rows: Iterable[LegacyNote], *, source: str = "legacy", origin: str | None = None
) -> AttachReport:
    return attach(
        engine.database,
        tenant,
        rows,
        source=source,
        model=engine.model,
        zone=ZONE,
        max_characters=10_000,
        language="es",
        origin=origin,
    )


def counts(report: AttachReport) -> tuple[int, int, int, int]:
    return report.attached, report.updated, report.unchanged, report.rejected_count


def ask(engine: Engine, tenant: TenantId, statement: str, *parameters: object) -> list[tuple]:
    with engine.database.transaction(tenant) as connection:
        return connection.execute(statement, parameters).fetchall()


def execute(engine: Engine, statement: str, *parameters: object) -> None:
    with engine.database.owner() as connection:
        connection.execute("set search_path = public, brain")
        connection.execute(statement, parameters)


def unit(engine: Engine, text: str) -> list[float]:
    return [float(number) for number in engine.embedder.embed([text], role="document")[0]]
