"""The state of a migration, and what an operator does with it: stop, resume, try again, roll back, finish."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from rag_core.errors import ConflictError, MigrationIncompleteError, NotFoundError
from rag_core.indexing.isolation import together_or_alone
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.publishing import maintain
from rag_core.model.counting import in_english
from rag_core.model.embedding import EmbeddingModel, input_hash
from rag_core.model.note import NoteId, TenantId
from rag_core.storage import migration_control as store
from rag_core.storage.database import Connection, Database
from rag_core.storage.migration_control import FinalEvaluation, MadeWhole, MigrationCounts, MigrationState, WholeNote
from rag_core.storage.staging import hold_active_model

ROLL_BACK_NOTES = 200
_MEAN_OF_CHUNKS = "mean of the chunks of: "
LEAST_HIT_RATE = 0.85
"""The hit rate at 10 that a migration must reach before what a rollback needs is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackReport:
    """Notes that are whole again and chunks that are no more, in this call; notes left chunked, with the reason.

    ``without_vector`` counts whole notes that had no vectors to average: the next run of the pipeline embeds them.
    """

    notes: int
    chunks: int
    without_vector: int
    failed: Mapping[NoteId, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishReport:
    """Legacy notes that were migrated, the evaluation that says how well, and vectors that only a rollback needed.

    ``accepted`` are rows that could not be attached, and shall not be.
    """

    migrated: int
    run_id: UUID
    hit_rate_at_10: float
    dropped_vectors: int
    accepted: tuple[str, ...] = ()


def fetch_state(source: Database | Connection, tenant: TenantId) -> MigrationState | None:
    """The state of the tenant's migration; None where there is none, and everything is as usual."""
    if isinstance(source, Database):
        with source.transaction(tenant) as connection:
            return store.fetch_state(connection, tenant)
    return store.fetch_state(source, tenant)


def stop(
    database: Database, tenant: TenantId, *, reason: str | None = None, evaluation_run: UUID | None = None
) -> MigrationCounts:
    """Leave pending notes as they are from now on; what is chunked stays so, and all other notes go on.

    ``evaluation_run`` is the one that found retrieval worse, where that is why.

    Raises:
        NotFoundError: the tenant has no migration.
        ConflictError: it is rolled back or finished.
    """
    return _change(
        database,
        tenant,
        "stopped",
        allowed=("running", "stopped"),
        reason=reason,
        evaluation_run=evaluation_run,
        then=lambda connection: store.drop_staged(connection, tenant, is_pending_only=True),
    )


def resume(database: Database, tenant: TenantId) -> MigrationCounts:
    """Let the migration go on after a stop or a rollback; nothing is chunked by this alone.

    Raises:
        NotFoundError: the tenant has no migration.
        ConflictError: it is finished.
    """
    return _change(database, tenant, "running", allowed=("running", "stopped", "rolled_back"), reason=None)


def measure_every(database: Database, tenant: TenantId, batches: int | None) -> None:
    """Have retrieval measured after so many batches of the tenant's migration; None leaves it as it is."""
    if batches is not None:
        with database.transaction(tenant) as connection:
            store.set_evaluate_every(connection, tenant, batches)


def retry_failed(database: Database, tenant: TenantId, *, fingerprint: str) -> int:
    """Have the pipeline of that fingerprint try again the notes it passes over; how many there are.

    Failures of notes that are live and current are settled, and forgotten.
    """
    with database.transaction(tenant) as connection:
        return store.retry_failed(connection, tenant, fingerprint=fingerprint)


def roll_back(
    database: Database,
    tenant: TenantId,
    pipeline: Pipeline,
    *,
    reason: str | None = None,
    on_progress: Callable[[int], None] = lambda _notes: None,
) -> RollbackReport:
    """Turn every chunked note back into one whole-note chunk, and keep all new ones so.

    The state changes first, so nothing more is chunked; then 200 notes a transaction, each of them found at every moment,
    chunked or whole. Texts, ids and dates stay, legacy notes are pending again. After a kill in the middle the same call
    goes on; when nothing is chunked it does nothing.

    Raises:
        NotFoundError: the tenant has no migration.
        ConflictError: somebody resumed it before this was done; what is whole stays so.
        ModelChangedError: another embedding model was promoted meanwhile; run it again.
    """
    _change(
        database,
        tenant,
        "rolled_back",
        allowed=("running", "stopped", "rolled_back", "finished"),
        reason=reason,
        then=lambda connection: store.drop_staged(connection, tenant, is_pending_only=False),
    )
    total = MadeWhole()
    failed: dict[NoteId, str] = {}
    after = UUID(int=0)
    while page := store.fetch_chunked_notes(database, tenant, after=after, limit=ROLL_BACK_NOTES):
        done, refused = together_or_alone(page, lambda notes: _make_whole(database, tenant, notes, pipeline.model))
        total = _sum([total, *done])
        failed |= dict(refused)
        after = page[-1]
        on_progress(len(page))
    with database.transaction(tenant) as connection:
        store.await_migration_again(connection, tenant)
    maintain(database, tenant, pipeline)
    return RollbackReport(notes=total.notes, chunks=total.chunks, without_vector=total.without_vector, failed=failed)


def _make_whole(database: Database, tenant: TenantId, notes: Sequence[NoteId], model: EmbeddingModel) -> MadeWhole:
    def write(connection: Connection) -> MadeWhole:
        hold_active_model(connection, model)
        state = store.hold_state(connection, tenant)
        if state != "rolled_back":
            raise ConflictError(f"the migration of {tenant} is {state} again; roll it back anew to go on")
        chunked = [
            _whole_note(note, content, model) for note, content in store.lock_still_chunked(connection, tenant, notes)
        ]
        return store.make_whole(connection, tenant, chunked, model_id=model.id) if chunked else MadeWhole()

    return database.write(tenant, write)


def _whole_note(note: NoteId, content: str, model: EmbeddingModel) -> WholeNote:
    """The hashes of a note's vectors. A mean is no vector of the text, so that nothing embedded is ever taken from it."""
    return WholeNote(
        note_id=note,
        input_hash=input_hash(model, content, role="document"),
        mean_hash=input_hash(model, f"{_MEAN_OF_CHUNKS}{content}", role="document"),
    )


def _sum(parts: Sequence[MadeWhole]) -> MadeWhole:
    return MadeWhole(
        notes=sum(part.notes for part in parts),
        chunks=sum(part.chunks for part in parts),
        without_vector=sum(part.without_vector for part in parts),
    )


def finish(
    database: Database,
    tenant: TenantId,
    *,
    evaluation: UUID | None,
    least_hit_rate: float = LEAST_HIT_RATE,
    accepts_rejected: bool = False,
) -> FinishReport:
    """End the migration, and drop what only a rollback needs, all in one transaction.

    Every legacy note must be migrated, none may have failed or be lost, and ``evaluation``, a run of ``measure_now`` since,
    must have a hit rate at 10 of ``least_hit_rate`` or more and be no significant regression. With ``accepts_rejected`` rows
    that could not be attached are forgotten instead of being in the way. A rollback stays possible: the notes' vectors are
    then means of their chunks'.

    Raises:
        NotFoundError: the tenant has no migration.
        ConflictError: it is rolled back, or finished already.
        MigrationIncompleteError: something stands in the way; its ``reasons`` list what.
    """
    with database.transaction(tenant) as connection:
        store.lock_state(connection, tenant)
        state = store.fetch_state(connection, tenant)
        _require(state, tenant, allowed=("running", "stopped"), wanted="finished")
        accepted = store.accept_rejected(connection, tenant) if accepts_rejected else []
        counts = store.count_migration(connection, tenant)
        measured = None if evaluation is None else store.fetch_final_evaluation(connection, tenant, evaluation)
        reasons = [
            *_unfinished(counts, lost=store.count_lost_notes(connection, tenant)),
            *_objections(measured, least_hit_rate),
        ]
        if reasons or measured is None:
            raise MigrationIncompleteError(
                f"the migration of {tenant} cannot be finished: {'; '.join(reasons)}", reasons=reasons
            )
        store.set_state(connection, tenant, "finished", reason=None)
        return FinishReport(
            migrated=counts.migrated,
            run_id=measured.run_id,
            hit_rate_at_10=measured.hit_rate_at_10,
            dropped_vectors=store.drop_rollback_vectors(connection, tenant),
            accepted=tuple(accepted),
        )


def _unfinished(counts: MigrationCounts, *, lost: int) -> list[str]:
    """Remaining work of the migration, in sentences."""
    pending = in_english(counts.pending, "note is", "notes are")
    failed = in_english(counts.failed, "note or row", "notes or rows")
    gone = in_english(lost, "attached note is", "attached notes are")
    told = {
        f"{pending} pending; run `brain migration run`": counts.pending,
        f"{failed} failed and `brain migration status` lists them; `brain migration retry` has notes tried "
        "again, a row that could not be attached is mended or removed where it is, and attached again, or left out for good with "
        "`brain migration finish --accept-rejected`": counts.failed,
        f"{gone} gone, and nobody deleted them; attach the table again": lost,
    }
    return [sentence for sentence, count in told.items() if count]


def _objections(evaluation: FinalEvaluation | None, least_hit_rate: float) -> list[str]:
    """Objections of the evaluation, in sentences."""
    if evaluation is None:
        return ["retrieval was not measured; import a golden set with `brain golden import`, and finish again"]
    rate = evaluation.hit_rate_at_10
    told = {
        "the evaluation is older than the last migrated note; finish again": not evaluation.is_current,
        f"the hit rate at 10 is {rate:.3f}, {least_hit_rate - rate:.3f} short of {least_hit_rate:g}": rate
        < least_hit_rate,
        "the evaluation is a significant regression against its baseline": evaluation.is_regression,
    }
    return [f"{sentence} (run {evaluation.run_id})" for sentence, is_so in told.items() if is_so]


def _change(
    database: Database,
    tenant: TenantId,
    state: MigrationState,
    *,
    allowed: tuple[MigrationState, ...],
    reason: str | None,
    evaluation_run: UUID | None = None,
    then: Callable[[Connection], None] = lambda _connection: None,
) -> MigrationCounts:
    def write(connection: Connection) -> MigrationCounts:
        store.lock_state(connection, tenant)
        _require(store.fetch_state(connection, tenant), tenant, allowed=allowed, wanted=state)
        store.set_state(connection, tenant, state, reason=reason, evaluation_run=evaluation_run)
        then(connection)
        return store.count_migration(connection, tenant)

    return database.write(tenant, write)


def _require(
    state: MigrationState | None, tenant: TenantId, *, allowed: tuple[MigrationState, ...], wanted: MigrationState
) -> None:
    if state is None:
        raise NotFoundError(f"{tenant} has no migration; begin one with `brain migration attach`")
    if state not in allowed:
        raise ConflictError(
            f"the migration of {tenant} is {_said(state)} and cannot become {_said(wanted)}; {_REMEDIES[state]}"
        )


def _said(state: MigrationState) -> str:
    return state.replace("_", " ")


_REMEDIES: Mapping[MigrationState, str] = {
    "running": "`brain migration status` says how far it is",
    "stopped": "`brain migration resume` lets it go on",
    "rolled_back": "`brain migration resume` lets it begin again",
    "finished": "nothing is left to do; attaching more rows opens it again",
}
