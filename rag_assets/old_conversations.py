"""Conversations that nobody has spoken in: idle ones end, and those that are older than they are kept are deleted, every night."""

import dagster as dg

from rag_assets.stages import OWNERS
from rag_core.conversation.sessions import end_idle_sessions, idle_since, kept_since, purge_sessions
from rag_core.runtime.engine import Engine
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


@dg.job(
    name="forget_conversations",
    owners=OWNERS,
    tags={"brain/purpose": "retention"},
    description="Delete conversations that nobody has spoken in for BRAIN_SESSION_DAYS; the figures of their questions stay.",
)
def forget_conversations() -> None:
    """The one step."""
    delete_old_conversations()


def forgetting_schedule(timezone: str) -> dg.ScheduleDefinition:
    """The schedule that deletes old conversations, at 5:00 in that zone."""
    return dg.ScheduleDefinition(
        name="nightly_forgetting",
        job=forget_conversations,
        cron_schedule=BEFORE_THE_VERIFICATION,
        execution_timezone=timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        tags={"brain/purpose": "retention"},
        description="Every night: delete conversations that nobody has spoken in for as long as BRAIN_SESSION_DAYS says.",
    )
