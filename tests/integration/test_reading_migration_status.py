"""Counts in the status of a migration."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from attached_notes import ask, attach_texts, put_state

from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.migration.status import read_migration_status
from rag_core.operation.status import read_status
from rag_core.storage.batches import pending_batches, register_batches

RUN = """
insert into brain.evaluation_runs (
    tenant_id, run_id, set_name, set_version, config_hash, config, models, pipeline_fingerprint, hit_rate_at_1,
    hit_rate_at_3, hit_rate_at_5, hit_rate_at_10, mrr, ndcg_at_10, recall_at_20, latency_p50_ms, latency_p95_ms,
    latency_p99_ms, total_queries, degraded_queries, failed_queries, purpose, strategy, circumstances, created_at
) values (%s, %s, 'default', 1, 'h', '{}', '{}', 'f', 0, 0, 0, %s, 0, 0, 0, 1, 1, 1, 1, 0, 0, %s, %s, %s, %s)
"""
QUERY = """
insert into brain.evaluation_queries (
    tenant_id, run_id, query_id, query, category, difficulty, relevant_note_ids, ranked_note_ids, ndcg_at_10,
    recall_at_20, latency_ms, is_degraded
) values (%s, %s, gen_random_uuid(), 'q', 'factual', 1, '{}', '{}', 0, 0, %s, false)
"""


def migrate(engine, tenant, keys) -> None:
    stage_notes(engine.database, tenant, keys, engine.pipeline)
    embed_staged(engine.database, tenant, keys, engine.pipeline)
    publish_staged(engine.database, tenant, keys, engine.pipeline)


def mark(engine, seconds_ago: dict[str, float | None]) -> None:
    with engine.database.owner() as connection:
        for external_id, seconds in seconds_ago.items():
            connection.execute(
                "update brain.notes set legacy_state = 'migrated', chunked_at = now() - make_interval(secs => %s) "
                "where external_id = %s",
                (seconds, external_id),
            )


def add_run(engine, tenant, *, purpose: str, strategy: str, hit_rate: float, minutes: int, migrated: int = 5) -> None:
    run_id, at = uuid4(), datetime.now(UTC) + timedelta(minutes=minutes)
    circumstances = f'{{"migratedNotes": {migrated}}}'
    with engine.database.owner() as connection:
        connection.execute(RUN, (tenant, run_id, hit_rate, purpose, strategy, circumstances, at))
        for latency in (10, 30):
            connection.execute(QUERY, (tenant, run_id, latency))


def test_a_tenant_without_notes_has_done_everything(engine, tenant) -> None:
    status = read_migration_status(engine.database, tenant)

    assert status.to_wire() == {
        "state": "not_started",
        "reason": None,
        "totalNotes": 0,
        "migratedNotes": 0,
        "remainingNotes": 0,
        "progressPercentage": 100.0,
        "errorCount": 0,
        "errors": [],
        "lastBatchTimestamp": None,
        "notesPerSecond": None,
        "estimatedCompletionTime": None,
        "legacy": {"attached": 0, "pending": 0, "migrated": 0},
        "batches": {"total": 0, "done": 0},
        "chunks": 0,
        "currentMetrics": None,
        "baselineMetrics": None,
    }


def test_attached_notes_are_to_come_and_migrated_ones_are_done(engine, tenant, make_note) -> None:
    make_note("Nota propia.")
    attach_texts(engine, tenant, (f"Nota antigua {number}." for number in range(150)))
    register_batches(engine.database, tenant)
    migrate(engine, tenant, pending_batches(engine.database, tenant)[:1])

    status = read_migration_status(engine.database, tenant)

    assert status.state == "running"
    assert status.notes == 151
    assert status.chunked_notes == 100
    assert status.remaining == 51
    assert status.percent == 66.22
    assert status.attached == 150
    assert status.pending == 50
    assert status.migrated == 100
    assert status.batches == 2
    assert status.batches_done == 1
    assert status.chunks == 151
    assert ask(engine, tenant, "select max(chunked_at) from notes") == [(status.last_mark,)]


def test_the_rate_is_of_the_last_ten_minutes_and_tells_the_end(engine, tenant) -> None:
    attach_texts(engine, tenant, (f"Nota {number}." for number in range(8)))
    mark(engine, {"0": 3600, "1": 100, "2": 60, "3": 0, "4": 0})

    status = read_migration_status(engine.database, tenant)

    assert status.notes_per_second == pytest.approx(0.03)
    assert status.estimated_completion is not None
    assert (status.estimated_completion - status.now).total_seconds() == pytest.approx(3 / 0.03, abs=1)


def test_a_note_that_failed_for_good_is_not_waited_for(engine, tenant) -> None:
    attach_texts(engine, tenant, (f"Nota {number}." for number in range(5)))
    mark(engine, {"0": 100, "1": 0})
    with engine.database.owner() as connection:
        connection.execute(
            "insert into brain.migration_failures (tenant_id, source, external_id, note_id, stage, attempts, reason) "
            "select tenant_id, source, external_id, note_id, 'embedding', 3, 'no' from brain.notes where external_id = '4'"
        )

    status = read_migration_status(engine.database, tenant)

    assert status.pending == 3
    assert status.waiting == 2
    assert status.estimated_completion is not None
    assert (status.estimated_completion - status.now).total_seconds() == pytest.approx(200, abs=1)


def test_notes_that_are_not_legacy_ones_have_no_part_in_the_rate(engine, tenant, make_note) -> None:
    attach_texts(engine, tenant, ["Una.", "Otra.", "Y otra."])
    mark(engine, {"0": 100, "1": 0})
    make_note("Una nota de ahora.", external_id="nueva")
    keys = register_batches(engine.database, tenant)
    migrate(engine, tenant, [key for key in keys if "legacy" not in key])

    status = read_migration_status(engine.database, tenant)

    assert status.chunked_notes == 3
    assert status.notes_per_second == pytest.approx(0.01)


def test_a_note_that_is_made_anew_keeps_its_mark(engine, tenant, make_note, index_notes) -> None:
    make_note("Una nota de ahora.", external_id="nueva")
    index_notes()
    mark(engine, {"nueva": 3600})
    with engine.database.owner() as connection:
        connection.execute("update brain.notes set indexed_fingerprint = 'otra'")
    before = ask(engine, tenant, "select chunked_at from notes")

    index_notes()

    assert ask(engine, tenant, "select indexed_fingerprint from notes") == [(engine.pipeline.fingerprint,)]
    assert ask(engine, tenant, "select chunked_at from notes") == before


@pytest.mark.parametrize("marks", [{}, {"0": 3600, "1": 1800}, {"0": 30, "1": 30}])
def test_without_two_recent_moments_there_is_neither_rate_nor_end(engine, tenant, marks) -> None:
    attach_texts(engine, tenant, (f"Nota {number}." for number in range(3)))
    with engine.database.owner() as connection:
        for external_id, seconds in marks.items():
            connection.execute(
                "update brain.notes set chunked_at = date_trunc('minute', now()) - make_interval(secs => %s) "
                "where external_id = %s",
                (seconds, external_id),
            )

    status = read_migration_status(engine.database, tenant)

    assert status.notes_per_second is None
    assert status.estimated_completion is None


@pytest.mark.parametrize("state", ["stopped", "rolled_back", "finished"])
def test_what_does_not_run_has_no_end(engine, tenant, state) -> None:
    attach_texts(engine, tenant, (f"Nota {number}." for number in range(3)))
    mark(engine, {"0": 60, "1": 0})
    put_state(engine, tenant, state)

    status = read_migration_status(engine.database, tenant)

    assert status.notes_per_second is not None
    assert status.estimated_completion is None


def test_the_latest_failures_are_listed_and_all_are_counted(engine, tenant) -> None:
    attach_texts(engine, tenant, {f"{number:02}": "" for number in range(25)})
    note = attach_texts(engine, tenant, {"buena": "Nota."})
    with engine.database.owner() as connection:
        connection.execute(
            "insert into brain.migration_failures (tenant_id, source, external_id, note_id, stage, attempts, reason, "
            "last_failed_at) select tenant_id, source, external_id, note_id, 'embedding', 2, 'no cabe', now() + "
            "interval '1 minute' from brain.notes"
        )

    wire = read_migration_status(engine.database, tenant).to_wire()

    assert note.attached == 1
    assert wire["errorCount"] == 26
    assert len(wire["errors"]) == 20
    first = wire["errors"][0]
    assert first["externalId"] == "buena"
    assert first["stage"] == "embedding"
    assert first["attempts"] == 2
    assert first["error"] == "no cabe"
    assert ask(engine, tenant, "select note_id::text from notes") == [(first["noteId"],)]
    assert wire["errors"][1]["noteId"] is None
    assert wire["errors"][1]["lastFailedAt"].endswith("Z")


def test_retrieval_is_the_newest_evaluation_that_is_served_and_what_was_before(engine, tenant) -> None:
    attach_texts(engine, tenant, {"a": "Nota."})
    add_run(engine, tenant, purpose="migration", strategy="hybrid+rerank", hit_rate=0.9, minutes=1, migrated=0)
    add_run(engine, tenant, purpose="nightly", strategy="hybrid+rerank", hit_rate=0.8, minutes=2)
    add_run(engine, tenant, purpose="nightly", strategy="hybrid", hit_rate=0.1, minutes=3)
    add_run(engine, tenant, purpose="manual", strategy="hybrid+rerank", hit_rate=0.2, minutes=4)

    wire = read_migration_status(engine.database, tenant).to_wire()

    assert wire["currentMetrics"]["hitRateK10"] == 0.8
    assert wire["currentMetrics"]["avgLatencyMs"] == 20
    assert wire["baselineMetrics"]["hitRateK10"] == 0.9


def test_without_an_evaluation_before_it_the_promoted_baseline_is_what_was(engine, tenant) -> None:
    add_run(engine, tenant, purpose="nightly", strategy="hybrid+rerank", hit_rate=0.7, minutes=-60)
    with engine.database.owner() as connection:
        connection.execute(
            "insert into brain.evaluation_baselines (tenant_id, set_name, strategy, run_id, is_automatic) "
            "select tenant_id, set_name, strategy, run_id, true from brain.evaluation_runs"
        )

    wire = read_migration_status(engine.database, tenant).to_wire()

    assert wire["baselineMetrics"]["hitRateK10"] == wire["currentMetrics"]["hitRateK10"] == 0.7


def test_other_tenants_are_not_counted(engine, tenant, make_note) -> None:
    attach_texts(engine, tenant, {"a": "Nota.", "b": ""})

    other = read_migration_status(engine.database, "otra")

    assert other.notes == 0
    assert other.attached == 0
    assert other.failures == 0
    assert other.state == "not_started"


class TestOfEverything:
    def test_what_waits_for_the_migration_is_not_stale(self, engine, tenant, make_note) -> None:
        make_note("Nota propia.")
        attach_texts(engine, tenant, {"a": "Nota antigua.", "b": ""})

        found = read_status(engine, tenant)

        assert found["notes"] == 2
        assert found["stale_notes"] == 1
        assert found["migration"] == {
            "state": "running",
            "percent": 0.0,
            "remaining": 2,
            "pending": 1,
            "failures": 1,
            "notes_per_second": None,
            "estimated_completion": None,
        }

    def test_batches_whose_graph_is_unread_are_counted(self, engine, tenant, make_note, index_notes) -> None:
        make_note("Dormí mal porque discutí con Rosa.")
        attach_texts(engine, tenant, {"a": "Nota antigua."})
        index_notes()

        assert read_status(engine, tenant)["batches_without_graph"] == 1
