"""The shapes of RAG V2's evaluations on the wire."""

from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.brain_sync.schemas_comparison import ComparisonToBaseline
from rag_core.api.schemas import Moment, Score, Text, _Request, _Response
from rag_core.model.metrics.registry import answer_metrics

Status = Literal["running", "completed", "failed", "cancelled"]


class EvaluationRequestV2(_Request):
    """Parameters of an evaluation; all are optional."""

    dataset_id: Text | None = Field(
        None,
        min_length=1,
        max_length=512,
        description="A set's id or name, of either vocabulary; default `rag-v2`, and `default` where there is none.",
    )
    config: dict[str, Any] | None = Field(
        None,
        description="As in `POST /api/retrieve`, and `rerankerEnabled` and `graphEnabled` for short.",
        examples=[{"rerankerEnabled": False}, {"strategy": "hybrid"}],
    )
    category: str | None = Field(None, min_length=1, description="Only questions of this category.")
    answers: bool = Field(default=False, description="Have the questions answered too, and the answers judged.")
    concurrency: int = Field(1, ge=1, le=8, description="Questions at a time; more than one lengthens the latencies.")


class StartedV2(_Response):
    """The evaluation is queued; the server that answers does it in the background."""

    run_id: str
    status: Literal["started"]


class CategoryMetricsV2(_Response):
    """Means over the questions of a category or difficulty."""

    total_queries: int
    precision_at_5: Score = Field(alias="precisionAt5")
    recall_at_20: Score = Field(alias="recallAt20")
    mrr: Score
    ndcg_at_10: Score = Field(alias="ndcgAt10")


class RetrievalMetricsV2(_Response):
    """Means over the questions; unique documents are ranked."""

    precision_at_k: dict[str, Score]
    recall_at_k: dict[str, Score]
    hit_rate_at_k: dict[str, Score]
    mrr: Score
    ndcg: Score = Field(description="At 10, by grade.")
    map: Score = Field(description="At 20.")
    r_precision: Score
    u_measure: Score | None = Field(description="How far a reader reads to the answer; null without golden spans.")
    confidence_rate: Score | None = Field(
        description="Share of questions for which a result reaches the similarity threshold; null where there is none."
    )
    by_category: dict[str, CategoryMetricsV2]
    by_difficulty: dict[str, CategoryMetricsV2]


def _describe_metrics(schema: dict[str, Any]) -> None:
    """Add the metrics that are registered when the schema is asked for, so those of plugins too."""
    score = {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "null"}]}
    rows = {to_camel(name): score | {"description": metric.formula} for name, metric in answer_metrics().items()}
    schema["properties"] = rows | schema["properties"]
    schema["required"] = [*rows, *schema["required"]]


class GenerationMetricsV2(_Response):
    """Means over the answers, by metric; null is what nothing defines, or nobody judged.

    `keyFactsCovered` is the judge's figure where there is one.
    """

    model_config = ConfigDict(extra="allow", json_schema_extra=_describe_metrics)
    __pydantic_extra__: dict[str, Score | None]

    answerer: str
    judge: str | None
    answers: int
    refusals: int
    failed: int
    judge_failures: int


class PercentilesV2(_Response):
    """Nearest-rank percentiles, in milliseconds."""

    p50: float
    p95: float
    p99: float


class LatencyMetricsV2(PercentilesV2):
    """Of whole searches, and by stage."""

    by_stage: dict[str, PercentilesV2]


class ConfigurationV2(_Response):
    """The evaluated configuration, in RAG V2's words."""

    embedding_model: str | None
    reranker_enabled: bool
    graph_enabled: bool
    chunking_strategy: str


class EvaluationRunV2(_Response):
    """A stored evaluation."""

    id: str
    timestamp: Moment
    version: str = Field(description="Fingerprint of how notes are chunked and embedded.")
    dataset_id: str | None
    dataset_name: str
    dataset_version: int
    category: str | None
    config: ConfigurationV2
    config_hash: str
    retrieval_metrics: RetrievalMetricsV2
    generation_metrics: GenerationMetricsV2 | None = Field(description="Null unless answers were asked for.")
    latency_metrics: LatencyMetricsV2
    comparison_to_baseline: ComparisonToBaseline | None = Field(description="Null without a baseline.")
    total_queries: int
    degraded_queries: int
    failed_queries: int
    orphaned_queries: int = Field(description="Questions left out because all their documents are deleted.")


class ProgressV2(_Response):
    """Questions that are done, of how many; null before that is known."""

    done: int
    total: int | None


class EvaluationStateV2(_Response):
    """Progress and result of an evaluation."""

    run_id: str
    status: Status
    progress: ProgressV2
    error: str | None = Field(description="Why it failed.")
    results: EvaluationRunV2 | None = Field(description="Once it is completed.")


class RunSummaryV2(_Response):
    """An evaluation in short."""

    run_id: str
    timestamp: Moment
    dataset_id: str | None
    dataset_name: str
    dataset_version: int
    config_hash: str
    precision_at_5: Score | None = Field(alias="precisionAt5", description="Null for runs from before it was kept.")
    recall_at_20: Score = Field(alias="recallAt20")
    mrr: Score
    ndcg: Score
    groundedness: Score | None
    latency_p95: float = Field(description="Milliseconds.")
    total_queries: int


class HistoryV2(_Response):
    """Evaluations, newest first."""

    runs: list[RunSummaryV2]
