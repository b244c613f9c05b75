"""Notes in a database: stored as an import does, and indexed without Dagster."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from zoneinfo import ZoneInfo

from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import EmbedReport, embed_staged, stage_notes
from rag_core.model.note import Language, NoteId, TenantId, note_id_for
from rag_core.notes.validation import parse_note
from rag_core.runtime.engine import Engine, compose_engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.batches import register_batches, stale_batches
from rag_core.storage.database import Database
from rag_core.storage.models import fetch_active_model
from rag_core.storage.notes import ensure_tenant, store_notes

Filled = Callable[[str, Callable[[str], None]], str]
"""The fixture ``filled``: gets a name and a function that fills a database, and gives the database's name."""
TENANT = TenantId("pruebas")


@contextmanager
def engine_on(database: Database, **changes: Any) -> Iterator[Engine]:
    """The engine of an open database whose model is chosen; making one from its address takes two connections more."""
    settings = read_settings(database_url=database.owner_conninfo, **changes)
    with database.transaction(TENANT) as connection:
        model = fetch_active_model(connection)
    with compose_engine(settings, database, active=model, model=model) as engine:
        yield engine


def store_note(
    database: Database,
    owner: TenantId,
    text: str,
    *,
    external_id: str,
    source: str = "notas",
    title: str | None = None,
    language: Language = "es",
    created_at: str | None = None,
    metadata: dict[str, Any] | None = None,
) -> NoteId:
    """Store a note of the tenant, which is made if there is none, and return its id."""
    note = parse_note(
        external_id=external_id,
        source=source,
        title=title,
        text=text,
        created_at=created_at,
        language=language,
        metadata=metadata,
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=1_000_000,
    )
    with database.transaction(owner, has_copy=True) as connection:
        ensure_tenant(connection, owner)
        store_notes(connection, owner, [note])
    return note_id_for(owner, note.source, note.external_id)


def index_stale(engine: Engine, owner: TenantId) -> EmbedReport:
    """Run every stage over what is stale; how many vectors were computed and how many were there."""
    register_batches(engine.database, owner)
    keys = stale_batches(engine.database, owner, fingerprint=engine.pipeline.fingerprint)
    stage_notes(engine.database, owner, keys, engine.pipeline)
    report = embed_staged(engine.database, owner, keys, engine.pipeline)
    publish_staged(engine.database, owner, keys, engine.pipeline)
    return report


def fill_with_notes(url: str, notes: Sequence[Mapping[str, Any]]) -> None:
    """Store the notes of ``TENANT``, given as keyword arguments of ``store_note``, and index them."""
    with open_engine(read_settings(database_url=url)) as engine:
        for note in notes:
            store_note(engine.database, TENANT, **note)
        index_stale(engine, TENANT)
