"""Routes of jobs under ``/api/v2/evaluation``: what tuning and benchmark share."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Path
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from rag_core.api.access import RequestContext
from rag_core.errors import NotFoundError
from rag_core.evaluation.jobs.queue import cancel, fetch_job, submit
from rag_core.storage.jobs import Job, JobKind

RunPath = Annotated[UUID, Path(description="As the answer to the POST gave it.")]


class JobStarted(BaseModel):
    """Address of the result."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)

    run_id: str
    status: Literal["started"]


class JobProgressOut(BaseModel):
    """Progress within the stage; ``total`` is null until it is known."""

    stage: str | None
    done: int
    total: int | None


class JobOut(BaseModel):
    """A job and, once it is completed, its report."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)

    run_id: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"]
    progress: JobProgressOut
    report: dict[str, Any] | None
    error: str | None


def start_job(context: RequestContext, kind: JobKind, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Queue a job of a kind; a server does one job at a time."""
    job_id = submit(context.database, context.tenant, kind, parameters, settings=context.settings)
    return {"runId": str(job_id), "status": "started"}


def find_job(context: RequestContext, job_id: UUID, kind: JobKind) -> Job:
    """The job of an id.

    Raises:
        NotFoundError: there is none, or it is of another kind.
    """
    job = fetch_job(context.database, context.tenant, job_id)
    if job.kind != kind:
        raise NotFoundError(f"job {job_id} is not of the kind {kind}")
    return job


def cancel_job(context: RequestContext, job_id: UUID, kind: JobKind) -> Job:
    """Stop a job: at once while it is queued, at its next step while it runs; raises like ``find_job``."""
    find_job(context, job_id, kind)
    return cancel(context.database, context.tenant, job_id)


def job_to_wire(job: Job, report: Mapping[str, Any] | None, error: str | None) -> dict[str, Any]:
    """The body of a job."""
    return {
        "runId": str(job.job_id),
        "status": job.state,
        "progress": {"stage": job.stage, "done": job.done, "total": job.total},
        "report": report,
        "error": error,
    }
