"""``POST /api/retrieve/evaluate`` and ``GET /api/retrieve/metrics``: how good the retrieval is, and was."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.schemas import EvaluateRequest, EvaluateResponse, RunList, failures
from rag_core.configuration.schema import configure, of_search
from rag_core.errors import InvalidInputError
from rag_core.evaluation.runs.judges import build_judge
from rag_core.evaluation.runs.results import EvaluationRun
from rag_core.evaluation.runs.run import evaluate
from rag_core.evaluation.runs.served import evaluated_search, pinned
from rag_core.evaluation.runs.served_answers import ServedAnswers
from rag_core.model.answer_metrics import AnswerMetrics
from rag_core.model.evaluation import StoredRun
from rag_core.model.golden import DEFAULT_SET, Category
from rag_core.storage.evaluations import count_golden_queries, list_runs
from rag_core.wire.values import moment_to_wire

NOTHING_TO_ASK = (
    "El conjunto de referencia no tiene consultas que evaluar; añade alguna con POST /api/golden-dataset "
    "o con `brain golden import`"
)

MAX_QUERIES = 1_000
TOO_MANY = (
    "El conjunto de referencia tiene {count} consultas y aquí se evalúan {limit} como máximo; pide la evaluación en segundo plano "
    'con POST /api/v2/evaluation/run y {{"datasetId": "default"}}'
)

MAX_ANSWERED_BY_MODEL = 20
"""An answer by a chat model and its judgement take some seconds, and a request waits for all of them."""
TOO_MANY_ANSWERS = (
    "Un modelo de lenguaje responde o juzga aquí {limit} consultas como máximo y el conjunto tiene {count}; pide la evaluación sin "
    'respuestas ("answers": false), o en segundo plano con POST /api/v2/evaluation/run y {{"datasetId": "default", "answers": true}}'
)

router = APIRouter(prefix="/api/retrieve", tags=["evaluation"])


@router.post("/evaluate", response_model=EvaluateResponse, responses=failures(400, 415, 503))
def evaluate_golden_set(request: EvaluateRequest, context: Context) -> dict[str, Any]:
    """Ask every query of the golden set `default`, measure what comes back, and store the run.

    Queries are asked one after the other and the answer comes when the last one is done, so 1,000 are the most;
    `POST /api/v2/evaluation/run` takes any number. Unique notes are ranked, to depth 20, whatever `topK` says.

    Queries with an expected answer are answered too. Answers of a chat model are judged by one; without a model sentences are quoted,
    and held to their notes and to the expected answers (`answers.judgedBy` is `quotations`).
    """
    count, judge = _check_size(context, request.category), build_judge(context.engine)
    has_answers = _has_answers(request.answers, count=count, is_judged=judge is not None)
    tenant, override = context.tenant, of_search(request.config or {})
    engine = pinned(context.engine, tenant)
    config = configure(override, base=engine.served_config(tenant))
    evaluated = evaluated_search(engine, tenant, config=config, timeout_ms=context.timeout_ms)
    if has_answers:
        answerer = ServedAnswers(engine=engine, tenant=tenant, config=config, override=override)
        evaluated = replace(evaluated, answerer=answerer, judge=judge)
    with explained(InvalidInputError, NOTHING_TO_ASK):
        run = evaluate(engine.database, tenant, evaluated, set_name=DEFAULT_SET, category=request.category)
    return _evaluation(run)


def _has_answers(wanted: bool | None, *, count: int, is_judged: bool) -> bool:
    """True when queries are answered: as requested, else where a judging model can do it while the caller waits."""
    is_too_much = is_judged and count > MAX_ANSWERED_BY_MODEL
    if wanted and is_too_much:
        told = TOO_MANY_ANSWERS.format(count=count, limit=MAX_ANSWERED_BY_MODEL)
        raise ExplainedError(told, kind=InvalidInputError)
    return not is_too_much if wanted is None else wanted


def _check_size(context: RequestContext, category: Category | None) -> int:
    """Count the queries to ask, and refuse too many."""
    with context.transaction() as connection:
        count = count_golden_queries(connection, context.tenant, set_name=DEFAULT_SET, category=category)
    if count > MAX_QUERIES:
        raise ExplainedError(TOO_MANY.format(count=count, limit=MAX_QUERIES), kind=InvalidInputError)
    return count


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
        "answers": None if run.answers is None else _answers(run.answers),
        "totalQueries": run.total_queries,
        "degradedQueries": run.degraded_queries,
        "failedQueries": run.failed_queries,
        "orphanedQueries": run.orphaned_queries,
        "timestamp": moment_to_wire(run.created_at),
    }


def _answers(answers: AnswerMetrics) -> dict[str, Any]:
    return {
        "answerer": answers.answerer,
        "judgedBy": answers.judged_by,
        "answered": answers.answers,
        "refused": answers.refusals,
        "failed": answers.failed,
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
    context: Context,
    limit: Annotated[int, Query(ge=1, le=50, description="Evaluations at most.")] = 10,
    config_hash: Annotated[
        str | None, Query(alias="configHash", description="Only runs of this configuration.")
    ] = None,
) -> dict[str, Any]:
    """The latest evaluations, newest first, to be compared."""
    with context.transaction() as connection:
        runs = list_runs(connection, context.tenant, limit=limit, config_hash=config_hash)
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
