"""A run against a baseline: which queries can be compared, whether they got worse, and which lost most. No I/O."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from rag_core.evaluation.comparison.effects import Pair, QueryEffect, common_queries, effects_of
from rag_core.evaluation.comparison.holm import holm_of_testable
from rag_core.evaluation.comparison.significance import RESAMPLES, PairedResult, paired_test
from rag_core.model.metrics.registry import compared_metrics, decisive_metrics
from rag_core.model.power import deviation_of
from rag_core.model.run_comparison import (
    MAX_DISTURBED_SHARE,
    MIN_COMMON_QUERIES,
    SIGNIFICANCE,
    Comparison,
    MetricComparison,
    Obstacle,
    QueryChange,
    _deciding,
)
from rag_core.model.statistics import mean

if TYPE_CHECKING:
    from rag_core.model.evaluation import QueryResult

MAX_CHANGES = 10
FIRST = 10
"""Number of notes of each ranking that are compared."""


def compare(
    baseline_run_id: UUID,
    before: Sequence["QueryResult"],
    after: Sequence["QueryResult"],
    *,
    changed_inputs: tuple[str, ...] | None = None,
    resamples: int = RESAMPLES,
) -> Comparison:
    """Compare two runs' queries, matched by their id where text and relevant notes are the same.

    A golden set that grew, shrank or was corrected meanwhile changes nothing for the other queries. Queries that were
    degraded or failed in either run are left out: they tell of an outage, and are counted. A metric that no query in common has in both
    runs is left out too.
    """
    pairs = common_queries(before, after)
    disturbed = sum(result.is_disturbed for result in after)
    in_both = {result.query_id for result in before} & {result.query_id for result in after}
    metrics = _compare_metrics(pairs, resamples)
    effects = effects_of(pairs, _deciding(metrics))
    return Comparison(
        baseline_run_id=baseline_run_id,
        metrics=metrics,
        queries=len(pairs),
        left_out=len({result.query_id for result in (*before, *after)}) - len(pairs),
        disturbed=disturbed,
        obstacle=_obstacle(len(pairs), disturbed=disturbed, asked=len(after)),
        losses=_changes(effect for effect in effects if effect.difference < 0),
        wins=_changes(_best_first(effect for effect in effects if effect.difference > 0)),
        asked_in_both=len(in_both),
        disturbed_then=sum(result.is_disturbed and result.query_id in in_both for result in before),
        disturbed_now=sum(result.is_disturbed and result.query_id in in_both for result in after),
        reordered=sum(earlier.ranked_note_ids[:FIRST] != now.ranked_note_ids[:FIRST] for earlier, now in pairs),
        changed_inputs=changed_inputs,
    )


def _obstacle(common: int, *, disturbed: int, asked: int) -> Obstacle | None:
    if disturbed > MAX_DISTURBED_SHARE * asked:
        return "degraded"
    return "too_few_queries" if common < MIN_COMMON_QUERIES else None


def _compare_metrics(pairs: Sequence[Pair], resamples: int) -> dict[str, MetricComparison]:
    effects = {metric: effects_of(pairs, metric) for metric in compared_metrics()}
    kept = {metric: found for metric, found in effects.items() if found or metric == "ndcg_at_10"}
    tests = {metric: _tested(found, resamples) for metric, found in kept.items()}
    either_way = _adjusted({name: (test.p_value, test.least_p_value) for name, test in tests.items()})
    decisive = {name for name in decisive_metrics() if len(kept.get(name, ())) >= MIN_COMMON_QUERIES}
    worse = _adjusted({name: (tests[name].p_worse, tests[name].least_p_worse) for name in tests if name in decisive})
    return {
        metric: replace(
            _metric_comparison(found, tests[metric]),
            p_adjusted=either_way[metric],
            p_worse_adjusted=worse.get(metric, 1.0 if metric in decisive_metrics() else None),
        )
        for metric, found in kept.items()
    }


def _adjusted(tests: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    return dict(zip(tests, holm_of_testable(list(tests.values()), alpha=SIGNIFICANCE), strict=True))


def _tested(effects: Sequence[QueryEffect], resamples: int) -> PairedResult:
    return paired_test(
        [effect.baseline for effect in effects], [effect.current for effect in effects], resamples=resamples
    )


def _metric_comparison(effects: Sequence[QueryEffect], tested: PairedResult) -> MetricComparison:
    return MetricComparison(
        baseline=mean(effect.baseline for effect in effects) or 0.0,
        current=mean(effect.current for effect in effects) or 0.0,
        difference=tested.difference,
        p_value=tested.p_value,
        p_worse=tested.p_worse,
        interval=tested.interval,
        queries=tested.pairs,
        deviation=deviation_of([effect.difference for effect in effects]),
        differing=sum(abs(effect.difference) > 1e-9 for effect in effects),
    )


def _best_first(effects: Iterable[QueryEffect]) -> list[QueryEffect]:
    return sorted(effects, key=lambda effect: (-effect.difference, effect.query))


def _changes(effects: Iterable[QueryEffect]) -> tuple[QueryChange, ...]:
    return tuple(
        QueryChange(
            query=effect.query,
            baseline=effect.baseline,
            current=effect.current,
            baseline_rank=effect.baseline_rank,
            current_rank=effect.current_rank,
        )
        for effect in list(effects)[:MAX_CHANGES]
    )
