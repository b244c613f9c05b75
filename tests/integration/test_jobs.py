"""Jobs on a real database: queued, done by a thread, cancelled, and what becomes of them when a server ends."""

import dataclasses
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from stepping_jobs import SECONDS, Stepping, _sql, eventually
from stepping_jobs import runner as runner  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.errors import InvalidInputError, NotFoundError, TooManyJobsError
from rag_core.evaluation.jobs import queue as jobs
from rag_core.evaluation.jobs.queue import (
    JobProgress,
    cancel,
    fetch_job,
    list_jobs,
    register,
    running_jobs,
    submit,
)
from rag_core.evaluation.jobs.settings import asked_under
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.jobs import claim_job, fail_unfitting_jobs, requeue_job


@pytest.fixture(autouse=True)
def _functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_functions", {})


class TestRunning:
    def test_a_job_is_done_with_its_parameters_for_its_tenant(self, engine, tenant, runner) -> None:
        register("tuning", lambda _engine, owner, asked, _progress: {"asked": dict(asked), "tenant": owner})

        job_id = submit(engine.database, tenant, "tuning", {"minutes": 5})

        done = eventually(engine.database, tenant, job_id, "completed")
        assert done.result == {"asked": {"minutes": 5}, "tenant": "pruebas"}
        assert (done.error, done.is_cancel_wanted) == (None, False)
        assert done.created_at <= done.started_at <= done.finished_at

    def test_its_progress_can_be_read_meanwhile(self, engine, tenant, runner) -> None:
        work = Stepping()
        register("tuning", work)
        job_id = submit(engine.database, tenant, "tuning", {})

        assert work.begun.wait(SECONDS)
        at_work = eventually(engine.database, tenant, job_id, "running")
        work.permits.release(3)

        assert (at_work.stage, at_work.done, at_work.total) == ("steps", 0, 3)
        assert eventually(engine.database, tenant, job_id, "completed").done == 3

    def test_a_failure_is_told(self, engine, tenant, runner) -> None:
        def fail(*_: object) -> dict[str, Any]:
            raise InvalidInputError("the set is empty; import one")

        register("tuning", fail)

        failed = eventually(engine.database, tenant, submit(engine.database, tenant, "tuning", {}), "failed")

        assert failed.error == "the set is empty; import one"

    def test_a_defect_fails_its_job_and_no_other(self, engine, tenant, runner) -> None:
        def divide(
            _engine: Engine, _tenant: TenantId, asked: Mapping[str, Any], _progress: JobProgress
        ) -> dict[str, Any]:
            return {"quotient": 1 / asked["by"]}

        register("tuning", divide)

        first, second = (submit(engine.database, tenant, "tuning", {"by": by}) for by in (0, 2))

        assert "defect of the program (ZeroDivisionError)" in eventually(engine.database, tenant, first, "failed").error
        assert eventually(engine.database, tenant, second, "completed").result == {"quotient": 0.5}

    def test_one_is_done_at_a_time_and_the_oldest_first(self, engine, tenant, runner) -> None:
        at_work, most, order = 0, 0, []

        def watch(
            _engine: Engine, _tenant: TenantId, asked: Mapping[str, Any], _progress: JobProgress
        ) -> dict[str, Any]:
            nonlocal at_work, most
            at_work += 1
            most = max(most, at_work)
            order.append(asked["number"])
            time.sleep(0.02)
            at_work -= 1
            return {}

        register("tuning", watch)

        ids = [submit(engine.database, tenant, "tuning", {"number": number}) for number in range(4)]
        for job_id in ids:
            eventually(engine.database, tenant, job_id, "completed")

        assert (most, order) == (1, [0, 1, 2, 3])

    def test_jobs_are_listed_newest_first_and_by_kind(self, database, tenant) -> None:
        first = submit(database, tenant, "tuning", {})
        second = submit(database, tenant, "evaluation", {})

        assert [job.job_id for job in list_jobs(database, tenant)] == [second, first]
        assert [job.job_id for job in list_jobs(database, tenant, kind="tuning")] == [first]
        assert [job.job_id for job in list_jobs(database, tenant, limit=1)] == [second]

    def test_a_kind_that_this_server_cannot_do_is_left_for_others(self, engine, tenant) -> None:
        register("tuning", lambda *_: {})
        job_id = submit(engine.database, tenant, "evaluation", {})

        with engine.database.owner() as owner:
            claimed = claim_job(owner, worker="w", kinds=["tuning"])

        assert claimed is None
        assert fetch_job(engine.database, tenant, job_id).state == "queued"


class TestTenants:
    def test_another_tenant_sees_no_job(self, database, tenant, database_url) -> None:
        with psycopg.connect(database_url, autocommit=True) as owner:
            owner.execute("insert into brain.tenants (tenant_id) values ('otra')")
        job_id = submit(database, tenant, "tuning", {})

        assert list_jobs(database, TenantId("otra")) == []
        with pytest.raises(NotFoundError):
            fetch_job(database, TenantId("otra"), job_id)
        with pytest.raises(NotFoundError):
            cancel(database, TenantId("otra"), job_id)
        assert fetch_job(database, tenant, job_id).is_cancel_wanted is False

    def test_an_unknown_job_is_not_found(self, database, tenant) -> None:
        with pytest.raises(NotFoundError, match="no job"):
            fetch_job(database, tenant, uuid4())


class TestManyJobs:
    @pytest.fixture
    def other(self, database_url: str) -> TenantId:
        _sql(database_url, "insert into brain.tenants (tenant_id) values ('otra')")
        return TenantId("otra")

    def test_a_tenant_has_twenty_unfinished_jobs_at_most(self, database, tenant, other) -> None:
        ids = [submit(database, tenant, "tuning", {}) for _ in range(20)]

        with pytest.raises(TooManyJobsError, match="20 unfinished jobs"):
            submit(database, tenant, "evaluation", {})
        submit(database, other, "tuning", {})
        cancel(database, tenant, ids[0])

        submit(database, tenant, "evaluation", {})
        assert len(list_jobs(database, tenant)) == 21

    def test_those_that_are_asked_for_at_once_are_counted_too(self, database, tenant) -> None:
        def ask(_: int) -> bool:
            try:
                submit(database, tenant, "tuning", {})
            except TooManyJobsError:
                return False
            return True

        with ThreadPoolExecutor(4) as threads:
            taken = sum(threads.map(ask, range(28)))

        assert taken == len(list_jobs(database, tenant)) == 20

    def test_tenants_take_turns(self, database, tenant, other) -> None:
        mine = [submit(database, tenant, "tuning", {}) for _ in range(3)]
        theirs = [submit(database, other, "tuning", {}) for _ in range(2)]

        with database.owner() as owner:
            order = [claim_job(owner, worker="w", kinds=["tuning"]) for _ in range(5)]

        assert [claimed.job_id for claimed in order] == [mine[0], theirs[0], mine[1], theirs[1], mine[2]]


class TestSettings:
    """A job is done under the settings it was asked under."""

    def test_a_server_with_other_settings_leaves_a_job_to_one_that_has_them(self, engine, tenant) -> None:
        register("tuning", lambda doing, *_: {"chat_model": doing.settings.chat_model})
        asking, other = engine.settings.model_copy(update={"chat_model": "llama"}), engine
        job_id = submit(engine.database, tenant, "tuning", {}, settings=asking)

        with running_jobs(engine.database, lambda: other, poll_seconds=0.02):
            own = submit(engine.database, tenant, "tuning", {}, settings=other.settings)
            assert eventually(engine.database, tenant, own, "completed").result == {"chat_model": None}
            assert fetch_job(engine.database, tenant, job_id).state == "queued"

        fitting = dataclasses.replace(engine, settings=asking)
        with running_jobs(engine.database, lambda: fitting, poll_seconds=0.02):
            assert eventually(engine.database, tenant, job_id, "completed").result == {"chat_model": "llama"}

    def test_where_a_home_is_or_a_port_is_no_difference(self, engine, tenant, runner) -> None:
        register("tuning", lambda *_: {})
        elsewhere = engine.settings.model_copy(update={"api_port": 8123, "home": engine.settings.home / "other"})

        job_id = submit(engine.database, tenant, "tuning", {}, settings=elsewhere)

        eventually(engine.database, tenant, job_id, "completed")

    def test_a_job_that_no_server_fits_fails_in_words(self, engine, tenant, monkeypatch, database_url) -> None:
        monkeypatch.setattr(jobs, "UNFIT_SECONDS", 0.3)
        gone = engine.settings.model_copy(update={"chat_model": "llama", "judge_model": "judge"})
        job_id = submit(engine.database, tenant, "tuning", {}, settings=gone)

        with running_jobs(engine.database, lambda: engine, poll_seconds=0.02):
            failed = eventually(engine.database, tenant, job_id, "failed")

        assert "chat model llama, judge judge, re-ranker embedded" in failed.error
        assert "ask for the job again" in failed.error

    def test_a_job_that_waits_while_its_server_is_busy_does_not_fail(self, engine, tenant, database_url) -> None:
        asking = engine.settings.model_copy(update={"chat_model": "llama"})
        running, waiting = (submit(engine.database, tenant, "tuning", {}, settings=asking) for _ in range(2))
        _sql(database_url, "update brain.evaluation_jobs set queued_at = now() - interval '1 h'")
        with engine.database.owner() as owner:
            claim_job(owner, worker="w", kinds=["tuning"], fingerprint=asked_under(asking)["fingerprint"])

            while_busy = fail_unfitting_jobs(owner, fingerprint="other", seconds=60, error="unfit")
            owner.execute("update brain.evaluation_jobs set started_at = now() - interval '1 h', heartbeat_at = null")
            once_gone = fail_unfitting_jobs(owner, fingerprint="other", seconds=60, error="unfit")

        assert (while_busy, once_gone) == ([], [waiting])
        assert fetch_job(engine.database, tenant, running).state == "running"

    def test_a_job_that_was_given_back_waits_anew(self, engine, tenant, database_url) -> None:
        submit(engine.database, tenant, "tuning", {}, settings=engine.settings)
        _sql(database_url, "update brain.evaluation_jobs set queued_at = now() - interval '1 h'")
        with engine.database.owner() as owner:
            mine = asked_under(engine.settings)["fingerprint"]
            claimed = claim_job(owner, worker="w", kinds=["tuning"], fingerprint=mine)
        with engine.database.transaction(tenant) as connection:
            requeue_job(connection, claimed)

        with engine.database.owner() as owner:
            assert fail_unfitting_jobs(owner, fingerprint="other", seconds=60, error="unfit") == []
