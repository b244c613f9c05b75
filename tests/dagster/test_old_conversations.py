"""The nightly job that deletes conversations, run without a Dagster server."""

from datetime import timedelta

import dagster as dg

from rag_assets.definitions import build_definitions
from rag_core.conversation.sessions import begin_session
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine


def test_of_every_tenant_old_conversations_are_deleted_and_idle_ones_ended(
    engine: Engine, instance: dg.DagsterInstance
) -> None:
    idle = begin_session(engine.database, TenantId("otra"), settings=engine.settings, user_hash="ben").id
    old = [
        begin_session(engine.database, TenantId(name), settings=engine.settings, user_hash="ana").id
        for name in ("una", "otra")
    ]
    kept = begin_session(engine.database, TenantId("una"), settings=engine.settings, user_hash="ana").id
    with engine.database.owner() as connection:
        connection.execute(
            "update brain.sessions set last_at = now() - %s where session_id = any(%s)", (timedelta(days=31), old)
        )
        connection.execute(
            "update brain.sessions set last_at = now() - interval '2 hours' where session_id = %s", (idle,)
        )

    job = build_definitions({"engine": engine}).resolve_job_def("forget_conversations")
    result = job.execute_in_process(instance=instance)

    output = next(event for event in result.all_events if event.event_type_value == "STEP_OUTPUT")
    assert output.step_output_data.metadata["deleted"].value == 2
    assert output.step_output_data.metadata["ended"].value == 1
    with engine.database.owner() as connection:
        left = connection.execute("select session_id, ended_at is null from brain.sessions").fetchall()
    assert set(left) == {(kept, True), (idle, False)}
