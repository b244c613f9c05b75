"""Two that index the same notes at once: the nightly run beside `brain index`, or the API beside either."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.note import NoteId, TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage import staging
from rag_core.storage.batches import register_batches
from rag_core.storage.checks import run_check
from rag_core.storage.database import Database

MakeNote = Callable[..., NoteId]

BATCHES = ["pruebas-000000"]


def test_a_note_that_another_publishes_meanwhile_keeps_its_chunks(
    engine: Engine, tenant: TenantId, make_note: MakeNote
) -> None:
    database, pipeline = engine.database, engine.pipeline
    note = make_note("Riego el huerto los martes.")
    register_batches(database, tenant)
    stage_notes(database, tenant, BATCHES, pipeline)
    embed_staged(database, tenant, BATCHES, pipeline)

    with ThreadPoolExecutor(1) as other:
        with database.transaction(tenant) as connection:
            staging.publish_notes(connection, tenant, [note], model=pipeline.model, fingerprint=pipeline.fingerprint)
            second = other.submit(publish_staged, database, tenant, BATCHES, pipeline)
            _wait_until_one_waits(database)
        report = second.result(timeout=30)

    assert report.published == 0
    assert run_check(database, tenant, "check_lost_notes").violations == 0
    assert run_check(database, tenant, "check_vectors", model=pipeline.model).violations == 0


def test_two_runs_over_the_same_batches_both_succeed(engine: Engine, tenant: TenantId, make_note: MakeNote) -> None:
    database, pipeline = engine.database, engine.pipeline
    for number in range(60):
        make_note(f"La nota {number} habla del huerto, del pozo y de la cosecha número {number % 7}.")
    register_batches(database, tenant)
    together = threading.Barrier(2)

    def run() -> int:
        together.wait()
        stage_notes(database, tenant, BATCHES, pipeline, is_full=True)
        embed_staged(database, tenant, BATCHES, pipeline)
        return publish_staged(database, tenant, BATCHES, pipeline).published

    with ThreadPoolExecutor(2) as both:
        published = [future.result(timeout=60) for future in [both.submit(run), both.submit(run)]]

    assert sum(published) >= 60
    for check in ("check_lost_notes", "check_postings", "check_staged_leftovers"):
        assert run_check(database, tenant, check).examples == ()
    assert run_check(database, tenant, "check_statistics").examples == ()


def _wait_until_one_waits(database: Database) -> None:
    """Until some session waits for a lock, ten seconds at most."""
    waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    with database.owner() as connection:
        for _ in range(500):
            if connection.execute(waiting).fetchone() != (0,):
                return
            connection.execute("select pg_sleep(0.02)")
    raise AssertionError("nobody waits")


def test_a_write_that_met_a_deadlock_is_done_again(engine, tenant) -> None:
    begun = threading.Barrier(2, timeout=10)
    times: list[str] = []

    def lock(name: str, first: int, second: int) -> None:
        def run(connection) -> None:
            times.append(name)
            connection.execute("select pg_advisory_xact_lock(%s)", (first,)).fetchone()
            if times.count(name) == 1:
                begun.wait()
            connection.execute("select pg_advisory_xact_lock(%s)", (second,))

        engine.database.write(tenant, run)

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(lock, "a", 1, 2), threads.submit(lock, "b", 2, 1)]:
            done.result(timeout=30)

    assert len(times) == 3
