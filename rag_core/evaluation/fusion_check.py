"""Whether fusion earns its place: hybrid search must not lose to the better of its two legs. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_core.evaluation.results import EvaluationRun
from rag_core.evaluation.significance import paired_test
from rag_core.model import Strategy

LEGS: tuple[Strategy, ...] = ("fulltext", "semantic")
SIGNIFICANT_P = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """How much nDCG@10 hybrid search loses to its better leg (0 or less when it does not), and how likely chance alone does that."""

    leg: Strategy
    lost: float
    p_worse: float
    queries: int

    @property
    def is_significant(self) -> bool:
        """Whether it loses by more than chance explains."""
        return self.lost > 0 and self.p_worse < SIGNIFICANT_P


def hybrid_shortfall(runs: Mapping[Strategy, EvaluationRun]) -> Shortfall | None:
    """Hybrid search against the leg with the higher nDCG@10, query by query.

    The runs are of one golden set at one time, by strategy; None when hybrid or both legs are missing.
    """
    legs = [leg for leg in LEGS if leg in runs]
    if not legs or "hybrid" not in runs:
        return None
    better = max(legs, key=lambda leg: runs[leg].metrics.ndcg_at_10)
    before = {result.query_id: result.ndcg_at_10 for result in runs[better].queries}
    after = {result.query_id: result.ndcg_at_10 for result in runs["hybrid"].queries}
    common = sorted(before.keys() & after.keys())
    found = paired_test([before[query] for query in common], [after[query] for query in common])
    return Shortfall(leg=better, lost=-found.difference, p_worse=found.p_worse, queries=found.pairs)
