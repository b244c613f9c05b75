"""``POST /api/retrieve/evaluate`` and ``GET /api/retrieve/metrics``: how good the retrieval is, and was."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from rag_core.api.access import EngineOf
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.schemas import EvaluateRequest, EvaluateResponse, RunList, failures
from rag_core.configuration import configure, of_search
from rag_core.engine import Engine
from rag_core.errors import InvalidInputError
from rag_core.evaluation.golden_query import DEFAULT_SET, Category
from rag_core.evaluation.results import EvaluationRun, StoredRun
from rag_core.evaluation.runs import evaluate, list_runs
from rag_core.evaluation.served import pinned, searcher
from rag_core.model import TenantId
from rag_core.storage.evaluations import count_golden_queries
from rag_core.wire import moment_to_wire

NOTHING_TO_ASK = (
    "El conjunto de referencia no tiene consultas que evaluar; añade alguna con POST /api/golden-dataset "
    "o con `brain golden import`"
)

MAX_QUERIES = 1_000
TOO_MANY = (
    "El conjunto de referencia tiene {count} consultas y aquí se evalúan {limit} como máximo; pide la evaluación en segundo plano "
    'con POST /api/v2/evaluation/run y {{"datasetId": "default"}}'
)

router = APIRouter(prefix="/api/retrieve", tags=["evaluation"])


@router.post("/evaluate", response_model=EvaluateResponse, responses=failures(400, 415, 503))
def evaluate_golden_set(request: EvaluateRequest, engine: EngineOf) -> dict[str, Any]:
    """Ask every query of the golden set `default`, measure what comes back, and store the run.

    Queries are asked one after the other and the answer comes when the last one is done, so 1,000 are the most;
    `POST /api/v2/evaluation/run` takes any number. Unique notes are ranked, to depth 20, whatever `topK` says.
    """
    tenant = engine.tenant()
    _check_size(engine, tenant, request.category)
    engine = pinned(engine, tenant)
    config = configure(of_search(request.config or {}), base=engine.served_config(tenant))
    with explained(InvalidInputError, NOTHING_TO_ASK):
        run = evaluate(
            engine.database,
            tenant,
            set_name=DEFAULT_SET,
            config=config,
            search=searcher(engine, tenant, config=config, timeout_ms=engine.settings.request_timeout_ms),
            models=engine.model_names(tenant, config),
            pipeline_fingerprint=engine.pipeline.fingerprint,
            category=request.category,
        )
    return _evaluation(run)


def _check_size(engine: Engine, tenant: TenantId, category: Category | None) -> None:
    with engine.database.transaction(tenant, timeout_ms=engine.settings.request_timeout_ms) as connection:
        count = count_golden_queries(connection, tenant, set_name=DEFAULT_SET, category=category)
    if count > MAX_QUERIES:
        raise ExplainedError(TOO_MANY.format(count=count, limit=MAX_QUERIES), kind=InvalidInputError)


def _evaluation(run: EvaluationRun) -> dict[str, Any]:
    hits = {f"hitRateK{k}": rate for k, rate in run.metrics.hit_rate_at.items()}
    return {
        "evaluationId": str(run.run_id),
        "configHash": run.config_hash,
        "metrics": {
            **hits,
            **_shared_metrics(run),
            "latencyP50": run.latency_ms.p50,
            "latencyP99": run.latency_ms.p99,
        },
        "totalQueries": run.total_queries,
        "degradedQueries": run.degraded_queries,
        "failedQueries": run.failed_queries,
        "orphanedQueries": run.orphaned_queries,
        "timestamp": moment_to_wire(run.created_at),
    }


def _shared_metrics(run: StoredRun) -> dict[str, float | None]:
    return {
        "mrr": run.metrics.mrr,
        "ndcgAt10": run.metrics.ndcg_at_10,
        "recallAt20": run.metrics.recall_at_20,
        "faithfulness": run.faithfulness,
        "answerRelevance": run.answer_relevance,
        "latencyP95": run.latency_ms.p95,
    }


@router.get("/metrics", response_model=RunList, responses=failures(400, 503))
def list_evaluations(
    engine: EngineOf,
    limit: Annotated[int, Query(ge=1, le=50, description="Evaluations at most.")] = 10,
    config_hash: Annotated[
        str | None, Query(alias="configHash", description="Only runs of this configuration.")
    ] = None,
) -> dict[str, Any]:
    """The latest evaluations, newest first, to be compared."""
    tenant = engine.tenant()
    with engine.database.transaction(tenant, timeout_ms=engine.settings.request_timeout_ms) as connection:
        runs = list_runs(connection, tenant, limit=limit, config_hash=config_hash)
    return {"evaluations": [_run(run) for run in runs]}


def _run(run: StoredRun) -> dict[str, Any]:
    return {
        "id": str(run.run_id),
        "configHash": run.config_hash,
        "config": dict(run.config),
        "metrics": {"hitRateK10": run.metrics.hit_rate_at[10], **_shared_metrics(run)},
        "totalQueries": run.total_queries,
        "timestamp": moment_to_wire(run.created_at),
    }
