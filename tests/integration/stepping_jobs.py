"""Jobs that go on step by step."""

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

import psycopg
import pytest

from rag_core.evaluation.jobs.queue import (
    JobProgress,
    JobRunner,
    fetch_job,
    running_jobs,
)
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.database import Database
from rag_core.storage.jobs import Job

SECONDS = 20


def eventually(database: Database, tenant: TenantId, job_id: UUID, state: str) -> Job:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        job = fetch_job(database, tenant, job_id)
        if job.state == state:
            return job
        time.sleep(0.02)
    raise AssertionError(f"the job is {job.state}, not {state}: {job.error}")


@pytest.fixture
def runner(engine: Engine) -> Iterator[JobRunner]:
    with running_jobs(engine.database, lambda: engine, poll_seconds=0.02) as opened:
        yield opened


class Stepping:
    """A job that reports a step whenever it is let."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.permits = threading.Semaphore(0)

    def __call__(
        self, _engine: Engine, _tenant: TenantId, _asked: Mapping[str, Any], progress: JobProgress
    ) -> dict[str, Any]:
        for step in range(3):
            progress.report("steps", step, 3)
            self.begun.set()
            assert self.permits.acquire(timeout=SECONDS)
        progress.report("steps", 3, 3)
        return {"steps": 3}


def _sql(database_url: str, statement: str, *values: object) -> None:
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(statement, values)
