"""``/api/v2/evaluation/tuning``: the search for a better configuration, as a job; what it proposes nobody is served yet."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.access import Context
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.rag_v2.evaluation import find_dataset
from rag_core.api.schemas import Text, failures
from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.evaluation.jobs.queue import SILENT, cancel, fetch_job, submit
from rag_core.evaluation.tuning.job import MAX_MINUTES
from rag_core.evaluation.tuning.space import PARTS, Part
from rag_core.evaluation.tuning.tune import DEFAULT_MINUTES, MIN_QUERIES
from rag_core.storage.evaluations import count_golden_queries
from rag_core.storage.jobs import Job
from rag_core.wire.values import camel_keys

NO_SUCH_RUN = "Diese Abstimmung gibt es nicht"
TOO_FEW = (
    "Der Datensatz hat {found} Fragen; zum Abstimmen braucht es mindestens {least}. Mit POST /api/v2/evaluation/golden-dataset "
    "weitere anlegen"
)
FAILED = "Die Abstimmung ist fehlgeschlagen; der Grund, wie ihn das Protokoll nennt: {reason}"
SERVER_GONE = (
    "Der Server, der abstimmte, wurde beendet, ehe er fertig war; bitte mit POST /api/v2/evaluation/tuning neu starten"
)

router = APIRouter(prefix="/api/v2/evaluation/tuning", tags=["rag v2"])
RunPath = Annotated[UUID, Path(description="As the answer to the POST gave it.")]


class TuningIn(BaseModel):
    """Parameters of a tuning, and its time limit."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)

    dataset_id: Text | None = Field(
        None, min_length=1, description="A golden set's id or name; default as for an evaluation."
    )
    minutes: float = Field(DEFAULT_MINUTES, gt=0, le=MAX_MINUTES, description="How long to try configurations.")
    parts: list[Part] = Field(list(PARTS), min_length=1, description="What of a configuration is tried; default: all.")


class TuningStarted(BaseModel):
    """Address of the result."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)

    run_id: str
    status: Literal["started"]


class TuningProgress(BaseModel):
    """Progress within the stage; ``total`` is null until it is known."""

    stage: str | None
    done: int
    total: int | None


class TuningOut(BaseModel):
    """A tuning and, once it is completed, its report: what is better on held-out questions, and by how much."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)

    run_id: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"]
    progress: TuningProgress
    report: dict[str, Any] | None = Field(
        description="`number` is the proposed configuration's, for `brain promote`; null when nothing better was found, "
        "and `objection` then says why."
    )
    error: str | None


@router.post("", status_code=202, response_model=TuningStarted, responses=failures(400, 404, 415, 429, 503))
def start(body: TuningIn, context: Context) -> dict[str, Any]:
    """Queue a tuning; a server does one job at a time."""
    tenant = context.tenant
    with context.transaction() as connection:
        golden = find_dataset(connection, tenant, body.dataset_id)
        found = count_golden_queries(connection, tenant, set_name=golden.name)
    if found < MIN_QUERIES:
        raise ExplainedError(TOO_FEW.format(found=found, least=MIN_QUERIES), kind=InvalidInputError)
    parameters = {"set": golden.name, "minutes": body.minutes, "parts": ",".join(body.parts)}
    return {
        "runId": str(submit(context.database, tenant, "tuning", parameters, settings=context.settings)),
        "status": "started",
    }


@router.get("/{run_id}", response_model=TuningOut, responses=failures(400, 404, 503))
def show(run_id: RunPath, context: Context) -> dict[str, Any]:
    """Return the progress of a tuning and its result."""
    with explained(NotFoundError, NO_SUCH_RUN):
        return _to_wire(fetch_job(context.database, context.tenant, run_id))


@router.post("/{run_id}/cancel", response_model=TuningOut, responses=failures(400, 404, 503))
def stop(run_id: RunPath, context: Context) -> dict[str, Any]:
    """Stop a tuning: at once while it is queued, at its next step while it runs; then nothing is proposed."""
    with explained(NotFoundError, NO_SUCH_RUN):
        _to_wire(fetch_job(context.database, context.tenant, run_id))
        return _to_wire(cancel(context.database, context.tenant, run_id))


def _to_wire(job: Job) -> dict[str, Any]:
    """A job of another kind is no tuning."""
    if job.kind != "tuning":
        raise NotFoundError(f"job {job.job_id} is no tuning")
    return {
        "runId": str(job.job_id),
        "status": job.state,
        "progress": {"stage": job.stage, "done": job.done, "total": job.total},
        "report": None if job.result is None else camel_keys(job.result),
        "error": None if job.error is None else _told(job.error),
    }


def _told(error: str) -> str:
    return SERVER_GONE if error == SILENT else FAILED.format(reason=error)
