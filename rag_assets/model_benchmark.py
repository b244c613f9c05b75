"""Embedding models side by side, as a job to launch by hand."""

from collections.abc import Sequence
from typing import Any

import dagster as dg
from pydantic import Field

from rag_assets.stages import OWNERS, table
from rag_core.model_change.benchmark import benchmark_models
from rag_core.model_change.benchmark_report import Benchmark, ModelBenchmark, QualityReport
from rag_core.runtime.engine import Engine


class BenchmarkConfig(dg.Config):
    """Configuration of a benchmark."""

    tenant: str | None = Field(default=None, description="Whose notes and golden sets; by default those a reader sees.")
    models: list[str] | None = Field(
        default=None, description="Models to set beside the active one; by default all whose vectors are complete."
    )
    sets: list[str] | None = Field(default=None, description="Golden sets; by default all.")


@dg.op(
    description=(
        "Every embedding model asks the golden sets, by meaning alone and as it would be served, and is timed and weighed. The "
        "runs are stored; nothing that readers see changes."
    )
)
def measure_models(context: dg.OpExecutionContext, config: BenchmarkConfig, engine: dg.ResourceParam[Engine]) -> None:
    """Measure, and put the tables into the op's metadata."""
    tenant = engine.named_tenant(config.tenant)
    found = benchmark_models(engine, tenant, names=config.models, set_names=config.sets)
    context.add_output_metadata(
        {
            "tenant": tenant,
            "models": len(found.models),
            "quality": _table(_quality(found)),
            "cost": _table(_cost(found)),
            "left_out": dg.MetadataValue.json({**found.left_out, **_failures(found)}),
            "report": dg.MetadataValue.json(found.to_json()),
        }
    )


@dg.job(
    name="benchmark_models",
    owners=OWNERS,
    tags={"brain/purpose": "model"},
    description="Set embedding models side by side: quality by category, latency, memory, storage; see `brain models benchmark`.",
)
def benchmark_job() -> None:
    """The one step."""
    measure_models()


def _failures(found: Benchmark) -> dict[str, str]:
    return {model.name: model.failure for model in found.models if model.failure is not None}


def _table(rows: Sequence[dict[str, Any]]) -> dg.MetadataValue[Any]:
    return table(rows) if rows else dg.MetadataValue.md("*no model could be measured*")


def _quality(found: Benchmark) -> list[dict[str, Any]]:
    return [_quality_row(model, quality) for model in found.models for quality in model.quality]


def _quality_row(model: ModelBenchmark, quality: QualityReport) -> dict[str, Any]:
    compared = None if quality.comparison is None else quality.comparison.metrics["ndcg_at_10"]
    return {
        "set": quality.set_name,
        "strategy": quality.strategy,
        "model": model.name,
        "queries": quality.overall.queries,
        "precision@5": round(quality.overall.precision_at_5, 4),
        "recall@20": round(quality.overall.recall_at_20, 4),
        "mrr": round(quality.overall.mrr, 4),
        "ndcg@10": round(quality.overall.ndcg_at_10, 4),
        "difference": "" if compared is None else f"{compared.difference:+.4f}",
        "p": "" if compared is None else f"{compared.p_value:.4f}",
    }


def _cost(found: Benchmark) -> list[dict[str, Any]]:
    return [{"model": model.name, **_flat(model.cost.to_json())} for model in found.models if model.cost is not None]


def _flat(cost: dict[str, Any]) -> dict[str, Any]:
    latency, storage, memory = cost["embeddingLatencyMs"], cost["storageBytes"], cost["memoryUsageMb"]
    return {
        "query_p50_ms": _shown(latency["p50"]),
        "query_p95_ms": _shown(latency["p95"]),
        "chunks_per_second": _shown(cost["chunksPerSecond"]),
        "memory_mb": _shown(memory),
        "vector_bytes": str(storage["vectors"]),
        "index_bytes": _shown(storage["index"]),
    }


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,.2f}"
