"""A reader's word on an answer of an experiment."""

from uuid import UUID

from rag_core.errors import ConflictError, InvalidInputError
from rag_core.model.experiment import FeedbackKind
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Database
from rag_core.storage.experiments import fetch_experiment_query, find_experiment, write_feedback


def give_feedback(
    database: Database,
    tenant: TenantId,
    query_id: UUID,
    *,
    note_id: NoteId | None,
    kind: FeedbackKind,
    timeout_ms: int,
) -> bool:
    """Keep that a note was opened, or that it or the whole answer helped or did not; whether that is news.

    ``helpful`` takes the place of ``unhelpful`` and the other way round.

    Raises:
        NotFoundError: the tenant has no such live query.
        InvalidInputError: the answer did not hold that note, or nothing was opened.
        ConflictError: the experiment has ended, and its figures stand.
        DatabaseUnavailableError, DeadlineExceededError, QueryFailedError: it could not be kept.
    """
    if kind == "open" and note_id is None:
        raise InvalidInputError("what was opened is missing; give the note's id")
    with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        asked = fetch_experiment_query(connection, tenant, query_id)
        experiment = find_experiment(connection, tenant, str(asked.experiment_id))
        if experiment.state != "running":
            raise ConflictError(f"the experiment {experiment.name!r} has ended; its answers take no more feedback")
        if note_id is not None and note_id not in asked.served_notes:
            raise InvalidInputError(f"the answer {query_id} did not hold the note {note_id}")
        return write_feedback(connection, tenant, query_id, note_id=note_id, kind=kind)
