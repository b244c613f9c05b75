"""Notes that not everybody may read."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from rag_core.model.note import NoteId
from rag_core.runtime.engine import Engine

AUDIENCES = {
    "all": None,
    "sales": {"visibility": "department", "department": "Ventas"},
    "both": {"visibility": "department", "departments": ["ventas", "Compras"]},
    "private": {"visibility": "private"},
}
MakeNote = Callable[..., NoteId]


@pytest.fixture
def notes(make_note: MakeNote, index_notes) -> dict[str, NoteId]:
    """One note for each audience, all of them about the same."""
    made = {
        name: make_note(f"El tren a Cádiz llegó tarde, nota {name}.", external_id=name, source=name, metadata=metadata)
        for name, metadata in AUDIENCES.items()
    }
    index_notes()
    return made


def seen_by(engine: Engine, departments: Sequence[str] | None) -> Engine:
    return replace(engine, database=engine.database.seen_by(departments))
