"""The state of a tenant's migration and the notes the pipeline failed at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from rag_core.model.note import NoteId, NoteKind, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_value

MigrationState = Literal["running", "stopped", "rolled_back", "finished"]
FailureStage = Literal["attachment", "chunking", "embedding", "publication"]

MAX_ATTEMPTS = 3
"""Runs that try a note; after so many it is passed over until somebody has it tried again or edits it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationCounts:
    """The state, and how many legacy notes are pending and migrated, and how many notes failed."""

    state: MigrationState
    pending: int
    migrated: int
    failed: int


def fetch_state(connection: Connection, tenant: TenantId) -> MigrationState | None:
    """The state of the tenant's migration, or None."""
    state: MigrationState | None = fetch_value(connection, "migration_state", {"tenant": tenant})
    return state


def lock_state(connection: Connection, tenant: TenantId) -> None:
    """Wait until nobody publishes for the tenant, and keep it so until the caller's transaction ends."""
    connection.execute(query("lock_migration_state"), {"tenant": tenant})


def hold_state(connection: Connection, tenant: TenantId) -> MigrationState | None:
    """The state of the tenant's migration, which stays so until the caller's transaction ends."""
    connection.execute(query("hold_migration_state"), {"tenant": tenant})
    return fetch_state(connection, tenant)


def fetch_standing(
    connection: Connection, tenant: TenantId, *, source: str, external_id: str
) -> tuple[NoteId, bool, NoteKind] | None:
    """The stored note of that name: its id, whether the migration has not come to it, and its kind; None without one."""
    parameters = {"tenant": tenant, "source": source, "external_id": external_id}
    return connection.execute(query("fetch_standing"), parameters).fetchone()


def set_state(
    connection: Connection,
    tenant: TenantId,
    state: MigrationState,
    *,
    reason: str | None,
    evaluation_run: UUID | None = None,
) -> None:
    """Change the state, and why: for a reason, or by an evaluation; one that is so already keeps its time and its why."""
    parameters = {"tenant": tenant, "state": state, "reason": reason, "evaluation_run": evaluation_run}
    connection.execute(query("set_migration_state"), parameters)


def set_evaluate_every(connection: Connection, tenant: TenantId, batches: int) -> None:
    """Change after how many batches the tenant's migration is evaluated."""
    connection.execute(query("set_evaluate_every"), {"tenant": tenant, "batches": batches})


def count_migration(connection: Connection, tenant: TenantId) -> MigrationCounts:
    """State and counts of the tenant's migration, which must exist."""
    row = connection.execute(query("count_migration"), {"tenant": tenant}).fetchone()
    assert row is not None
    state, pending, migrated, failed = row
    return MigrationCounts(state=state, pending=pending, migrated=migrated, failed=failed)


def retry_failed(connection: Connection, tenant: TenantId, *, fingerprint: str) -> int:
    """Forget failures of notes that are live as ``fingerprint`` says, count every other one as the first; how many these are."""
    connection.execute(query("drop_settled_failures"), {"tenant": tenant, "fingerprint": fingerprint})
    return _count(connection, "retry_failed", tenant)


def record_failures(
    connection: Connection, tenant: TenantId, reasons: Mapping[NoteId, str], *, stage: FailureStage, fingerprint: str
) -> int:
    """Unstage the notes, and count a failed attempt at each that is not live as ``fingerprint`` says; how many still exist."""
    existing = connection.execute(query("lock_notes"), {"tenant": tenant, "notes": list(reasons)}).fetchall()
    connection.execute(query("unstage_notes"), {"tenant": tenant, "notes": list(reasons)})
    parameters = {
        "tenant": tenant,
        "notes": list(reasons),
        "reasons": list(reasons.values()),
        "stage": stage,
        "fingerprint": fingerprint,
    }
    connection.execute(query("record_failures"), parameters)
    return len(existing)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeNote:
    """A chunked note about to be whole: the hash its own vector is found by, and the one its chunks' mean is kept under."""

    note_id: NoteId
    input_hash: bytes
    mean_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeWhole:
    """Notes that are whole again, chunks that are no more, and notes that have no vector now."""

    notes: int = 0
    chunks: int = 0
    without_vector: int = 0


def drop_staged(connection: Connection, tenant: TenantId, *, is_pending_only: bool) -> None:
    """Forget what is staged for the tenant, or of its pending notes only."""
    connection.execute(query("drop_staged"), {"tenant": tenant, "pending_only": is_pending_only})


def fetch_chunked_notes(database: Database, tenant: TenantId, *, after: UUID, limit: int) -> list[NoteId]:
    """Chunked notes in the order of their ids, a page at a time; ``after`` is the last one of the page before."""
    parameters = {"tenant": tenant, "after": after, "limit": limit}
    with database.transaction(tenant) as connection:
        return [NoteId(row[0]) for row in connection.execute(query("fetch_chunked_notes"), parameters).fetchall()]


def lock_still_chunked(connection: Connection, tenant: TenantId, notes: Sequence[NoteId]) -> list[tuple[NoteId, str]]:
    """Lock the notes; those that are chunked, with their texts."""
    connection.execute(query("lock_notes"), {"tenant": tenant, "notes": list(notes)})
    return connection.execute(query("fetch_still_chunked"), {"tenant": tenant, "notes": list(notes)}).fetchall()


def make_whole(connection: Connection, tenant: TenantId, notes: Sequence[WholeNote], *, model_id: int) -> MadeWhole:
    """Turn locked notes back into one whole-note chunk each, legacy ones into pending ones.

    A note's vector is its own, if it is cached or live, else the mean of its chunks' standard vectors at length one. The
    chunks' vectors go to the cache.
    """
    parameters = {
        "tenant": tenant,
        "model": model_id,
        "notes": [note.note_id for note in notes],
        "input_hashes": [note.input_hash for note in notes],
        "mean_hashes": [note.mean_hash for note in notes],
    }
    for name in ("create_whole_vectors", "insert_whole_vectors"):
        connection.execute(query(name), parameters)
    chunks = connection.execute(query("count_live_chunks"), parameters).fetchone()
    vectors = connection.execute("select count(*) from whole_vectors").fetchone()
    for name in _MAKE_WHOLE:
        connection.execute(query(name), parameters)
    connection.execute("drop table whole_vectors")
    assert chunks is not None
    assert vectors is not None
    return MadeWhole(notes=len(notes), chunks=chunks[0], without_vector=len(notes) - vectors[0])


_MAKE_WHOLE = (
    "keep_vectors",
    "delete_chunks",
    "forget_chunking",
    "insert_whole_note_chunks",
    "insert_whole_embeddings",
    "drop_whole_cache",
)


def await_migration_again(connection: Connection, tenant: TenantId) -> None:
    """Have migrated legacy notes that an edit made whole wait for the migration again."""
    connection.execute(query("await_migration_again"), {"tenant": tenant})


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalEvaluation:
    """Result of an evaluation, and whether every legacy note had been migrated when it ran."""

    run_id: UUID
    hit_rate_at_10: float
    is_regression: bool
    is_current: bool


def count_lost_notes(connection: Connection, tenant: TenantId) -> int:
    """Count the attached notes that are gone without having been deleted on purpose."""
    return _count(connection, "count_lost_notes", tenant)


def fetch_final_evaluation(connection: Connection, tenant: TenantId, evaluation: UUID) -> FinalEvaluation | None:
    """The evaluation of that run id, or None."""
    row = connection.execute(query("final_evaluation"), {"tenant": tenant, "evaluation": evaluation}).fetchone()
    if row is None:
        return None
    run_id, hit_rate, is_regression, is_current = row
    return FinalEvaluation(run_id=run_id, hit_rate_at_10=hit_rate, is_regression=is_regression, is_current=is_current)


def drop_rollback_vectors(connection: Connection, tenant: TenantId) -> int:
    """Drop the cached vectors of migrated notes but for what is staged; how many there were."""
    return _count(connection, "drop_rollback_vectors", tenant)


def _count(connection: Connection, name: str, tenant: TenantId) -> int:
    row = connection.execute(query(name), {"tenant": tenant}).fetchone()
    assert row is not None
    return int(row[0])


def accept_rejected(connection: Connection, tenant: TenantId) -> list[str]:
    """Forget the rows that could not be attached; their names, each after its source."""
    return sorted(row[0] for row in connection.execute(query("accept_rejected"), {"tenant": tenant}).fetchall())
