"""A run as ``brain evaluate --json`` prints it. No I/O."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rag_core.evaluation.golden.origins import known_circumstances, metrics_by_origin
from rag_core.evaluation.runs.results import EvaluationRun, GroupMetrics, metrics_by
from rag_core.model.evaluation import LatencyPercentiles, RetrievalMetrics
from rag_core.model.ranking_metrics import precision_ceiling_at
from rag_core.model.statistics import mean


def to_json(run: EvaluationRun) -> dict[str, Any]:
    """The run as one document; what is undefined is null: metrics of answers without a judge, of passages without spans."""
    return {
        "run_id": str(run.run_id),
        "set": run.set_name,
        "set_id": None if run.set_id is None else str(run.set_id),
        "set_version": run.set_version,
        "set_vocabulary": run.set_vocabulary,
        "category": run.category,
        "config_hash": run.config_hash,
        "models": dict(run.models),
        "pipeline_fingerprint": run.pipeline_fingerprint,
        "total_queries": run.total_queries,
        "degraded_queries": run.degraded_queries,
        "failed_queries": run.failed_queries,
        "orphaned_queries": run.orphaned_queries,
        "lost_spans": run.lost_spans,
        "unanswerable": None if run.unanswerable is None else run.unanswerable.to_json(),
        "metrics": _metrics_to_json(run),
        "answers": None if run.answers is None else run.answers.to_json(),
        "latency_ms": asdict(run.latency_ms),
        "latency_stages_ms": _stages_to_json(run.latency_stages),
        "created_at": run.created_at.isoformat(),
        "purpose": run.purpose,
        "strategy": run.strategy,
        "circumstances": known_circumstances(run),
        "comparison": None if run.comparison is None else run.comparison.to_json(),
    }


def _metrics_to_json(run: EvaluationRun) -> dict[str, Any]:
    return {
        **_means_to_json(run.metrics),
        **run.extra,
        "precision_at_5_ceiling": mean(precision_ceiling_at(query.relevant_note_ids, 5) for query in run.queries),
        "faithfulness": run.faithfulness,
        "answer_relevance": run.answer_relevance,
        "by_category": _groups_to_json(metrics_by("category", run.queries)),
        "by_difficulty": _groups_to_json(metrics_by("difficulty", run.queries)),
        "by_joint_group": _groups_to_json(metrics_by("joint_group", run.queries)),
        "by_origin": _groups_to_json(metrics_by_origin(run.circumstances, run.queries)),
    }


def _groups_to_json(groups: Mapping[Any, GroupMetrics]) -> dict[str, Any]:
    return {
        name: {"total_queries": found.total_queries, **_means_to_json(found.metrics), **found.extra}
        for name, found in groups.items()
    }


def _stages_to_json(stages: Mapping[str, LatencyPercentiles]) -> dict[str, Any]:
    return {stage: asdict(found) for stage, found in stages.items()}


def _means_to_json(metrics: RetrievalMetrics) -> dict[str, Any]:
    return {**asdict(metrics), "hit_rate_at": {str(k): rate for k, rate in metrics.hit_rate_at.items()}}
