"""Publication: staged notes become the live ones, and the index is kept lean."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from rag_core.indexing.failures import record_failures
from rag_core.indexing.isolation import together_or_alone
from rag_core.indexing.pipeline import Pipeline
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import NoteId, TenantId
from rag_core.storage import staging as store
from rag_core.storage import vector_index
from rag_core.storage.database import Connection, Database
from rag_core.storage.folding import fold_statistics

PUBLISH_NOTES = 200
"""Posting lists are written in the order of their words: of 500 notes at once each row takes a third of what it takes of 50."""
VACUUM_AFTER_ROWS = 10_000
"""Least number of changes for a vacuum; fewer are left to autovacuum: a vacuum of everything took 1.2 s at 100,000 chunks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishReport:
    """Notes whose new generation went live, staged ones that could not yet, chunks that are no more, notes that failed."""

    published: int
    left: int
    deleted: int
    failed: int = 0


def publish_staged(
    database: Database,
    tenant: TenantId,
    batches: Sequence[str],
    pipeline: Pipeline,
    *,
    on_progress: Callable[[int], None] = lambda _notes: None,
) -> PublishReport:
    """Publish the batches' staged notes, two hundred a transaction; each note is seen old or new, whole.

    Notes that another publishes are left to it at first and looked at again at the end. A page that is refused is
    published note by note; those that fail are recorded, and stay as they are.

    Raises:
        ModelChangedError: another model was promoted; what was published before that stays.
    """
    staged: set[NoteId] = set()
    published: dict[NoteId, int] = {}
    failed = 0
    for fingerprint in pipeline.fingerprints:
        notes = store.fetch_staged_note_ids(database, tenant, batches, fingerprint)
        publish = partial(_publish, database, tenant, model=pipeline.model, fingerprint=fingerprint)
        staged.update(notes)
        for is_waiting in (False, True):
            for page in _pages([note for note in notes if note not in published]):
                done, refused = together_or_alone(page, partial(publish, is_waiting=is_waiting))
                failed += record_failures(database, tenant, dict(refused), stage="publication", fingerprint=fingerprint)
                published |= {note: chunks for part in done for note, chunks in part.items()}
                on_progress(0 if is_waiting else len(page))
    left = staged.intersection(
        note
        for fingerprint in pipeline.fingerprints
        for note in store.fetch_staged_note_ids(database, tenant, batches, fingerprint)
    )
    return PublishReport(published=len(published), left=len(left), deleted=sum(published.values()), failed=failed)


def _pages(notes: Sequence[NoteId]) -> Iterator[Sequence[NoteId]]:
    for start in range(0, len(notes), PUBLISH_NOTES):
        yield notes[start : start + PUBLISH_NOTES]


def _publish(
    database: Database,
    tenant: TenantId,
    notes: Sequence[NoteId],
    *,
    model: EmbeddingModel,
    fingerprint: str,
    is_waiting: bool,
) -> dict[NoteId, int]:
    """The notes that went live, each with how many of its chunks are no more."""

    def write(connection: Connection) -> dict[NoteId, int]:
        return store.publish_notes(
            connection, tenant, notes, model=model, fingerprint=fingerprint, is_waiting=is_waiting
        )

    database.require_room()
    return database.write(tenant, write)


def maintain(database: Database, tenant: TenantId, pipeline: Pipeline) -> int:
    """Fold the statistics' changes, vacuum after many, analyse tables that grew, and make the model's vector index once it pays.

    How many rows of statistics were folded; with nothing to fold nothing is written.
    """
    folded = fold_statistics(database, tenant)
    if folded >= VACUUM_AFTER_ROWS:
        vector_index.vacuum(database)
    else:
        vector_index.analyze_grown(database)
    vector_index.ensure_vector_index(database, pipeline.model)
    return folded
