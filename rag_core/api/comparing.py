"""Comparisons of two evaluations, as Brain Sync and RAG V2 ask for and answer them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Depends, Query
from pydantic.alias_generators import to_camel

from rag_core.api.access import RequestContext
from rag_core.api.brain_sync.schemas_comparison import wire_name
from rag_core.api.errors import ExplainedError
from rag_core.errors import IncomparableRunsError, InvalidInputError, NotFoundError
from rag_core.evaluation.comparison.stored import RunComparison, compare_stored_runs, find_comparable_runs
from rag_core.model.evaluation import StoredRun
from rag_core.model.metrics.registry import compared_metrics
from rag_core.model.run_comparison import MetricComparison, QueryChange

_Run = Annotated[UUID | None, Query(description="Id of a stored evaluation.")]
_Hash = Annotated[str | None, Query(description="Hash of a configuration; its newest comparable evaluation is taken.")]
_IsCommon = Annotated[
    bool, Query(description="Compare runs of different sets, versions or categories too, on what they share.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsToCompare:
    """Two evaluations, named by their ids or by the hashes of their configurations."""

    baseline: _Run = None
    candidate: _Run = None
    config1: _Hash = None
    config2: _Hash = None
    common: _IsCommon = False


NamedRuns = Annotated[RunsToCompare, Depends()]


@contextmanager
def explained_comparison(*, incomparable: str, unknown: str, unnamed: str) -> Iterator[None]:
    """Explain in the route's language why two runs cannot be compared."""
    try:
        yield
    except IncomparableRunsError as error:
        raise ExplainedError(incomparable, kind=IncomparableRunsError) from error
    except NotFoundError as error:
        raise ExplainedError(unknown, kind=NotFoundError) from error
    except InvalidInputError as error:
        raise ExplainedError(unnamed, kind=InvalidInputError) from error


def find_comparison(context: RequestContext, named: RunsToCompare) -> RunComparison:
    """Compare the two evaluations.

    Raises:
        InvalidInputError: neither two runs nor two configurations are named, or both are.
        NotFoundError: there is no such run, or none of such a configuration.
        IncomparableRunsError: the runs asked differently.
    """
    tenant, is_common = context.tenant, named.common
    with context.transaction() as connection:
        match (named.baseline, named.candidate, named.config1, named.config2):
            case (UUID() as first, UUID() as second, None, None):
                pass
            case (None, None, str() as one, str() as other):
                first, second = find_comparable_runs(connection, tenant, one, other, common_only=is_common)
            case _:
                raise InvalidInputError("expected baseline and candidate, or config1 and config2")
        return compare_stored_runs(connection, tenant, first, second, common_only=is_common)


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
    names = ("baseline", "current", "difference", "interval", "p_value", "p_worse", "p_adjusted", "queries")
    return {to_camel(name): getattr(metric, name) for name in names}


def _change(change: QueryChange) -> dict[str, Any]:
    names = ("query", "baseline", "current", "baseline_rank", "current_rank")
    return {to_camel(name): getattr(change, name) for name in names}
