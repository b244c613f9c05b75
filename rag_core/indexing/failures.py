"""Notes the pipeline failed at: remembered with the reason, tried a few times, and never in the way of the others."""

from collections.abc import Mapping

from rag_core.model.note import NoteId, TenantId
from rag_core.storage import migration_control as store
from rag_core.storage.database import Database
from rag_core.storage.migration_control import MAX_ATTEMPTS, FailureStage

__all__ = ["MAX_ATTEMPTS", "record_failures"]

_MAX_REASON_CHARACTERS = 1000


def record_failures(
    database: Database, tenant: TenantId, reasons: Mapping[NoteId, str], *, stage: FailureStage, fingerprint: str
) -> int:
    """Remember that a run failed at these notes, and forget what is staged of them; how many of them there are.

    A note that failed before has one attempt more, and the newest stage and reason. One that is live as ``fingerprint`` says
    is not remembered: it is as the run wanted it, by another run or from before.
    """
    if not reasons:
        return 0
    short = {note: reason[:_MAX_REASON_CHARACTERS] for note, reason in reasons.items()}
    return database.write(
        tenant,
        lambda connection: store.record_failures(connection, tenant, short, stage=stage, fingerprint=fingerprint),
    )
