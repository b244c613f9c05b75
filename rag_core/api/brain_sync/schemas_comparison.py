"""The shapes of comparisons on the wire."""

from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from rag_core.api.schemas import Score, _Response
from rag_core.model.metrics.registry import compared_metrics, decisive_metrics, title_of

Difference = Annotated[float, Field(ge=-1, le=1)]


def wire_name(name: str) -> str:
    """A metric's name on the wire: ``ndcgAt10``, ``hitRateK10``."""
    return to_camel(name.replace("hit_rate_at_", "hit_rate_k"))


class ComparedMetricOut(_Response):
    """One metric: means over the queries in common, their difference and how sure it is."""

    baseline: Score
    current: Score
    difference: Difference
    interval: tuple[Difference, Difference] = Field(description="The difference's 95 % bootstrap interval.")
    p_value: Score = Field(description="Two-sided, of a paired randomisation test.")
    p_worse: Score = Field(description="One-sided: a difference as low by chance alone.")
    p_adjusted: Score | None = Field(description="`pValue` after Holm's correction over all metrics.")
    queries: int


class QueryChangeOut(_Response):
    """A query that won or lost, by the deciding metric."""

    query: str
    baseline: Score
    current: Score
    baseline_rank: int | None = Field(description="Rank of the first relevant note; null when none was found.")
    current_rank: int | None


class ComparisonOut(_Response):
    """Two evaluations held against each other."""

    config1: str = Field(description="Hash of the first run's configuration.", examples=["a1b2c3d4e5f60718"])
    config2: str
    baseline: str = Field(description="Id of the first run.")
    candidate: str = Field(description="Id of the second run.")
    improvements: dict[str, Difference | None] = Field(
        description="Candidate - baseline on the queries in common, null where it is undefined, by metric "
        f"({', '.join(map(wire_name, compared_metrics()))}), and of the runs' means `faithfulness` and `answerRelevance`, null unless "
        "the same judge, or `quotations`, judged both."
    )
    statistical_significance: bool | None = Field(
        description="Whether any metric differs with an adjusted p below 0.05; null on fewer than ten queries in common, or when "
        "more than a tenth were degraded."
    )
    is_regression: bool = Field(
        description=f"Whether one of {', '.join(map(title_of, decisive_metrics()))} fell by 0.02 or more, by more than chance explains."
    )
    deciding_metric: str = Field(examples=["ndcg_at_10"])
    objection: str | None = Field(description="Why there is no verdict.")
    asked_differently: list[str] = Field(
        description="What the runs did not share; empty unless `common` was asked for."
    )
    queries: int = Field(description="Queries in common.")
    left_out: int = Field(description="Queries of one run or the other that are not compared.")
    metrics: dict[str, ComparedMetricOut]
    detectable_difference: float | None = Field(
        description="Smallest difference detectable with this many queries (power 0.8)."
    )
    queries_needed: dict[str, int | None] = Field(description="Queries needed to detect a difference, by difference.")
    wins: list[QueryChangeOut] = Field(description="Queries that won most, best first.")
    losses: list[QueryChangeOut] = Field(description="Queries that lost most, worst first.")


class ComparisonToBaseline(_Response):
    """RAG V2's three figures."""

    retrieval_improvement: Difference = Field(description="Difference of nDCG@10 on the queries in common.")
    generation_improvement: Difference | None = Field(
        description="Difference of judged groundedness; null unless answers of both runs were judged."
    )
    latency_change: float = Field(description="Difference of p95, in milliseconds; below 0 it is faster.")


class ComparisonV2(ComparisonOut):
    """Two evaluations held against each other, with RAG V2's figures."""

    comparison_to_baseline: ComparisonToBaseline
