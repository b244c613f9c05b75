"""A run in RAG V2's words."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic.alias_generators import to_camel

from rag_core.api.comparing import answer_difference
from rag_core.configuration.schema import Chunking
from rag_core.evaluation.comparison.comparability import INDEXED
from rag_core.evaluation.runs.results import EvaluationRun, GroupMetrics, metrics_by
from rag_core.model.answer_metrics import AnswerMetrics
from rag_core.model.counting import in_english
from rag_core.model.evaluation import StoredRun
from rag_core.model.golden import difficulty_word
from rag_core.model.metrics.registry import answer_metrics
from rag_core.wire.values import moment_to_wire


def run_to_wire(run: EvaluationRun, *, baseline: StoredRun | None, chunkings: Mapping[str, Chunking]) -> dict[str, Any]:
    """The run, beside the ``baseline`` it was compared with; ``chunkings`` says what a pipeline's fingerprint means."""
    return {
        "id": str(run.run_id),
        "timestamp": moment_to_wire(run.created_at),
        "version": run.pipeline_fingerprint,
        "datasetId": None if run.set_id is None else str(run.set_id),
        "datasetName": run.set_name,
        "datasetVersion": run.set_version,
        "category": run.category,
        "config": _configuration(run, chunkings),
        "configHash": run.config_hash,
        "retrievalMetrics": _retrieval(run),
        "generationMetrics": None if run.answers is None else _generation(run.answers),
        "latencyMetrics": {
            **asdict(run.latency_ms),
            "byStage": {stage: asdict(found) for stage, found in run.latency_stages.items()},
        },
        "comparisonToBaseline": None if baseline is None else _beside(run, baseline),
        "totalQueries": run.total_queries,
        "degradedQueries": run.degraded_queries,
        "failedQueries": run.failed_queries,
        "orphanedQueries": run.orphaned_queries,
    }


def summary_to_wire(run: StoredRun) -> dict[str, Any]:
    """The run in short."""
    return {
        "runId": str(run.run_id),
        "timestamp": moment_to_wire(run.created_at),
        "datasetId": None if run.set_id is None else str(run.set_id),
        "datasetName": run.set_name,
        "datasetVersion": run.set_version,
        "configHash": run.config_hash,
        "precisionAt5": run.extra.get("precision_at_5"),
        "recallAt20": run.metrics.recall_at_20,
        "mrr": run.metrics.mrr,
        "ndcg": run.metrics.ndcg_at_10,
        "groundedness": None if run.answers is None else run.answers.means.get("groundedness"),
        "latencyP95": run.latency_ms.p95,
        "totalQueries": run.total_queries,
    }


def _configuration(run: StoredRun, chunkings: Mapping[str, Chunking]) -> dict[str, Any]:
    strategy = run.strategy or ""
    return {
        "embeddingModel": run.models.get("embedding"),
        "rerankerEnabled": strategy in {"hybrid+rerank", "routed"} and _is_enabled(run, "reranking"),
        "graphEnabled": strategy.startswith(("hybrid", "routed")) and _is_enabled(run, "graphRAG"),
        "chunkingStrategy": _cut(run, chunkings),
    }


def _cut(run: StoredRun, chunkings: Mapping[str, Chunking]) -> str:
    """Chunking of the notes that the run searched; of runs that did not keep it, the one of its pipeline."""
    indexed: Mapping[str, int] | None = run.circumstances.get(INDEXED)
    if indexed is None:
        return _cut_by(run.pipeline_fingerprint, chunkings)
    ordered = sorted(indexed.items(), key=lambda cut: (-cut[1], cut[0] == "", cut[0]))
    return "; ".join(f"{_cut_by(name, chunkings)} ({in_english(notes, 'note')})" for name, notes in ordered)


def _cut_by(fingerprint: str, chunkings: Mapping[str, Chunking]) -> str:
    if not fingerprint:
        return "whole notes"
    sizes = chunkings.get(fingerprint)
    if sizes is None:
        return f"pipeline {fingerprint}, unknown to this version"
    return f"sentence, {sizes.max_chunk_size} tokens, overlap {sizes.overlap_size}"


def _is_enabled(run: StoredRun, group: str) -> bool:
    return bool(run.config.get(group, {}).get("enabled", True))


def _retrieval(run: EvaluationRun) -> dict[str, Any]:
    means = {**run.extra, **run.metrics.by_name}
    return {
        "precisionAtK": _by_depth("precision_at_", means),
        "recallAtK": _by_depth("recall_at_", means),
        "hitRateAtK": _by_depth("hit_rate_at_", means),
        "mrr": run.metrics.mrr,
        "ndcg": run.metrics.ndcg_at_10,
        "map": run.extra["map_at_20"],
        "rPrecision": run.extra["r_precision"],
        "uMeasure": run.extra["u_measure"],
        "confidenceRate": run.extra["confidence_rate"],
        "byCategory": {name: _group(found) for name, found in metrics_by("category", run.queries).items()},
        "byDifficulty": {
            _difficulty(run, name): _group(found) for name, found in metrics_by("difficulty", run.queries).items()
        },
    }


def _by_depth(prefix: str, means: Mapping[str, float | None]) -> dict[str, float | None]:
    depths = {int(name.removeprefix(prefix)): found for name, found in means.items() if name.startswith(prefix)}
    return {str(k): depths[k] for k in sorted(depths)}


def _difficulty(run: StoredRun, name: str) -> str:
    return difficulty_word(int(name)) if run.set_vocabulary == "rag_v2" else name


def _group(found: GroupMetrics) -> dict[str, Any]:
    return {
        "totalQueries": found.total_queries,
        "precisionAt5": found.extra["precision_at_5"],
        "recallAt20": found.metrics.recall_at_20,
        "mrr": found.metrics.mrr,
        "ndcgAt10": found.metrics.ndcg_at_10,
    }


def _generation(answers: AnswerMetrics) -> dict[str, Any]:
    means = {name: answers.means.get(name) for name in answer_metrics()}
    if means["key_facts_by_meaning"] is not None:
        means["key_facts_covered"] = means["key_facts_by_meaning"]
    return {
        **{to_camel(name): found for name, found in means.items()},
        "answerer": answers.answerer,
        "judge": answers.judge,
        "answers": answers.answers,
        "refusals": answers.refusals,
        "failed": answers.failed,
        "judgeFailures": answers.judge_failures,
    }


def _beside(run: EvaluationRun, baseline: StoredRun) -> dict[str, float | None]:
    """Differences of nDCG@10 on the queries in common, of faithfulness where the same judged both, and of p95 in milliseconds."""
    assert run.comparison is not None
    return {
        "retrievalImprovement": run.comparison.metrics["ndcg_at_10"].difference,
        "generationImprovement": answer_difference("faithfulness", baseline, run),
        "latencyChange": run.latency_ms.p95 - baseline.latency_ms.p95,
    }
