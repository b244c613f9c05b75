"""Jobs: what takes long, asked for over HTTP and done by a server in the background."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from psycopg.types.json import Jsonb

from rag_core.errors import NotFoundError
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_value

JobKind = Literal["evaluation", "tuning", "embedding_benchmark", "ingestion"]
JobState = Literal["queued", "running", "completed", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job: what is asked for, how far it is, and how it ended.

    ``done`` of ``total`` are steps of ``stage``; a total of None is not known yet. ``error`` is why it failed, in English.
    """

    job_id: UUID
    kind: JobKind
    parameters: Mapping[str, Any]
    state: JobState
    stage: str | None
    done: int
    total: int | None
    error: str | None
    result: Mapping[str, Any] | None
    is_cancel_wanted: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedJob:
    """A job that is a worker's to do."""

    tenant: TenantId
    job_id: UUID
    kind: JobKind
    parameters: Mapping[str, Any]
    worker: str

    @property
    def key(self) -> dict[str, Any]:
        """Key of its row, as long as it is this worker's."""
        return {"tenant": self.tenant, "job_id": self.job_id, "worker": self.worker}


def insert_job(
    connection: Connection,
    tenant: TenantId,
    *,
    kind: JobKind,
    parameters: Mapping[str, Any],
    asked_under: Mapping[str, str] | None = None,
    limit: int,
) -> UUID | None:
    """Queue a job; None when the tenant has ``limit`` unfinished ones.

    ``asked_under`` holds ``fingerprint`` and ``description`` of the settings that whoever does it must have; None: any.
    """
    connection.execute(query("lock_jobs"), {"tenant": tenant})
    values = {
        "tenant": tenant,
        "kind": kind,
        "parameters": Jsonb(dict(parameters)),
        "asked_under": None if asked_under is None else Jsonb(dict(asked_under)),
        "limit": limit,
    }
    job_id: UUID | None = fetch_value(connection, "insert_job", values)
    return job_id


def fetch_job(connection: Connection, tenant: TenantId, job_id: UUID) -> Job:
    """One job.

    Raises:
        NotFoundError: the tenant has no such job.
    """
    row = connection.execute(query("fetch_job"), {"tenant": tenant, "job_id": job_id}).fetchone()
    if row is None:
        raise NotFoundError(f"no job {job_id}; it was given when the job was asked for")
    return _job(row)


def list_jobs(connection: Connection, tenant: TenantId, *, limit: int, kind: JobKind | None = None) -> list[Job]:
    """Jobs newest first, of all kinds or of one."""
    rows = connection.execute(query("list_jobs"), {"tenant": tenant, "kind": kind, "limit": limit}).fetchall()
    return [_job(row) for row in rows]


def request_cancellation(connection: Connection, tenant: TenantId, job_id: UUID) -> None:
    """Cancel a queued job at once, a running one at its next step; a finished one stays as it is."""
    connection.execute(query("cancel_job"), {"tenant": tenant, "job_id": job_id})


def claim_job(
    owner: Connection, *, worker: str, kinds: Collection[str], fingerprint: str | None = None
) -> ClaimedJob | None:
    """The oldest queued job of the tenant whose turn it is, now the worker's; None when nothing of these kinds waits.

    ``fingerprint`` is that of the worker's settings: jobs that were asked under others are not its to do.
    """
    values = {"worker": worker, "kinds": list(kinds), "fingerprint": fingerprint}
    row = owner.execute(query("claim_job"), values).fetchone()
    if row is None:
        return None
    tenant, job_id, kind, parameters = row
    return ClaimedJob(tenant=TenantId(tenant), job_id=job_id, kind=kind, parameters=parameters, worker=worker)


def report_job(connection: Connection, job: ClaimedJob, *, stage: str, done: int, total: int | None) -> bool:
    """Write how far a job is; whether it shall go on."""
    values = {**job.key, "stage": stage, "done": done, "total": total}
    return _shall_go_on(connection.execute(query("report_job"), values).fetchone())


def beat_job(connection: Connection, job: ClaimedJob) -> bool:
    """Give a sign of life; whether the job shall go on."""
    return _shall_go_on(connection.execute(query("beat_job"), job.key).fetchone())


def finish_job(
    connection: Connection,
    job: ClaimedJob,
    *,
    state: Literal["completed", "failed", "cancelled"],
    result: Mapping[str, Any] | None = None,
    error: str | None = None,
) -> bool:
    """End the worker's job; one that is no longer the worker's, or has ended, stays as it is: False."""
    stored = None if result is None else Jsonb(dict(result))
    values = {**job.key, "state": state, "result": stored, "error": error}
    return connection.execute(query("finish_job"), values).fetchone() is not None


def requeue_job(connection: Connection, job: ClaimedJob) -> None:
    """Give the worker's job back, to be begun again."""
    connection.execute(query("requeue_job"), job.key)


def fail_silent_jobs(owner: Connection, *, seconds: float, error: str) -> list[UUID]:
    """Fail running jobs of any tenant whose worker fell silent; their ids."""
    rows = owner.execute(query("fail_silent_jobs"), {"seconds": seconds, "error": error}).fetchall()
    return [row[1] for row in rows]


def requeue_silent_jobs(owner: Connection, *, seconds: float, kinds: Collection[str], attempts: int) -> list[UUID]:
    """Queue running jobs of these kinds again whose worker fell silent, unless they were begun so often; their ids."""
    values = {"seconds": seconds, "kinds": list(kinds), "attempts": attempts}
    rows = owner.execute(query("requeue_silent_jobs"), values).fetchall()
    return [row[0] for row in rows]


def fail_unfitting_jobs(owner: Connection, *, fingerprint: str, seconds: float, error: str) -> list[UUID]:
    """Fail queued jobs of any tenant asked under settings that no server seems to have; their ids.

    Those are settings other than ``fingerprint``, under which no job was begun or under way for so many seconds. In ``error``
    ``{settings}`` stands for the description of the job's.
    """
    values = {"fingerprint": fingerprint, "seconds": seconds, "error": error}
    return [row[1] for row in owner.execute(query("fail_unfitting_jobs"), values).fetchall()]


def _shall_go_on(row: tuple[Any, ...] | None) -> bool:
    return row is not None and not row[0]


def _job(row: tuple[Any, ...]) -> Job:
    job_id, kind, parameters, state, stage, done, total, error, result, is_cancel_wanted, *moments = row
    created_at, started_at, finished_at = moments
    return Job(
        job_id=job_id,
        kind=kind,
        parameters=parameters,
        state=state,
        stage=stage,
        done=done,
        total=total,
        error=error,
        result=result,
        is_cancel_wanted=is_cancel_wanted,
        created_at=created_at,
        started_at=started_at,
        finished_at=finished_at,
    )
