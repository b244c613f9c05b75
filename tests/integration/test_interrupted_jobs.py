"""Jobs that are cancelled, or whose server ends."""

import threading
import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import pytest
from stepping_jobs import SECONDS, Stepping, _sql, eventually
from stepping_jobs import runner as runner  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.errors import JobCancelledError
from rag_core.evaluation.jobs import queue as jobs
from rag_core.evaluation.jobs.queue import (
    JobProgress,
    cancel,
    fetch_job,
    register,
    running_jobs,
    submit,
)
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.jobs import claim_job


@pytest.fixture(autouse=True)
def _functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_functions", {})


class TestCancelling:
    def test_a_queued_job_is_cancelled_at_once(self, engine, tenant) -> None:
        register("tuning", lambda *_: {})
        job_id = submit(engine.database, tenant, "tuning", {})

        cancelled = cancel(engine.database, tenant, job_id)

        assert (cancelled.state, cancelled.finished_at is not None) == ("cancelled", True)
        with engine.database.owner() as owner:
            assert claim_job(owner, worker="w", kinds=["tuning"]) is None

    def test_a_running_job_ends_at_its_next_step(self, engine, tenant, runner, monkeypatch) -> None:
        monkeypatch.setattr(jobs, "REPORT_SECONDS", 0.0)
        work = Stepping()
        register("tuning", work)
        job_id = submit(engine.database, tenant, "tuning", {})
        assert work.begun.wait(SECONDS)

        asked = cancel(engine.database, tenant, job_id)
        work.permits.release(3)

        assert (asked.state, asked.is_cancel_wanted) == ("running", True)
        cancelled = eventually(engine.database, tenant, job_id, "cancelled")
        assert (cancelled.result, cancelled.done) == (None, 1)

    def test_a_step_that_takes_long_hears_it_by_the_heartbeat(self, engine, tenant, runner, monkeypatch) -> None:
        monkeypatch.setattr(jobs, "HEARTBEAT_SECONDS", 0.05)
        begun = threading.Event()

        def wait(
            _engine: Engine, _tenant: TenantId, _asked: Mapping[str, Any], progress: JobProgress
        ) -> dict[str, Any]:
            begun.set()
            end = time.monotonic() + SECONDS
            while not progress.should_stop() and time.monotonic() < end:
                time.sleep(0.02)
            raise JobCancelledError("heard")

        register("tuning", wait)
        job_id = submit(engine.database, tenant, "tuning", {})
        assert begun.wait(SECONDS)

        cancel(engine.database, tenant, job_id)

        eventually(engine.database, tenant, job_id, "cancelled")

    def test_a_job_that_has_ended_stays_as_it_is(self, engine, tenant, runner) -> None:
        register("tuning", lambda *_: {"figure": 1})
        job_id = submit(engine.database, tenant, "tuning", {})
        eventually(engine.database, tenant, job_id, "completed")

        after = cancel(engine.database, tenant, job_id)

        assert (after.state, after.result, after.is_cancel_wanted) == ("completed", {"figure": 1}, False)


class TestServersThatEnd:
    def test_a_queued_job_is_done_by_the_next_server(self, engine, tenant) -> None:
        register("tuning", lambda *_: {})
        job_id = submit(engine.database, tenant, "tuning", {})

        with running_jobs(engine.database, lambda: engine, poll_seconds=0.02):
            eventually(engine.database, tenant, job_id, "completed")

    def test_a_job_under_way_is_queued_again_when_its_server_ends(self, engine, tenant) -> None:
        work = Stepping()
        register("tuning", work)
        job_id = submit(engine.database, tenant, "tuning", {})

        with running_jobs(engine.database, lambda: engine, poll_seconds=0.02):
            assert work.begun.wait(SECONDS)
            threading.Timer(0.2, lambda: work.permits.release(3)).start()

        job = fetch_job(engine.database, tenant, job_id)
        assert (job.state, job.done, job.started_at) == ("queued", 0, None)

    def test_a_job_that_does_not_come_to_its_next_step_is_given_back(self, engine, tenant, monkeypatch) -> None:
        monkeypatch.setattr(jobs, "STOP_SECONDS", 0.1)
        work = Stepping()
        register("tuning", work)
        job_id = submit(engine.database, tenant, "tuning", {})

        with running_jobs(engine.database, lambda: engine, poll_seconds=0.02):
            assert work.begun.wait(SECONDS)

        assert fetch_job(engine.database, tenant, job_id).state == "queued"
        work.permits.release(3)

    def test_a_killed_servers_job_has_failed_with_a_remedy(self, engine, tenant, database_url) -> None:
        register("tuning", lambda *_: {})
        lost, recent = (submit(engine.database, tenant, "tuning", {}) for _ in range(2))
        with engine.database.owner() as owner:
            for _ in range(2):
                claim_job(owner, worker="gone", kinds=["tuning"])
        _age(database_url, lost, seconds=61)
        _age(database_url, recent, seconds=50)

        with running_jobs(engine.database, lambda: engine, poll_seconds=0.02):
            failed = eventually(engine.database, tenant, lost, "failed")

        assert "ask for the job again" in failed.error
        assert fetch_job(engine.database, tenant, recent).state == "running"

    def test_a_worker_that_was_given_up_stores_nothing(self, engine, tenant, runner, database_url, monkeypatch) -> None:
        monkeypatch.setattr(jobs, "REPORT_SECONDS", 0.0)
        work = Stepping()
        register("tuning", work)
        job_id = submit(engine.database, tenant, "tuning", {})
        assert work.begun.wait(SECONDS)

        _sql(database_url, "update brain.evaluation_jobs set state = 'failed', error = 'silent'")
        work.permits.release(3)
        done = threading.Event()
        register("evaluation", lambda *_: done.set() or {})
        submit(engine.database, tenant, "evaluation", {})

        assert done.wait(SECONDS)
        assert (fetch_job(engine.database, tenant, job_id).state, fetch_job(engine.database, tenant, job_id).error) == (
            "failed",
            "silent",
        )

    def test_two_servers_never_do_the_same_job(self, engine, tenant) -> None:
        counted: dict[int, int] = {}
        register("tuning", lambda _e, _t, asked, _p: counted.update({asked["n"]: counted.get(asked["n"], 0) + 1}) or {})
        ids = [submit(engine.database, tenant, "tuning", {"n": n}) for n in range(12)]

        with (
            running_jobs(engine.database, lambda: engine, poll_seconds=0.01),
            running_jobs(engine.database, lambda: engine, poll_seconds=0.01),
        ):
            for job_id in ids:
                eventually(engine.database, tenant, job_id, "completed")

        assert counted == dict.fromkeys(range(12), 1)


def _age(database_url: str, job_id: UUID, *, seconds: int) -> None:
    _sql(
        database_url,
        "update brain.evaluation_jobs set heartbeat_at = now() - make_interval(secs => %s) where job_id = %s",
        seconds,
        job_id,
    )
