"""Publication: staged notes become the live ones, and the index is kept lean."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag_core.indexing.pipeline import Pipeline
from rag_core.model import NoteId, TenantId
from rag_core.storage import staging as store
from rag_core.storage import vector_index
from rag_core.storage.database import Database
from rag_core.storage.queries import query

PUBLISH_NOTES = 200
"""Posting lists are written in the order of their words: of 500 notes at once each row takes a third of what it takes of 50."""
VACUUM_AFTER_ROWS = 10_000
"""Fewer changes are left to autovacuum: a vacuum of everything took 1.2 s at 100,000 chunks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishReport:
    """Notes whose new generation went live, staged ones that could not yet, and chunks that are no more."""

    published: int
    left: int
    deleted: int


def publish_staged(
    database: Database,
    tenant: TenantId,
    batches: Sequence[str],
    pipeline: Pipeline,
    *,
    on_progress: Callable[[int], None] = lambda _notes: None,
) -> PublishReport:
    """Publish the batches' staged notes, two hundred a transaction; each note is seen old or new, whole."""
    staged = published = deleted = 0
    for fingerprint in pipeline.fingerprints:
        notes = store.fetch_staged_note_ids(database, tenant, batches, fingerprint)
        staged += len(notes)
        for start in range(0, len(notes), PUBLISH_NOTES):
            page = notes[start : start + PUBLISH_NOTES]
            page_published, page_deleted = _publish(database, tenant, page, pipeline.model.id, fingerprint)
            published += page_published
            deleted += page_deleted
            on_progress(len(page))
    return PublishReport(published=published, left=staged - published, deleted=deleted)


def _publish(
    database: Database, tenant: TenantId, notes: Sequence[NoteId], model_id: int, fingerprint: str
) -> tuple[int, int]:
    """How many of the notes went live, and how many of their chunks are no more."""
    with database.transaction(tenant) as connection:
        store.lock_notes(connection, tenant, notes)
        replaced = store.count_replaced_chunks(connection, tenant, notes)
        published = store.publish_notes(connection, tenant, notes, model_id=model_id, fingerprint=fingerprint)
    return len(published), sum(replaced.get(note, 0) for note in published)


def maintain(database: Database, tenant: TenantId, pipeline: Pipeline) -> int:
    """Fold the statistics' changes, vacuum after many, and see that the model's vector index is there once it pays.

    How many rows of statistics were folded; with nothing to fold nothing is written.
    """
    folded = _fold(database, tenant)
    if folded >= VACUUM_AFTER_ROWS:
        vector_index.vacuum(database)
    vector_index.ensure_vector_index(database, pipeline.model)
    return folded


def _fold(database: Database, tenant: TenantId) -> int:
    with database.transaction(tenant) as connection:
        if connection.execute(query("needs_folding"), {"tenant": tenant}).fetchone() != (True,):
            return 0
    with database.transaction(tenant) as connection:
        row = connection.execute(query("fold_statistics"), {"tenant": tenant}).fetchone()
    assert row is not None
    return int(row[0])
