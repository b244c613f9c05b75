"""Whether fusion earns its place: hybrid search must not lose to the better of its two legs. No I/O."""

from collections.abc import Mapping

from rag_core.evaluation.results import StoredRun
from rag_core.model import Strategy

LEGS: tuple[Strategy, ...] = ("fulltext", "semantic")


def hybrid_shortfall(runs: Mapping[Strategy, StoredRun]) -> float | None:
    """How much nDCG@10 hybrid loses to the better leg: max over the legs - hybrid, 0 or less when it does not lose.

    The runs are of one golden set, by strategy; None when hybrid or both legs are missing.
    """
    legs = [runs[leg].metrics.ndcg_at_10 for leg in LEGS if leg in runs]
    if not legs or "hybrid" not in runs:
        return None
    return max(legs) - runs["hybrid"].metrics.ndcg_at_10
