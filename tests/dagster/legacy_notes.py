"""Legacy notes for the migration's tests: three batches of short notes, with a golden set that asks for the newest ones."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from pipeline_runs import TENANT

from rag_core.evaluation.golden.importing import import_golden
from rag_core.migration.attach import LegacyNote, attach
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches

BATCHES = 3
BATCH = 20
NOTES = BATCH * BATCHES
GOLDEN = 12
NEWEST = datetime(2024, 6, 30, 18, tzinfo=UTC)
WORDS = (
    "acequia",
    "brocal",
    "cigüeña",
    "dehesa",
    "espliego",
    "fanega",
    "gavilla",
    "horno",
    "ibis",
    "jara",
    "lagar",
    "mies",
)


def attach_notes(engine: Engine, *, evaluate_every: int = 1, notes: int = NOTES) -> None:
    """Notes n0 (the newest), n1, … attached to the tenant, in batches of their own."""
    report = attach(
        engine.database,
        TENANT,
        map(_row, range(notes)),
        source="antiguas",
        model=engine.model,
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=1_000_000,
        language="es",
    )
    assert report.attached == notes, report
    with engine.database.owner() as connection:
        connection.execute("update brain.migrations set evaluate_every = %s", [evaluate_every])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rag_core.storage.batches.BATCH_SIZE", BATCH)
        register_batches(engine.database, TENANT)


def add_golden_set(engine: Engine) -> None:
    """A query for each of the newest notes, by the word that only this note has."""
    lines = [
        json.dumps({"query": f"¿Qué pasó con {WORDS[number]}?", "relevant_ids": [f"n{number}"]}).encode()
        for number in range(GOLDEN)
    ]
    import_golden(engine.database, TENANT, lines, set_name="default")


def legacy_states(engine: Engine) -> dict[str | None, int]:
    """Count notes by legacy state."""
    with engine.database.owner() as connection:
        rows = connection.execute("select legacy_state, count(*) from brain.notes group by 1").fetchall()
    return dict(rows)


def lose_golden_chunks(engine: Engine) -> None:
    """Behind the index's back, the chunks of all notes that golden queries ask for."""
    with engine.database.owner() as connection:
        connection.execute("delete from brain.chunks where note_id in (select note_id from brain.golden_relevance)")


def _row(number: int) -> LegacyNote:
    word = WORDS[number] if number < GOLDEN else f"palabra{number}"
    moment = NEWEST - timedelta(hours=number)
    return LegacyNote(
        place=f"fila {number}",
        id=f"n{number}",
        text=f"Hoy he apuntado algo de {word} en el cuaderno. Mañana seguiré con la nota número {number}.",
        created_at=moment.isoformat(),
        updated_at=moment.isoformat(),
    )
