"""What a run says of the quality of retrieval, against its baseline. No I/O."""

from typing import Literal

from rag_core.evaluation.comparison import MIN_COMMON_QUERIES
from rag_core.evaluation.results import StoredRun

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

    ``disturbed``: too many queries were degraded or failed. ``too few queries``: the run has fewer than ten, whatever the
    baseline. ``outdated baseline``: the golden set has become another since, so that fewer than ten are in common.
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
    if compared.is_regression:
        return "regression"
    return "improvement" if compared.is_significant and compared.difference > 0 else "steady"
