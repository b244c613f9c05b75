"""Jobs: what takes too long for a request is queued, and done by a thread of `brain serve`, one at a time.

Uploads have a thread of their own.

A job outlives its server: a queued one is done by the next server, one that a server gives up when it ends is queued again,
and one whose server was killed has failed, with a remedy, or is begun again (``REPEATED``). A server does only jobs that were
asked under its own settings (``job_settings``); one that no server fits fails after ``UNFIT_SECONDS``.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID, uuid4

from rag_core.errors import EvaluationCancelledError, JobCancelledError, RagError, TooManyJobsError
from rag_core.evaluation.jobs.settings import asked_under
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings
from rag_core.storage import jobs
from rag_core.storage.alerts import operator_connection
from rag_core.storage.database import Connection, Database
from rag_core.storage.jobs import ClaimedJob, Job, JobKind
from rag_core.storage.notes import hold_tenant
from rag_core.telemetry.logs import log_degraded, log_failed
from rag_core.telemetry.process_names import this_process

POLL_SECONDS = 1.0
HEARTBEAT_SECONDS = 5.0
SILENT_SECONDS = 60.0
UNFIT_SECONDS = 600.0
"""Seconds that a job waits for a server with its settings while others are up."""
LOOK_SECONDS = 3_600.0
"""Seconds after which a runner that has nothing to do looks again for work that nobody asked for."""
REPORT_SECONDS = 0.5
"""Progress within a stage is written no oftener."""
STOP_SECONDS = 10.0
"""Seconds that a stopping server waits for a job to reach its next step."""
TIMEOUT_MS = 5_000
MAX_UNFINISHED = 20
"""Jobs that a tenant may have waiting or running."""
MAX_UPLOADS = 200
"""Uploads of a tenant that may wait to be parsed."""
REPEATED: frozenset[JobKind] = frozenset({"ingestion"})
"""Kinds of jobs that are begun again when their server was killed."""
MAX_ATTEMPTS = 3
"""A job that was under way so often when its server was killed has failed: it may be what kills them."""
DEFECT = "the job ended with a defect of the program ({name}); the server's log holds its stack"
SILENT = (
    f"the server that did this job gave no sign of life for {SILENT_SECONDS:.0f} s, so it was stopped or killed; "
    "ask for the job again"
)

UNFIT = (
    "it was asked for under other settings ({settings}), and for 10 minutes no server that has them did any job; start one with "
    "these settings, or ask for the job again"
)


class JobProgress:
    """Progress of one job; the job reports it, and learns by it of its cancellation."""

    def __init__(self, database: Database, job: ClaimedJob, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.job = job
        self._database = database
        self._clock = clock
        self._stage: str | None = None
        self._written_at = 0.0
        self._stop = threading.Event()

    @property
    def job_id(self) -> UUID:
        """The job's own id."""
        return self.job.job_id

    def should_stop(self) -> bool:
        """True when cancellation was requested; known no more than ``HEARTBEAT_SECONDS`` late."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Let the next report raise."""
        self._stop.set()

    def report(self, stage: str, done: int, total: int | None = None) -> None:
        """Say that ``done`` of ``total`` steps of a stage are done.

        Raises:
            JobCancelledError: cancellation is wanted, or the job is no longer this worker's.
        """
        if self._is_due(stage, done, total):
            self._stage, self._written_at = stage, self._clock()
            with self._database.transaction(self.job.tenant) as connection:
                if not jobs.report_job(connection, self.job, stage=stage, done=done, total=total):
                    self.stop()
        self._check()

    def beat(self) -> None:
        """Give a sign of life, and hear whether cancellation is wanted."""
        with self._database.transaction(self.job.tenant) as connection:
            if not jobs.beat_job(connection, self.job):
                self.stop()

    def complete(self, connection: Connection, result: Mapping[str, Any]) -> None:
        """End the job in the transaction that stores what it made: both stay, or neither.

        Raises:
            JobCancelledError: the job is no longer this worker's.
        """
        if not jobs.finish_job(connection, self.job, state="completed", result=result):
            raise JobCancelledError(f"job {self.job_id} is no longer this server's")

    def _is_due(self, stage: str, done: int, total: int | None) -> bool:
        return stage != self._stage or done == total or self._clock() - self._written_at >= REPORT_SECONDS

    def _check(self) -> None:
        if self._stop.is_set():
            raise JobCancelledError(f"job {self.job_id} was cancelled")


JobFunction = Callable[[Engine, TenantId, Mapping[str, Any], JobProgress], dict[str, Any]]
"""Function of a job: its result is stored as JSON. It should report often, and change nothing before its last step."""

_functions: dict[JobKind, JobFunction] = {}


def register(kind: JobKind, function: JobFunction) -> None:
    """Let this function do the jobs of a kind in this process."""
    _functions[kind] = function


def submit(
    database: Database,
    tenant: TenantId,
    kind: JobKind,
    parameters: Mapping[str, Any],
    *,
    settings: Settings | None = None,
) -> UUID:
    """Queue a job; its id. A server that is free begins it within ``POLL_SECONDS``; tenants take turns.

    With ``settings`` only a server whose own have the same effect does it.

    Raises:
        TooManyJobsError: the tenant has ``MAX_UNFINISHED`` jobs waiting or running.
    """
    with database.transaction(tenant) as connection:
        hold_tenant(database, connection, tenant)
        return submit_in(connection, tenant, kind, parameters, settings=settings)


def submit_in(
    connection: Connection,
    tenant: TenantId,
    kind: JobKind,
    parameters: Mapping[str, Any],
    *,
    settings: Settings | None = None,
) -> UUID:
    """Queue a job in the caller's transaction, which holds the tenant; see ``submit``."""
    limit = MAX_UPLOADS if kind == "ingestion" else MAX_UNFINISHED
    job_id = jobs.insert_job(
        connection,
        tenant,
        kind=kind,
        parameters=parameters,
        asked_under=None if settings is None else asked_under(settings),
        limit=limit,
    )
    if job_id is None:
        raise TooManyJobsError(
            f"{tenant} has {limit} unfinished jobs, as many as it may; wait for one to end, or cancel one"
        )
    return job_id


def cancel(database: Database, tenant: TenantId, job_id: UUID) -> Job:
    """Cancel a job: a queued one at once, a running one at its next step; one that has ended stays as it is.

    Raises:
        NotFoundError: the tenant has no such job.
    """
    with database.transaction(tenant) as connection:
        jobs.request_cancellation(connection, tenant, job_id)
        return jobs.fetch_job(connection, tenant, job_id)


def fetch_job(database: Database, tenant: TenantId, job_id: UUID) -> Job:
    """One job.

    Raises:
        NotFoundError: the tenant has no such job.
    """
    with database.transaction(tenant) as connection:
        return jobs.fetch_job(connection, tenant, job_id)


def list_jobs(database: Database, tenant: TenantId, *, limit: int = 50, kind: JobKind | None = None) -> list[Job]:
    """Jobs newest first, of all kinds or of one."""
    with database.transaction(tenant) as connection:
        return jobs.list_jobs(connection, tenant, limit=limit, kind=kind)


@contextmanager
def running_jobs(
    database: Database,
    current_engine: Callable[[], Engine],
    *,
    prepare: Callable[[], None] = lambda: None,
    poll_seconds: float = POLL_SECONDS,
    takes: Callable[[JobKind], bool] = lambda _kind: True,
    find_work: Callable[[Connection], bool] = lambda _owner: False,
) -> Iterator["JobRunner"]:
    """Do jobs of all tenants while the block runs; ``current_engine`` gives each the engine of the active model.

    Kinds that it does not take are left to others. ``find_work`` is called when nothing waits: it queues a job that nobody asked
    for, or returns False.

    ``prepare`` registers the kinds of jobs, in the thread that does them: their modules take a second to load.
    """
    runner = JobRunner(database, current_engine, poll_seconds=poll_seconds, takes=takes, find_work=find_work)

    def run() -> None:
        prepare()
        runner.run()

    thread = threading.Thread(target=run, name="jobs", daemon=True)
    thread.start()
    try:
        yield runner
    finally:
        runner.stop()
        thread.join(STOP_SECONDS)
        runner.give_back()


class JobRunner:
    """One thread that takes a queued job, does it, and takes the next; tenants take turns."""

    def __init__(
        self,
        database: Database,
        current_engine: Callable[[], Engine],
        *,
        poll_seconds: float,
        takes: Callable[[JobKind], bool] = lambda _kind: True,
        find_work: Callable[[Connection], bool] = lambda _owner: False,
    ) -> None:
        self._takes = takes
        self._find_work, self._looks_at = find_work, 0.0
        self.worker = f"{this_process()}/{uuid4()}"
        self._database = database
        self._current_engine = current_engine
        self._poll_seconds = poll_seconds
        self._stopping = threading.Event()
        self._running: JobProgress | None = None
        self._is_failing = False
        self._began_at = time.monotonic()

    def run(self) -> None:
        """Do jobs until ``stop``; while the database is away none is begun."""
        while not self._stopping.is_set():
            try:
                claimed = self._next()
            except RagError as error:
                if not self._is_failing:  # once an outage
                    log_degraded("jobs", error)
                self._is_failing = True
                self._stopping.wait(HEARTBEAT_SECONDS)
            else:
                self._is_failing = False
                if claimed is not None:
                    self._do(claimed)

    def stop(self) -> None:
        """Take no more jobs, and let the one under way end at its next step, to be queued again."""
        self._stopping.set()
        if self._running is not None:
            self._running.stop()

    def give_back(self) -> None:
        """Queue a job again that did not come to its next step in time; whatever it still does is not stored as its end."""
        if self._running is not None:
            self._end(self._running.job, None)

    def _next(self) -> ClaimedJob | None:
        """The next job, waited for; None when the server ends."""
        fingerprint = asked_under(self._current_engine().settings)["fingerprint"]
        with operator_connection(self._database, timeout_ms=TIMEOUT_MS) as owner:
            while not self._stopping.is_set():
                self._fail_lost(owner, fingerprint)
                claimed = jobs.claim_job(
                    owner,
                    worker=self.worker,
                    kinds=[kind for kind in _functions if self._takes(kind)],
                    fingerprint=fingerprint,
                )
                if claimed is not None:
                    return claimed
                if not self._has_found_work(owner):
                    self._stopping.wait(self._poll_seconds)
        return None

    def _has_found_work(self, owner: Connection) -> bool:
        if time.monotonic() < self._looks_at:
            return False
        has_found = self._find_work(owner)
        if not has_found:
            self._looks_at = time.monotonic() + LOOK_SECONDS
        return has_found

    def _fail_lost(self, owner: Connection, fingerprint: str) -> None:
        """Fail what nobody does any more; what waits for other settings only when others had the time to come back."""
        jobs.requeue_silent_jobs(owner, seconds=SILENT_SECONDS, kinds=REPEATED, attempts=MAX_ATTEMPTS)
        jobs.fail_silent_jobs(owner, seconds=SILENT_SECONDS, error=SILENT)
        if time.monotonic() - self._began_at >= UNFIT_SECONDS:
            jobs.fail_unfitting_jobs(owner, fingerprint=fingerprint, seconds=UNFIT_SECONDS, error=UNFIT)

    def _do(self, job: ClaimedJob) -> None:
        self._running = progress = JobProgress(self._database, job)
        if self._stopping.is_set():
            progress.stop()
        try:
            with _beating(progress):
                result = _functions[job.kind](self._current_engine(), job.tenant, job.parameters, progress)
        except (JobCancelledError, EvaluationCancelledError):
            self._end(job, None if self._stopping.is_set() else _Ending(state="cancelled"))
        except RagError as error:
            log_failed(f"job {job.kind}", error, tenant=job.tenant)
            self._end(job, _Ending(state="failed", error=str(error)))
        except Exception as error:  # noqa: BLE001 - a defect in a job must not end the thread that does all of them
            log_failed(f"job {job.kind}", error, tenant=job.tenant, has_stack=True)
            self._end(job, _Ending(state="failed", error=DEFECT.format(name=type(error).__name__)))
        else:
            self._end(job, _Ending(state="completed", result=result))
        self._running = None

    def _end(self, job: ClaimedJob, ending: "_Ending | None") -> None:
        """Store how a job ended, None: not yet; when the database is away its silence will tell."""
        try:
            with self._database.transaction(job.tenant) as connection:
                if ending is None:
                    jobs.requeue_job(connection, job)
                else:
                    jobs.finish_job(connection, job, state=ending.state, result=ending.result, error=ending.error)
        except RagError as error:
            log_failed(f"job {job.kind}", error, tenant=job.tenant)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ending:
    state: Literal["completed", "failed", "cancelled"]
    result: Mapping[str, Any] | None = None
    error: str | None = None


@contextmanager
def _beating(progress: JobProgress) -> Iterator[None]:
    """Give signs of life from a thread of its own: a single step may take minutes."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(HEARTBEAT_SECONDS):
            try:
                progress.beat()
            except RagError as error:
                log_degraded("jobs", error)

    thread = threading.Thread(target=beat, name="job-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
