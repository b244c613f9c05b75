"""Conversations that nobody has spoken in, and versions of notes: what is older than it is kept is deleted every night."""

import dagster as dg

from rag_assets.stages import OWNERS
from rag_core.conversation.sessions import end_idle_sessions, idle_since, kept_since, purge_sessions
from rag_core.runtime.engine import Engine
from rag_core.storage import note_versions
from rag_core.storage.batches import list_tenants

BEFORE_THE_VERIFICATION = "0 5 * * *"


@dg.op(
    description="End, of every tenant, the conversations that are idle for BRAIN_SESSION_IDLE_MINUTES, and delete those whose last "
    "question is longer ago than BRAIN_SESSION_DAYS."
)
def delete_old_conversations(context: dg.OpExecutionContext, engine: dg.ResourceParam[Engine]) -> None:
    """Delete and end them, and say how many there were."""
    before, idle = kept_since(engine.settings), idle_since(engine.settings)
    tenants = list_tenants(engine.database)
    deleted = sum(purge_sessions(engine.database, tenant, before=before) for tenant in tenants)
    ended = sum(end_idle_sessions(engine.database, tenant, before=idle) for tenant in tenants)
    context.add_output_metadata({"deleted": deleted, "ended": ended, "before": before.isoformat()})


@dg.op(
    description="Delete, of every tenant, versions of notes that were changed or deleted longer ago than BRAIN_NOTE_VERSION_DAYS."
)
def delete_old_versions(context: dg.OpExecutionContext, engine: dg.ResourceParam[Engine]) -> None:
    """Delete them, and say how many there were."""
    before = note_versions.kept_since(engine.settings.note_version_days)
    tenants = list_tenants(engine.database)
    deleted = sum(note_versions.purge_versions(engine.database, tenant, before=before) for tenant in tenants)
    context.add_output_metadata({"deleted": deleted, "before": before.isoformat()})


@dg.job(
    name="forget_conversations",
    owners=OWNERS,
    tags={"brain/purpose": "retention"},
    description="Delete conversations that nobody has spoken in for BRAIN_SESSION_DAYS, whose questions' figures stay, and old "
    "versions of notes.",
)
def forget_conversations() -> None:
    """The two steps."""
    delete_old_conversations()
    delete_old_versions()


def forgetting_schedule(timezone: str) -> dg.ScheduleDefinition:
    """The schedule that deletes old conversations, at 5:00 in that zone."""
    return dg.ScheduleDefinition(
        name="nightly_forgetting",
        job=forget_conversations,
        cron_schedule=BEFORE_THE_VERIFICATION,
        execution_timezone=timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        tags={"brain/purpose": "retention"},
        description="Every night: delete conversations older than BRAIN_SESSION_DAYS and versions older than BRAIN_NOTE_VERSION_DAYS.",
    )
