"""The vectors of a model that is not active yet, for every live chunk, while everything else goes on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from rag_core.embedding import Embedder
from rag_core.errors import ModelStateError, NotFoundError
from rag_core.indexing.inputs import vector_hash, vector_texts
from rag_core.indexing.isolation import embed_apart
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import NoteId, TenantId
from rag_core.storage import model_vectors as store
from rag_core.storage.batches import list_tenants
from rag_core.storage.database import Database
from rag_core.storage.models import change_state, count_vectors_by_tenant, find_model, take_into_work
from rag_core.storage.notes import fetch_note
from rag_core.storage.staging import fetch_known_hashes
from rag_core.storage.vector_index import ensure_vector_index, vacuum

PAGE_CHUNKS = 512
PAGE_CHARACTERS = 2_000_000
"""A note that is not chunked yet may have a million; a page of them stays below some 10 MB."""
MAX_NAMED = 20
VACUUM_AFTER_VECTORS = 10_000
_FIRST = UUID(int=0)

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillFailure:
    """A note, ``source:external_id``, of which a chunk has no vector, and why."""

    note: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBackfillReport:
    """Vectors computed, vectors that were known already, and chunks without: all of them, and the first by name."""

    embedded: int = 0
    reused: int = 0
    failed: int = 0
    failures: tuple[BackfillFailure, ...] = ()

    def __add__(self, other: "ModelBackfillReport") -> "ModelBackfillReport":
        """Both together."""
        return ModelBackfillReport(
            embedded=self.embedded + other.embedded,
            reused=self.reused + other.reused,
            failed=self.failed + other.failed,
            failures=(self.failures + other.failures)[:MAX_NAMED],
        )


def backfill_model(
    database: Database,
    tenant: TenantId,
    batches: Sequence[str] | None,
    model: EmbeddingModel,
    embedder: Embedder,
    *,
    is_held: bool = False,
    on_progress: Progress = lambda _chunks: None,
) -> ModelBackfillReport:
    """Give every live chunk of the batches (None: of all notes) both of the model's vectors, a page a transaction.

    A vector whose input is known is not computed again, so a second run goes on where the first one ended. A chunk that is
    deleted or replaced meanwhile is passed over, one that the model gives nothing for is counted. ``is_held`` is for a promotion
    that waits for this: one page, so that nobody waits long.

    Raises:
        EmbeddingUnavailableError: the provider is down; what was written stays.
        EmbeddingError: the model gives nothing for any text.
        ModelStateError: the model is retired.
    """
    report, after = ModelBackfillReport(), _FIRST
    while page := store.fetch_chunks_without_vectors(
        database, tenant, batches, model.id, after=after, limit=PAGE_CHUNKS, max_characters=PAGE_CHARACTERS
    ):
        report += _fill_page(database, tenant, page, model, embedder, is_held=is_held)
        on_progress(len(page))
        after = page[-1].chunk_id
        if is_held:
            break
    return report


def _fill_page(
    database: Database,
    tenant: TenantId,
    page: Sequence[store.ChunkWithoutVectors],
    model: EmbeddingModel,
    embedder: Embedder,
    *,
    is_held: bool,
) -> ModelBackfillReport:
    inputs = [(chunk, kind, vector_texts(model, kind, chunk.text)) for chunk in page for kind in chunk.kinds]
    hashed = [(chunk, kind, texts, vector_hash(model, texts)) for chunk, kind, texts in inputs]
    known = fetch_known_hashes(database, tenant, sorted({digest for *_, digest in hashed}))
    missing = {digest: texts for _, _, texts, digest in hashed if digest not in known}
    found = embed_apart(missing, embedder)
    vectors = [
        store.ModelVector(chunk=chunk, kind=kind, input_hash=digest, vector=found.vectors.get(digest))
        for chunk, kind, _, digest in hashed
        if digest in known or digest in found.vectors
    ]
    written = store.write_model_vectors(database, tenant, model, vectors, is_held=is_held)
    if written.state == "retired":
        raise ModelStateError(f"{model.name} was retired meanwhile; nothing of it is kept")
    if found.error is not None:
        raise found.error
    failed = {chunk.chunk_id: (chunk.note_id, digest) for chunk, _, _, digest in hashed if digest in found.refused}
    return ModelBackfillReport(
        embedded=len(found.vectors),
        reused=max(0, written.count - len(found.vectors)),
        failed=len(failed),
        failures=_named(database, tenant, [(note, found.refused[digest]) for note, digest in failed.values()]),
    )


def _named(database: Database, tenant: TenantId, failed: Sequence[tuple[NoteId, str]]) -> tuple[BackfillFailure, ...]:
    return tuple(
        BackfillFailure(note=_name(database, tenant, note_id), reason=reason) for note_id, reason in failed[:MAX_NAMED]
    )


def _name(database: Database, tenant: TenantId, note_id: NoteId) -> str:
    try:
        with database.transaction(tenant) as connection:
            note = fetch_note(connection, tenant, note_id)
    except NotFoundError:
        return str(note_id)
    return f"{note.source}:{note.external_id}"


def begin_backfill(database: Database, name: str) -> EmbeddingModel:
    """Take a candidate, or a model that was retired, into work; one that is ready stays so, and is completed.

    Raises:
        NotFoundError: no model has that name.
        ModelStateError: the model is active: its vectors are the index itself; or a retirement is removing them.
    """
    with database.owner() as connection:
        model = find_model(connection, name).model
        if model.state == "active":
            raise ModelStateError(f"{name} is active: `brain index` makes its vectors")
        if not take_into_work(connection, model.id):
            raise ModelStateError(
                f"the vectors of {name} are being removed; try again when `brain models retire` is done"
            )
        return find_model(connection, name).model


def fill_model(
    database: Database,
    model: EmbeddingModel,
    embedder: Embedder,
    batches: Mapping[TenantId, Sequence[str] | None] | None = None,
    *,
    is_held: bool = False,
    on_progress: Progress = lambda _chunks: None,
) -> ModelBackfillReport:
    """Fill in the model's vectors of these batches, or (None) of every tenant's every note; see ``backfill_model``."""
    wanted = dict.fromkeys(list_tenants(database)) if batches is None else batches
    report = ModelBackfillReport()
    for tenant, keys in wanted.items():
        report += backfill_model(database, tenant, keys, model, embedder, is_held=is_held, on_progress=on_progress)
    if report.embedded + report.reused >= VACUUM_AFTER_VECTORS:
        vacuum(database)
    return report


def finish_model(database: Database, model: EmbeddingModel, embedder: Embedder) -> EmbeddingModel:
    """Settle the model, after one more pass over all chunks where notes are being written all the time.

    What is written during that pass is left to its promotion, which fills it in.
    """
    settled = settle_model(database, model)
    if settled.state == "ready" or fill_model(database, model, embedder).failed:
        return settled
    return settle_model(database, model, is_passed=True)


def settle_model(database: Database, model: EmbeddingModel, *, is_passed: bool = False) -> EmbeddingModel:
    """Call the model ready once every live chunk of every tenant has both vectors and its index is there; as it is then.

    ``is_passed`` says that a pass over all chunks just ended: what is missing was written during it, and does not count.
    """
    with database.owner() as connection:
        counts = count_vectors_by_tenant(connection, model.id)
    if is_passed or not any(count.missing for count in counts.values()):
        ensure_vector_index(database, model)
        if not store.is_index_due(database, model):
            with database.owner() as connection:
                change_state(connection, model.id, to="ready", among=["candidate", "backfilling"])
    with database.owner() as connection:
        return find_model(connection, model.name).model
