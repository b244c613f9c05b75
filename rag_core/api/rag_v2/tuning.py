"""``/api/v2/evaluation/tuning``: the search for a better configuration, as a job; what it proposes nobody is served yet."""

from typing import Any, Final

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.access import Context
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.rag_v2.evaluation import find_dataset
from rag_core.api.rag_v2.jobs import JobOut, JobStarted, RunPath, cancel_job, find_job, job_to_wire, start_job
from rag_core.api.schemas import Text, failures
from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.evaluation.jobs.queue import SILENT
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
_KIND: Final = "tuning"


class TuningIn(BaseModel):
    """Parameters of a tuning, and its time limit."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)

    dataset_id: Text | None = Field(
        None, min_length=1, description="A golden set's id or name; default as for an evaluation."
    )
    minutes: float = Field(DEFAULT_MINUTES, gt=0, le=MAX_MINUTES, description="How long to try configurations.")
    parts: list[Part] = Field(list(PARTS), min_length=1, description="What of a configuration is tried; default: all.")


class TuningOut(JobOut):
    """A tuning and, once it is completed, its report: what is better on held-out questions, and by how much."""

    report: dict[str, Any] | None = Field(
        description="`number` is the proposed configuration's, for `brain promote`; null when nothing better was found, "
        "and `objection` then says why."
    )


@router.post("", status_code=202, response_model=JobStarted, responses=failures(400, 404, 415, 429, 503))
def start(body: TuningIn, context: Context) -> dict[str, Any]:
    """Queue a tuning; a server does one job at a time."""
    tenant = context.tenant
    with context.transaction() as connection:
        golden = find_dataset(connection, tenant, body.dataset_id)
        found = count_golden_queries(connection, tenant, set_name=golden.name)
    if found < MIN_QUERIES:
        raise ExplainedError(TOO_FEW.format(found=found, least=MIN_QUERIES), kind=InvalidInputError)
    parameters = {"set": golden.name, "minutes": body.minutes, "parts": ",".join(body.parts)}
    return start_job(context, _KIND, parameters)


@router.get("/{run_id}", response_model=TuningOut, responses=failures(400, 404, 503))
def show(run_id: RunPath, context: Context) -> dict[str, Any]:
    """Return the progress of a tuning and its result."""
    with explained(NotFoundError, NO_SUCH_RUN):
        return _to_wire(find_job(context, run_id, _KIND))


@router.post("/{run_id}/cancel", response_model=TuningOut, responses=failures(400, 404, 503))
def stop(run_id: RunPath, context: Context) -> dict[str, Any]:
    """Stop a tuning: at once while it is queued, at its next step while it runs; then nothing is proposed."""
    with explained(NotFoundError, NO_SUCH_RUN):
        return _to_wire(cancel_job(context, run_id, _KIND))


def _to_wire(job: Job) -> dict[str, Any]:
    report = None if job.result is None else camel_keys(job.result)
    return job_to_wire(job, report, None if job.error is None else _failure_text(job.error))


def _failure_text(error: str) -> str:
    return SERVER_GONE if error == SILENT else FAILED.format(reason=error)
