"""Golden queries that people wrote and those that were proposed from the notes, told apart: the latter are easier. No I/O."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from rag_core.evaluation.comparison.comparability import INDEXED
from rag_core.evaluation.runs.results import GroupMetrics, group_metrics
from rag_core.evaluation.runs.unanswerable import UNANSWERABLE
from rag_core.model.evaluation import QueryResult, StoredRun
from rag_core.model.golden import GoldenQuery

Origin = Literal["own", "proposed"]

PROPOSED_TAG = "proposed"
"""The tag of a golden query that began as a proposal."""
PROPOSED = "proposed_queries"
"""Key of a run's circumstances with the ids of the proposed queries that it asked; queries may be edited or removed later."""


def proposed_queries(asked: Iterable[GoldenQuery]) -> list[str]:
    """The ids of those that were proposed, as a run keeps them."""
    return [str(golden.id) for golden in asked if PROPOSED_TAG in golden.tags]


def metrics_by_origin(circumstances: Mapping[str, Any], results: Sequence[QueryResult]) -> dict[Origin, GroupMetrics]:
    """The metrics of a run's own and of its proposed queries; {} where it asked of one kind only, or did not keep which."""
    proposed = set(circumstances.get(PROPOSED, ()))
    groups: dict[Origin, list[QueryResult]] = {
        "own": [result for result in results if str(result.query_id) not in proposed],
        "proposed": [result for result in results if str(result.query_id) in proposed],
    }
    return {origin: group_metrics(found) for origin, found in groups.items()} if all(groups.values()) else {}


def known_circumstances(run: StoredRun) -> dict[str, Any]:
    """Circumstances of a run that a reader is shown: without the list of ids, and without those that have figures of their own."""
    told_elsewhere = {PROPOSED, INDEXED, UNANSWERABLE}
    return {name: value for name, value in run.circumstances.items() if name not in told_elsewhere}
