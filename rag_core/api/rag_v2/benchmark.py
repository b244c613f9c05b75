"""``/api/v2/evaluation/embedding-benchmark``: embedding models side by side, as a job."""

from typing import Any, Final

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.rag_v2.jobs import JobOut, JobStarted, RunPath, cancel_job, find_job, job_to_wire, start_job
from rag_core.api.schemas import Text, failures
from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.storage.database import Database
from rag_core.storage.golden import find_golden_set
from rag_core.storage.jobs import Job
from rag_core.storage.models import list_models

NO_SUCH_RUN = "Diesen Modellvergleich gibt es nicht"
NO_SUCH_MODEL = "Nicht registriert: {names}. `brain models list` zeigt, welche Modelle es gibt"
NO_SUCH_SET = "Diese Datensätze gibt es nicht: {names}"

router = APIRouter(prefix="/api/v2/evaluation/embedding-benchmark", tags=["rag v2"])
_KIND: Final = "embedding_benchmark"


class BenchmarkIn(BaseModel):
    """Models, sets and strategies to measure."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)

    models: list[Text] | None = Field(
        None, min_length=1, description="Models to set beside the active one; default: all whose vectors are complete."
    )
    datasets: list[Text] | None = Field(None, min_length=1, description="Names or ids of golden sets; default: all.")


class BenchmarkOut(JobOut):
    """A benchmark and, once it is completed, its report: per model quality, latency, memory and storage."""

    error: str | None = Field(description="Why it failed, in English.")


@router.post("", status_code=202, response_model=JobStarted, responses=failures(400, 404, 415, 429, 503))
def start(body: BenchmarkIn, context: Context) -> dict[str, Any]:
    """Queue a benchmark; a server does one job at a time."""
    _check_models(context.database, body.models or [])
    parameters = {"models": body.models, "sets": body.datasets and _set_names(context, body.datasets)}
    given = {name: value for name, value in parameters.items() if value is not None}
    return start_job(context, _KIND, given)


@router.get("/{run_id}", response_model=BenchmarkOut, responses=failures(400, 404, 503))
def show(run_id: RunPath, context: Context) -> dict[str, Any]:
    """Return the progress of a benchmark and its results."""
    with explained(NotFoundError, NO_SUCH_RUN):
        return _to_wire(find_job(context, run_id, _KIND))


@router.post("/{run_id}/cancel", response_model=BenchmarkOut, responses=failures(400, 404, 503))
def stop(run_id: RunPath, context: Context) -> dict[str, Any]:
    """Stop a benchmark: at once while it is queued, at its next query while it runs."""
    with explained(NotFoundError, NO_SUCH_RUN):
        return _to_wire(cancel_job(context, run_id, _KIND))


def _check_models(database: Database, names: list[str]) -> None:
    with database.owner() as connection:
        known = {registered.model.name for registered in list_models(connection)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ExplainedError(NO_SUCH_MODEL.format(names=", ".join(unknown)), kind=InvalidInputError)


def _set_names(context: RequestContext, datasets: list[str]) -> list[str]:
    """The names of the sets, each once."""
    with context.transaction() as connection:
        found = {wanted: find_golden_set(connection, context.tenant, wanted) for wanted in datasets}
    unknown = [wanted for wanted, golden in found.items() if golden is None]
    if unknown:
        raise ExplainedError(NO_SUCH_SET.format(names=", ".join(unknown)), kind=NotFoundError)
    return list(dict.fromkeys(golden.name for golden in found.values() if golden is not None))


def _to_wire(job: Job) -> dict[str, Any]:
    return job_to_wire(job, None if job.result is None else dict(job.result), job.error)
