"""The metrics that two runs are compared by, each a figure of one query. No I/O."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rag_core.model.comparison import ComparedMetric
from rag_core.model.ranking_metrics import average_precision, hit_rate_at, reciprocal_rank

if TYPE_CHECKING:
    from rag_core.model.evaluation import QueryResult


def figure_of(metric: ComparedMetric, result: "QueryResult") -> float | None:
    """A query's figure in [0, 1]; None where it is undefined or was not kept: U-measure without golden spans, say."""
    return _FIGURES[metric](result)


def _confidence(result: "QueryResult") -> float | None:
    return None if result.is_confident is None else float(result.is_confident)


_FIGURES: Mapping[ComparedMetric, Callable[["QueryResult"], float | None]] = {
    "ndcg_at_10": lambda result: result.ndcg_at_10,
    "mrr": lambda result: reciprocal_rank(result.ranked_note_ids, result.relevant_note_ids),
    "hit_rate_at_1": lambda result: hit_rate_at(result.ranked_note_ids, result.relevant_note_ids, 1),
    "hit_rate_at_10": lambda result: hit_rate_at(result.ranked_note_ids, result.relevant_note_ids, 10),
    "recall_at_20": lambda result: result.recall_at_20,
    "map_at_20": lambda result: average_precision(result.ranked_note_ids, result.relevant_note_ids),
    "u_measure": lambda result: result.u_measure,
    "confidence": _confidence,
}
