"""A run against a baseline: which queries can be compared, whether they got worse, and which lost most. No I/O."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args
from uuid import UUID

from rag_core.evaluation.metrics import hit_rate_at, mean, reciprocal_rank
from rag_core.evaluation.significance import paired_test

if TYPE_CHECKING:
    from rag_core.evaluation.results import QueryResult

MIN_COMMON_QUERIES = 10
"""With fewer queries in common there is no verdict: one that got worse would decide alone."""
MAX_DISTURBED_SHARE = 0.1
"""With more queries degraded or failed, what was measured is an outage and not the retrieval."""
LEAST_DROP = 0.02
"""A smaller loss of nDCG@10 is no regression, however sure it is; decision 22."""
SIGNIFICANCE = 0.05
MAX_LOSSES = 10

Obstacle = Literal["degraded", "too_few_queries"]
ComparedMetric = Literal["ndcg_at_10", "mrr", "hit_rate_at_10"]
Pair = tuple["QueryResult", "QueryResult"]
"""What a query brought back in the baseline, and now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison:
    """Means of one metric over the queries two runs have in common; difference = current - baseline.

    ``p_value`` is two-sided, ``p_worse`` that of a difference as low by chance, ``interval`` the difference's, of 95 %.
    """

    baseline: float
    current: float
    difference: float
    p_value: float
    p_worse: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLoss:
    """A query whose nDCG@10 is lower than it was; a rank is that of its first relevant note, None when there is none."""

    query: str
    baseline: float
    current: float
    baseline_rank: int | None
    current_rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A run against a baseline, on the ``queries`` that both asked undisturbed and with the same relevant notes.

    ``obstacle`` is why there is no verdict: more than a tenth of the run's queries degraded or failed (``disturbed``),
    or fewer than ten in common. ``left_out`` counts queries of either run that are not compared, ``losses`` are the
    queries that lost most, worst first. nDCG@10 decides.
    """

    baseline_run_id: UUID
    metrics: Mapping[ComparedMetric, MetricComparison]
    queries: int
    left_out: int
    disturbed: int
    obstacle: Obstacle | None
    losses: tuple[QueryLoss, ...]

    metric: ClassVar[ComparedMetric] = "ndcg_at_10"

    @property
    def baseline(self) -> float:
        """The deciding metric's mean of then."""
        return self.metrics["ndcg_at_10"].baseline

    @property
    def current(self) -> float:
        """The deciding metric's mean of now."""
        return self.metrics["ndcg_at_10"].current

    @property
    def difference(self) -> float:
        """Now - then; below 0 it got worse."""
        return self.metrics["ndcg_at_10"].difference

    @property
    def p_value(self) -> float:
        """How often chance alone makes a difference as great, either way."""
        return self.metrics["ndcg_at_10"].p_value

    @property
    def p_worse(self) -> float:
        """How often chance alone makes a difference as low; a regression is decided by it."""
        return self.metrics["ndcg_at_10"].p_worse

    @property
    def is_significant(self) -> bool:
        """Whether chance is no good explanation of the difference."""
        return self.obstacle is None and self.p_value < SIGNIFICANCE

    @property
    def is_regression(self) -> bool:
        """Whether retrieval got worse: p_worse < 0.05 and a drop of at least 0.02."""
        has_dropped = round(-self.difference, 9) >= LEAST_DROP  # 0.82 - 0.8 is 0.01999…
        return self.obstacle is None and has_dropped and self.p_worse < SIGNIFICANCE

    @property
    def objection(self) -> str | None:
        """Why there is no verdict, for a reader."""
        if self.obstacle == "degraded":
            return f"not comparable: {self.disturbed} queries were degraded or failed, so something it needs was down"
        if self.obstacle == "too_few_queries":
            return f"no verdict: {self.queries} queries in common with the baseline, {MIN_COMMON_QUERIES} are needed"
        return None

    def to_json(self) -> dict[str, Any]:
        """The comparison as it is stored and printed."""
        return {
            "baseline_run_id": str(self.baseline_run_id),
            "metric": self.metric,
            **asdict(self.metrics["ndcg_at_10"]),
            "queries": self.queries,
            "left_out": self.left_out,
            "disturbed": self.disturbed,
            "obstacle": self.obstacle,
            "objection": self.objection,
            "is_significant": self.is_significant,
            "is_regression": self.is_regression,
            "metrics": {name: asdict(found) for name, found in self.metrics.items()},
            "losses": [asdict(loss) for loss in self.losses],
        }


def compare(baseline_run_id: UUID, before: Sequence["QueryResult"], after: Sequence["QueryResult"]) -> Comparison:
    """Compare two runs' queries, matched by their id where text and relevant notes are the same.

    A golden set that grew, shrank or was corrected meanwhile changes nothing for the other queries. Queries that were
    degraded or failed in either run are left out: they tell of an outage.
    """
    pairs = _common(before, after)
    disturbed = sum(result.is_disturbed for result in after)
    return Comparison(
        baseline_run_id=baseline_run_id,
        metrics={metric: _compare_metric(metric, pairs) for metric in get_args(ComparedMetric)},
        queries=len(pairs),
        left_out=len({result.query_id for result in (*before, *after)}) - len(pairs),
        disturbed=disturbed,
        obstacle=_obstacle(len(pairs), disturbed=disturbed, asked=len(after)),
        losses=_losses(pairs),
    )


def parse_comparison(document: Mapping[str, Any]) -> Comparison:
    """A comparison from what ``Comparison.to_json`` gave."""
    return Comparison(
        baseline_run_id=UUID(document["baseline_run_id"]),
        metrics={
            name: MetricComparison(**{**found, "interval": tuple(found["interval"])})
            for name, found in document["metrics"].items()
        },
        queries=document["queries"],
        left_out=document["left_out"],
        disturbed=document["disturbed"],
        obstacle=document["obstacle"],
        losses=tuple(QueryLoss(**loss) for loss in document["losses"]),
    )


def _common(before: Sequence["QueryResult"], after: Sequence["QueryResult"]) -> list[Pair]:
    earlier = {_identity(result): result for result in before if not result.is_disturbed}
    return [(earlier[_identity(now)], now) for now in after if not now.is_disturbed and _identity(now) in earlier]


def _identity(result: "QueryResult") -> Hashable:
    return result.query_id, result.query, frozenset(result.relevant_note_ids)


def _obstacle(common: int, *, disturbed: int, asked: int) -> Obstacle | None:
    if disturbed > MAX_DISTURBED_SHARE * asked:
        return "degraded"
    return "too_few_queries" if common < MIN_COMMON_QUERIES else None


def _compare_metric(metric: ComparedMetric, pairs: Sequence[Pair]) -> MetricComparison:
    before = [_value(metric, earlier) for earlier, _ in pairs]
    after = [_value(metric, now) for _, now in pairs]
    tested = paired_test(before, after)
    return MetricComparison(
        baseline=mean(before) or 0.0,
        current=mean(after) or 0.0,
        difference=tested.difference,
        p_value=tested.p_value,
        p_worse=tested.p_worse,
        interval=tested.interval,
    )


def _value(metric: ComparedMetric, result: "QueryResult") -> float:
    if metric == "ndcg_at_10":
        return result.ndcg_at_10
    ranking, relevant = result.ranked_note_ids, result.relevant_note_ids
    value = reciprocal_rank(ranking, relevant) if metric == "mrr" else hit_rate_at(ranking, relevant, 10)
    assert value is not None  # a query is asked only when it has relevant notes
    return value


def _losses(pairs: Sequence[Pair]) -> tuple[QueryLoss, ...]:
    losing = [(earlier, now) for earlier, now in pairs if now.ndcg_at_10 < earlier.ndcg_at_10]
    losing.sort(key=lambda pair: (pair[1].ndcg_at_10 - pair[0].ndcg_at_10, pair[1].query))
    return tuple(
        QueryLoss(
            query=now.query,
            baseline=earlier.ndcg_at_10,
            current=now.ndcg_at_10,
            baseline_rank=earlier.first_relevant_rank,
            current_rank=now.first_relevant_rank,
        )
        for earlier, now in losing[:MAX_LOSSES]
    )
