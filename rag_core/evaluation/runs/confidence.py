"""Reachability of a similarity threshold by a run's results, and its meaning beside another run. No I/O."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rag_core.model.evaluation import QueryResult, StoredRun

THRESHOLD = "similarityThreshold"
"""The model's own threshold, among the names of a run's models."""


def has_threshold(config: Mapping[str, Any], models: Mapping[str, str]) -> bool:
    """True when there is a threshold above 0 to reach: the configuration's, as it is stored, else the model's."""
    named = config.get("hybridSearch", {}).get("threshold")
    return float(models.get(THRESHOLD, 0) if named is None else named) > 0


def as_compared(results: Sequence[QueryResult], run: StoredRun, *, beside: StoredRun) -> Sequence[QueryResult]:
    """A run's queries for a comparison with another run.

    Without a threshold confidence is undefined. Beside a run that has one every query counts as confident that a search by
    meaning answered: nothing it found was called too far away, so a threshold that nothing reaches is seen as a drop.
    """
    is_bare = not has_threshold(run.config, run.models) and run.strategy != "fulltext"
    if not is_bare or not has_threshold(beside.config, beside.models):
        return results
    return [replace(result, is_confident=True) if result.error is None else result for result in results]
