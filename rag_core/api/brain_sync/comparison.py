"""``GET /api/retrieve/compare``: two evaluations held against each other."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic.alias_generators import to_camel

from rag_core.api.access import EngineOf
from rag_core.api.brain_sync.schemas_comparison import ComparisonOut, wire_name
from rag_core.api.errors import ExplainedError
from rag_core.api.schemas import failures
from rag_core.errors import IncomparableRunsError, InvalidInputError, NotFoundError
from rag_core.evaluation.comparison.stored import RunComparison, compare_stored_runs, find_comparable_runs
from rag_core.model.comparison import MetricComparison, QueryChange
from rag_core.model.evaluation import StoredRun
from rag_core.model.metrics.registry import compared_metrics
from rag_core.runtime.engine import Engine

WHICH = "Indica qué se compara: `baseline` y `candidate` (ids de evaluaciones), o `config1` y `config2` (hashes de configuración)"
INCOMPARABLE = (
    "Las evaluaciones no preguntaron lo mismo (conjunto, versión o categoría). Vuelve a evaluar, o añade `common=1` para comparar "
    "las consultas que tienen en común"
)
NO_SUCH_RUN = "No hay ninguna evaluación con ese identificador o esa configuración"

router = APIRouter(prefix="/api/retrieve", tags=["evaluation"])

RunQuery = Annotated[UUID | None, Query(description="Id of a stored evaluation.")]
ConfigQuery = Annotated[
    str | None, Query(description="Hash of a configuration; its newest comparable evaluation is taken.")
]
CommonQuery = Annotated[
    bool, Query(description="Compare runs of different sets, versions or categories too, on what they share.")
]


@router.get("/compare", response_model=ComparisonOut, responses=failures(400, 404, 409, 503))
def compare_evaluations(
    engine: EngineOf,
    *,
    baseline: RunQuery = None,
    candidate: RunQuery = None,
    config1: ConfigQuery = None,
    config2: ConfigQuery = None,
    common: CommonQuery = False,
) -> dict[str, Any]:
    """Whether one evaluation is better than another, by more than chance: by run ids, or by hashes of configurations.

    Every metric has its difference with interval and p; p is corrected for the number of metrics.
    """
    with told(incomparable=INCOMPARABLE, unknown=NO_SUCH_RUN, unnamed=WHICH):
        found = find_comparison(
            engine, baseline=baseline, candidate=candidate, config1=config1, config2=config2, common_only=common
        )
    return comparison_to_wire(found)


@contextmanager
def told(*, incomparable: str, unknown: str, unnamed: str) -> Iterator[None]:
    """What cannot be compared, in the caller's language."""
    try:
        yield
    except IncomparableRunsError as error:
        raise ExplainedError(incomparable, kind=IncomparableRunsError) from error
    except NotFoundError as error:
        raise ExplainedError(unknown, kind=NotFoundError) from error
    except InvalidInputError as error:
        raise ExplainedError(unnamed, kind=InvalidInputError) from error


def find_comparison(
    engine: Engine,
    *,
    baseline: UUID | None,
    candidate: UUID | None,
    config1: str | None,
    config2: str | None,
    common_only: bool,
) -> RunComparison:
    """The comparison asked for, by runs or by configurations.

    Raises:
        InvalidInputError: neither two runs nor two configurations are named, or both are.
        NotFoundError: there is no such run, or none of such a configuration.
        IncomparableRunsError: the runs asked differently.
    """
    tenant, timeout_ms = engine.tenant(), engine.settings.request_timeout_ms
    with engine.database.transaction(tenant, timeout_ms=timeout_ms) as connection:
        match (baseline, candidate, config1, config2):
            case (UUID() as first, UUID() as second, None, None):
                pass
            case (None, None, str() as one, str() as other):
                first, second = find_comparable_runs(connection, tenant, one, other, common_only=common_only)
            case _:
                raise InvalidInputError("expected baseline and candidate, or config1 and config2")
        return compare_stored_runs(connection, tenant, first, second, common_only=common_only)


def comparison_to_wire(found: RunComparison) -> dict[str, Any]:
    """The comparison as it is answered."""
    compared = found.comparison
    return {
        "config1": found.baseline.config_hash,
        "config2": found.candidate.config_hash,
        "baseline": str(found.baseline.run_id),
        "candidate": str(found.candidate.run_id),
        "improvements": _improvements(found),
        "statisticalSignificance": found.has_significant_metric,
        "isRegression": compared.is_regression,
        "decidingMetric": compared.metric,
        "objection": compared.objection,
        "askedDifferently": list(found.asked_differently),
        "queries": compared.queries,
        "leftOut": compared.left_out,
        "metrics": {wire_name(name): _metric(metric) for name, metric in compared.metrics.items()},
        "detectableDifference": compared.detectable_difference,
        "queriesNeeded": compared.queries_needed,
        "wins": [_change(win) for win in compared.wins],
        "losses": [_change(loss) for loss in compared.losses],
    }


def _improvements(found: RunComparison) -> dict[str, float | None]:
    metrics = found.comparison.metrics
    compared = {
        wire_name(name): metrics[name].difference if name in metrics else None if metric.is_partial else 0.0
        for name, metric in compared_metrics().items()
    }
    return compared | {
        "faithfulness": answer_difference("faithfulness", found.baseline, found.candidate),
        "answerRelevance": answer_difference("answer_relevance", found.baseline, found.candidate),
    }


def answer_difference(
    metric: Literal["faithfulness", "answer_relevance"], before: StoredRun, after: StoredRun
) -> float | None:
    """The difference of the runs' means; None unless the same judge, or the notes themselves, judged both."""
    judges = {None if run.answers is None else run.answers.judged_by for run in (before, after)}
    return difference(getattr(before, metric), getattr(after, metric)) if len(judges) == 1 else None


def difference(before: float | None, after: float | None) -> float | None:
    """After - before; None where either is undefined."""
    return None if before is None or after is None else after - before


def _metric(metric: MetricComparison) -> dict[str, Any]:
    return {
        "baseline": metric.baseline,
        "current": metric.current,
        "difference": metric.difference,
        "interval": list(metric.interval),
        "pValue": metric.p_value,
        "pWorse": metric.p_worse,
        "pAdjusted": metric.p_adjusted,
        "queries": metric.queries,
    }


def _change(change: QueryChange) -> dict[str, Any]:
    names = ("query", "baseline", "current", "baseline_rank", "current_rank")
    return {to_camel(name): getattr(change, name) for name in names}
