"""Comparison of two evaluation runs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal
from uuid import UUID

from rag_core.model.counting import in_english
from rag_core.model.metrics.registry import decisive_metrics
from rag_core.model.power import LEAST_DIFFERING, detectable_difference, queries_needed

MIN_COMMON_QUERIES = 10
"""Least number of common queries for a verdict: with fewer a single query that got worse would decide."""
MAX_DISTURBED_SHARE = 0.1
"""Greatest share of degraded or failed queries; beyond it a run measures an outage and not the retrieval."""
MORE_DISTURBED_SHARE = 0.02
"""More queries than this share and than one, degraded or failed beyond those of the baseline, are no chance: nothing is drawn at
random about a search that fails. A test would let 4 of 40 pass (Fisher's exact, one-sided, p 0.058); one may be a hiccup."""
LEAST_DROP = 0.02
"""A smaller loss of a decisive metric is no regression, however sure it is; decision 22."""
SIGNIFICANCE = 0.05
NEEDED_FOR = ("0.01", "0.02", "0.05")
"""Differences that the number of queries needed is told for."""
Obstacle = Literal["degraded", "too_few_queries"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison:
    """Means of one metric over the queries two runs have in common; difference = current - baseline.

    ``p_value`` is two-sided, ``p_worse`` that of a difference as low by chance, ``interval`` the difference's, of 95 %.
    ``p_adjusted`` is the two-sided p after Holm over all metrics, ``p_worse_adjusted`` the other after Holm over the decisive
    ones, None for a metric that does not decide. ``queries`` are those with a figure in both runs, ``deviation`` that of
    their differences, ``differing`` how many are not 0. Comparisons stored before these were computed lack them.
    """

    baseline: float
    current: float
    difference: float
    p_value: float
    p_worse: float
    interval: tuple[float, float]
    p_adjusted: float | None = None
    p_worse_adjusted: float | None = None
    queries: int | None = None
    deviation: float | None = None
    differing: int | None = None

    @property
    def noise(self) -> float | None:
        """The deviation, if it tells of noise: with fewer than six queries that differ it does not, for no p is small then.

        Where all queries lose alike there is none.
        """
        if self.differing is not None and self.differing < LEAST_DIFFERING:
            return None
        return self.deviation if self.deviation or self.difference else None

    @property
    def differing_share(self) -> float:
        """Share of the queries that differ; 1 where it was not kept or nothing differs."""
        return self.differing / self.queries if self.differing and self.queries else 1.0

    @property
    def is_regression(self) -> bool:
        """Tell whether the metric fell by at least 0.02, significantly after correction for the other metrics."""
        has_dropped = round(-self.difference, 9) >= LEAST_DROP  # 0.82 - 0.8 is 0.01999…
        p_worse = self.p_worse if self.p_worse_adjusted is None else self.p_worse_adjusted
        return has_dropped and p_worse < SIGNIFICANCE


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryChange:
    """A query whose figure is another than it was; a rank is that of its first relevant note, None when there is none."""

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
    queries that lost most, worst first, ``wins`` those that won most, best first, both by the deciding ``metric``.
    ``asked_in_both`` are the queries of both runs, of which so many were disturbed then and now. ``reordered``
    counts the queries whose first ten notes are others or stand otherwise, ``changed_inputs`` names what was searched that is
    another than then; None where it is not known.
    """

    baseline_run_id: UUID
    metrics: Mapping[str, MetricComparison]
    queries: int
    left_out: int
    disturbed: int
    obstacle: Obstacle | None
    losses: tuple[QueryChange, ...]
    wins: tuple[QueryChange, ...] = ()
    asked_in_both: int = 0
    disturbed_then: int = 0
    disturbed_now: int = 0
    reordered: int = 0
    changed_inputs: tuple[str, ...] | None = None

    @property
    def disturbance(self) -> str | None:
        """Message that more queries were degraded or failed than in the baseline; None where they were not.

        The figures are of the others, so nothing else tells of it.
        """
        more = self.disturbed_now - self.disturbed_then
        if more <= max(1, MORE_DISTURBED_SHARE * self.asked_in_both):
            return None
        return f"{self.disturbed_now} of {self.asked_in_both} queries were degraded or failed, {self.disturbed_then} in the baseline"

    @property
    def metric(self) -> str:
        """The metric that decides: of those that regressed the one that fell most, else nDCG@10."""
        return _deciding(self.metrics)

    @property
    def baseline(self) -> float:
        """The deciding metric's mean of then."""
        return self.metrics[self.metric].baseline

    @property
    def current(self) -> float:
        """The deciding metric's mean of now."""
        return self.metrics[self.metric].current

    @property
    def difference(self) -> float:
        """Now - then; below 0 it got worse."""
        return self.metrics[self.metric].difference

    @property
    def p_value(self) -> float:
        """Two-sided p-value: probability of a difference as great by chance alone."""
        return self.metrics[self.metric].p_value

    @property
    def p_worse(self) -> float:
        """One-sided p-value: probability of a difference as low by chance alone; adjusted, it decides a regression."""
        return self.metrics[self.metric].p_worse

    @property
    def is_significant(self) -> bool:
        """Tell whether the deciding metric differs, two-sided p < 0.05 after Holm over all metrics.

        A regression has another rule, one-sided and over the decisive metrics alone, so it need not be significant.
        """
        found = self.metrics[self.metric]
        p_value = found.p_value if found.p_adjusted is None else found.p_adjusted
        return self.obstacle is None and p_value < SIGNIFICANCE

    @property
    def is_regression(self) -> bool:
        """Tell whether retrieval got worse: a decisive metric fell by at least 0.02, one-sided p < 0.05 after Holm over those."""
        return self.obstacle is None and bool(self.regressed)

    @property
    def regressed(self) -> tuple[str, ...]:
        """The decisive metrics that got worse."""
        return _regressed(self.metrics)

    @property
    def detectable_difference(self) -> float | None:
        """The least difference of the deciding metric that so many queries show four times of five; None if hardly any differs."""
        found = self.metrics[self.metric]
        return detectable_difference(found.queries or self.queries, deviation=found.noise)

    @property
    def queries_needed(self) -> dict[str, int | None]:
        """Queries needed to show a difference with power 0.8, by its size; None if hardly any query differs."""
        found = self.metrics[self.metric]
        return {
            wanted: queries_needed(float(wanted), deviation=found.noise, differing_share=found.differing_share)
            for wanted in NEEDED_FOR
        }

    @property
    def objection(self) -> str | None:
        """Reason why there is no verdict, for a reader."""
        if self.obstacle == "degraded":
            disturbed = in_english(self.disturbed, "query was", "queries were")
            return f"not comparable: {disturbed} degraded or failed, so something it needs was down"
        if self.obstacle == "too_few_queries":
            common = in_english(self.queries, "query", "queries")
            return f"no verdict: {common} in common with the baseline, {MIN_COMMON_QUERIES} are needed"
        return None

    def to_json(self) -> dict[str, Any]:
        """The comparison as it is stored and printed."""
        return {
            "baseline_run_id": str(self.baseline_run_id),
            "metric": self.metric,
            **asdict(self.metrics[self.metric]),
            "queries": self.queries,
            "left_out": self.left_out,
            "disturbed": self.disturbed,
            "obstacle": self.obstacle,
            "objection": self.objection,
            "is_significant": self.is_significant,
            "is_regression": self.is_regression,
            "regressed": list(self.regressed),
            "detectable_difference": self.detectable_difference,
            "queries_needed": self.queries_needed,
            "asked_in_both": self.asked_in_both,
            "disturbed_then": self.disturbed_then,
            "disturbed_now": self.disturbed_now,
            "disturbance": self.disturbance,
            "reordered": self.reordered,
            "changed_inputs": None if self.changed_inputs is None else list(self.changed_inputs),
            "metrics": {name: asdict(found) for name, found in self.metrics.items()},
            "losses": [asdict(loss) for loss in self.losses],
            "wins": [asdict(win) for win in self.wins],
        }


def parse_comparison(document: Mapping[str, Any]) -> Comparison:
    """A comparison from what ``Comparison.to_json`` gave, now or before metrics were adjusted."""
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
        losses=tuple(QueryChange(**loss) for loss in document["losses"]),
        wins=tuple(QueryChange(**win) for win in document.get("wins", ())),
        asked_in_both=document.get("asked_in_both", 0),
        disturbed_then=document.get("disturbed_then", 0),
        disturbed_now=document.get("disturbed_now", 0),
        reordered=document.get("reordered", 0),
        changed_inputs=None if (changed := document.get("changed_inputs")) is None else tuple(changed),
    )


def _regressed(metrics: Mapping[str, MetricComparison]) -> tuple[str, ...]:
    return tuple(name for name in decisive_metrics() if name in metrics and metrics[name].is_regression)


def _deciding(metrics: Mapping[str, MetricComparison]) -> str:
    return min(_regressed(metrics), key=lambda name: metrics[name].difference, default="ndcg_at_10")
