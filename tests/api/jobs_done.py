"""Waiting jobs of uploads, done in the test's own thread."""

from collections.abc import Callable

from rag_core.evaluation.jobs.queue import JobRunner
from rag_core.runtime.engine import Engine
from rag_core.storage.jobs import claim_job
from rag_core.uploads import ingestion

DoJobs = Callable[[], None]


def do_waiting(engine: Engine) -> None:
    """Do the jobs that wait, one after another."""
    assert ingestion.PARSING  # importing it registers the kind of job
    runner = JobRunner(engine.database, lambda: engine, poll_seconds=0)
    while True:
        with engine.database.owner() as owner:
            job = claim_job(owner, worker=runner.worker, kinds=["ingestion"])
        if job is None:
            return
        runner._do(job)
