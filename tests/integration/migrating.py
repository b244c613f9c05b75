"""Legacy notes that are migrated, a run at a time, and what every state must keep."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from rag_core.configuration.schema import configure
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.indexing.whole_notes import embed_whole_notes
from rag_core.migration.attach import LegacyNote, attach
from rag_core.model.note import TenantId
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches
from rag_core.storage.checks import run_check

THINGS = [
    "paraguas",
    "bufanda",
    "tortuga",
    "zapatilla",
    "guitarra",
    "linterna",
    "mochila",
    "cometa",
    "espejo",
    "martillo",
]
NEWEST = datetime(2024, 5, 1, tzinfo=UTC)
STATES = "select legacy_state, count(*) from notes group by 1 order by 1"


def rows(engine: Engine, statement: str, *parameters: object) -> list[tuple]:
    with engine.database.transaction(TenantId("pruebas")) as connection:
        return connection.execute(statement, parameters).fetchall()


def long_text(thing: str) -> str:
    return " ".join(f"El día {n} vi {thing} junto al río y la {thing} seguía allí, número {n * 13}." for n in range(60))


@pytest.fixture
def legacy(engine: Engine, tenant: TenantId) -> list[str]:
    """Ten long legacy notes, the newest first; those of even number bring a vector of their own."""
    own = engine.embedder.embed([f"lo mío: {thing}" for thing in THINGS], role="document")
    legacy_rows = [
        LegacyNote(
            place=f"fila {n}",
            id=thing,
            text=long_text(thing),
            created_at=(NEWEST - timedelta(days=n)).isoformat(),
            updated_at=(NEWEST - timedelta(hours=n)).isoformat(),
            embedding=own[n].tolist() if n % 2 == 0 else None,
        )
        for n, thing in enumerate(THINGS)
    ]
    attach(
        engine.database,
        tenant,
        legacy_rows,
        source="antiguas",
        model=engine.model,
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=1_000_000,
        language="es",
    )
    register_batches(engine.database, tenant)
    return THINGS


def run(engine: Engine, tenant: TenantId, keys: list[str] | None = None, pipeline: Pipeline | None = None):
    """Every stage over the given batches, or else over all of them."""
    pipeline = pipeline or engine.pipeline
    register_batches(engine.database, tenant)
    keys = keys or [row[0] for row in rows(engine, "select batch_key from batches order by sequence")]
    return (
        stage_notes(engine.database, tenant, keys, pipeline),
        embed_staged(engine.database, tenant, keys, pipeline),
        embed_whole_notes(engine.database, tenant, keys, pipeline),
        publish_staged(engine.database, tenant, keys, pipeline),
    )


def found_by(engine: Engine, tenant: TenantId, text: str, strategy: str) -> list[str]:
    config = configure({}, strategy=strategy)
    return [hit.external_id for hit in retrieve(engine, tenant, text, config=config, timeout_ms=30_000).hits]


def not_found(engine: Engine, tenant: TenantId, things: list[str], *, strategies=("semantic", "fulltext")) -> list[str]:
    """Notes that a search for them misses, by strategy."""
    return [
        f"{strategy}: {thing}"
        for strategy in strategies
        for thing in things
        if thing not in found_by(engine, tenant, f"¿Dónde vi {thing}?", strategy)
    ]


def broken_promises(engine: Engine, tenant: TenantId) -> list[str]:
    """Violations of the invariants in the whole tenant."""
    database = engine.database
    by_batch = (
        "check_content_hashes",
        "check_chunk_bounds",
        "check_chunk_indices",
        "check_chunk_contents",
        "check_postings",
        "check_graph_evidence",
        "check_lost_notes",
        "check_staged_leftovers",
    )
    reports = [run_check(database, tenant, check) for check in by_batch]
    reports += [run_check(database, tenant, check) for check in ("check_statistics", "check_corpus_statistics")]
    reports.append(run_check(database, tenant, "check_vectors", model=engine.model))
    return [str(example) for report in reports for example in report.examples]


def numbers(vector) -> np.ndarray:
    return np.asarray(vector.to_numpy() if hasattr(vector, "to_numpy") else vector, dtype=np.float64)
