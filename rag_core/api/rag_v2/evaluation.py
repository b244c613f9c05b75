"""``/api/v2/evaluation``: evaluations as jobs, asked for, followed, cancelled, and read again later."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.rag_v2.golden import DEFAULT_V2_SET, NO_SUCH_SET
from rag_core.api.rag_v2.run_shape import run_to_wire, summary_to_wire
from rag_core.api.rag_v2.schemas_evaluation import EvaluationRequestV2, EvaluationStateV2, HistoryV2, StartedV2
from rag_core.api.schemas import failures
from rag_core.configuration.schema import configure, of_search
from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.evaluation.jobs.queue import SILENT, cancel, fetch_job, submit
from rag_core.evaluation.runs.run import fetch_evaluation
from rag_core.indexing.pipeline import chunking_by_fingerprint
from rag_core.model.golden import CATEGORIES, DEFAULT_SET
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection
from rag_core.storage.evaluations import count_golden_queries, fetch_run, list_runs
from rag_core.storage.golden import GoldenSet, find_golden_set
from rag_core.storage.jobs import Job
from rag_core.storage.models import list_models

NO_SUCH_RUN = "Diesen Lauf gibt es nicht"
NOTHING_TO_ASK = (
    "Der Datensatz hat keine Frage, die sich auswerten ließe; mit POST /api/v2/evaluation/golden-dataset Fragen anlegen"
)
WRONG_CATEGORY = "category: in diesem Datensatz nicht zulässig; erwartet wird {expected}"
NOT_PER_RUN = (
    "config.{name}: lässt sich nicht je Lauf wählen; aktives Modell und Zerlegung ändert `brain models promote` und eine neue "
    "Indexierung"
)
FAILED = "Der Lauf ist fehlgeschlagen; der Grund, wie ihn das Protokoll nennt: {reason}"
SERVER_GONE = (
    "Der Server, der diesen Lauf ausführte, wurde beendet, ehe er fertig war; bitte den Lauf mit POST /api/v2/evaluation/run neu "
    "starten"
)
_SWITCHES = {"rerankerEnabled": "reranking", "graphEnabled": "graphRAG"}
_PER_INSTALLATION = ("embeddingModel", "chunkingStrategy")

router = APIRouter(prefix="/api/v2/evaluation", tags=["rag v2"])
RunPath = Annotated[UUID, Path(description="The run's id, as POST /run gave it.")]


@router.post("/run", status_code=202, response_model=StartedV2, responses=failures(400, 404, 415, 429, 503))
def start(request: EvaluationRequestV2, context: Context) -> dict[str, Any]:
    """Queue an evaluation; the id is the run's, and the job's that does it. One is done at a time."""
    override = _override(request.config or {})
    configure(of_search(override), base=context.served().config)
    with context.transaction() as connection:
        golden = find_dataset(connection, context.tenant, request.dataset_id)
        _check_asked(connection, context.tenant, golden, request.category)
    parameters = {
        "set": golden.name,
        "config": override,
        "category": request.category,
        "answers": request.answers,
        "concurrency": request.concurrency,
    }
    run_id = submit(context.database, context.tenant, "evaluation", parameters, settings=context.settings)
    return {"runId": str(run_id), "status": "started"}


@router.get("/runs/{run_id}", response_model=EvaluationStateV2, responses=failures(400, 404, 503))
def read_run(run_id: RunPath, context: Context) -> dict[str, Any]:
    """Return the progress of a run, and its figures once it is completed; also of a run that `brain evaluate` made."""
    with explained(NotFoundError, NO_SUCH_RUN):
        job = _find_job(context, run_id)
        if job is not None and job.state != "completed":
            return _state(job)
        return {
            "runId": str(run_id),
            "status": "completed",
            **_completed(context, run_id),
            "error": None,
        }


@router.post("/runs/{run_id}/cancel", response_model=EvaluationStateV2, responses=failures(400, 404, 503))
def cancel_run(run_id: RunPath, context: Context) -> dict[str, Any]:
    """Cancel a run: at once while it waits, else after the question under way; one that has ended stays as it is."""
    with explained(NotFoundError, NO_SUCH_RUN):
        if _find_job(context, run_id) is not None:
            cancel(context.database, context.tenant, run_id)
    return read_run(run_id, context)


@router.get("/history", response_model=HistoryV2, responses=failures(400, 503))
def history(
    context: Context, limit: Annotated[int, Query(ge=1, le=100, description="Runs at most.")] = 20
) -> dict[str, Any]:
    """Completed evaluations, newest first, whoever asked for them."""
    with context.transaction() as connection:
        runs = list_runs(connection, context.tenant, limit=limit)
    return {"runs": [summary_to_wire(run) for run in runs]}


def _override(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration in our own words; RAG V2's switches set ours. A group that is none stays, to be refused."""
    for name in _PER_INSTALLATION:
        if name in config:
            raise ExplainedError(NOT_PER_RUN.format(name=name), kind=InvalidInputError)
    given = dict(config)
    for name, group in _SWITCHES.items():
        if name in given:
            switch, settings = given.pop(name), given.get(group, {})
            given[group] = {**settings, "enabled": switch} if isinstance(settings, Mapping) else settings
    return given


def find_dataset(connection: Connection, tenant: TenantId, wanted: str | None) -> GoldenSet:
    """The set of that id or name; by default RAG V2's own, else the default set."""
    for name in (wanted,) if wanted is not None else (DEFAULT_V2_SET, DEFAULT_SET):
        found = find_golden_set(connection, tenant, name)
        if found is not None:
            return found
    if wanted is None:
        raise ExplainedError(NOTHING_TO_ASK, kind=InvalidInputError)
    raise ExplainedError(NO_SUCH_SET, kind=NotFoundError)


def _check_asked(connection: Connection, tenant: TenantId, golden: GoldenSet, category: str | None) -> None:
    expected = CATEGORIES[golden.vocabulary]
    if category is not None and category not in expected:
        raise ExplainedError(WRONG_CATEGORY.format(expected=", ".join(expected)), kind=InvalidInputError)
    if count_golden_queries(connection, tenant, set_name=golden.name, category=category) == 0:
        raise ExplainedError(NOTHING_TO_ASK, kind=InvalidInputError)


def _find_job(context: RequestContext, run_id: UUID) -> Job | None:
    """The job of a run; None for a run without one, or for a job of another kind."""
    try:
        job = fetch_job(context.database, context.tenant, run_id)
    except NotFoundError:
        return None
    return job if job.kind == "evaluation" else None


def _state(job: Job) -> dict[str, Any]:
    return {
        "runId": str(job.job_id),
        "status": "running" if job.state in {"queued", "running"} else job.state,
        "progress": {"done": job.done, "total": job.total},
        "error": None if job.error is None else _failure_text(job.error),
        "results": None,
    }


def _failure_text(error: str) -> str:
    return SERVER_GONE if error == SILENT else FAILED.format(reason=error)


def _completed(context: RequestContext, run_id: UUID) -> dict[str, Any]:
    tenant = context.tenant
    with context.transaction() as connection:
        run = fetch_evaluation(connection, tenant, run_id)
        baseline = None if run.comparison is None else fetch_run(connection, tenant, run.comparison.baseline_run_id)
        models = [registered.model for registered in list_models(connection)]
    return {
        "progress": {"done": run.total_queries, "total": run.total_queries},
        "results": run_to_wire(
            run, baseline=baseline, chunkings=chunking_by_fingerprint(context.engine.pipeline, models)
        ),
    }
