"""Verdict of a run on the quality of retrieval, against its baseline. No I/O."""

from typing import Literal

from rag_core.model.evaluation import StoredRun
from rag_core.model.run_comparison import MIN_COMMON_QUERIES, Comparison

LEAST_SHARE = 0.5
"""Least share of a run's queries that must be in the baseline; with fewer, most of the golden set is not judged."""

Verdict = Literal[
    "regression",
    "improvement",
    "steady",
    "no baseline",
    "new baseline",
    "disturbed",
    "too few queries",
    "outdated baseline",
]


def verdict_on(run: StoredRun, *, is_new_baseline: bool = False) -> Verdict:
    """A regression, an improvement or neither; or why that cannot be told.

    ``disturbed``: too many queries were degraded or failed, or more than in the baseline. ``too few queries``: the run has fewer
    than ten, whatever the baseline. ``outdated baseline``: the golden set has become another since,
    so that fewer than ten are in common, or fewer than half while these got no worse.
    """
    compared = run.comparison
    if run.is_disturbed:
        return "disturbed"
    if is_new_baseline:
        return "new baseline"
    if compared is None:
        return "no baseline"
    if compared.obstacle is not None:
        return "too few queries" if run.total_queries < MIN_COMMON_QUERIES else "outdated baseline"
    return _verdict_of(compared, asked=run.total_queries)


def _verdict_of(compared: Comparison, *, asked: int) -> Verdict:
    if compared.is_regression:
        return "regression"
    if compared.disturbance is not None:
        return "disturbed"
    if compared.queries < LEAST_SHARE * asked:
        return "outdated baseline"
    return "improvement" if is_improvement(compared) else "steady"


def is_improvement(compared: Comparison) -> bool:
    """True when the queries in common got significantly better, however few of the set they are."""
    return compared.is_significant and compared.difference > 0
