"""Stale notes cut into chunks, staged beside the live ones."""

import dagster as dg
from pydantic import Field

from rag_assets.notes import notes
from rag_assets.stages import Materialized, Stopwatch, batch_asset, stage_metadata, total
from rag_core.chunking import CHUNKER_VERSION
from rag_core.engine import Engine
from rag_core.indexing.batches import batches_by_tenant
from rag_core.indexing.staging import stage_notes


class StagingConfig(dg.Config):
    """What a run takes."""

    is_full: bool = Field(default=False, description="Make every note anew, not only stale ones.")


@batch_asset(
    deps=[notes],
    kinds={"python", "postgres"},
    code_version=CHUNKER_VERSION,
    description=(
        "Sentences, and as many of them a chunk as fit. Only notes that are new, were edited or were made by another "
        "pipeline; what readers see does not change yet."
    ),
)
def chunks(context: dg.AssetExecutionContext, config: StagingConfig, engine: dg.ResourceParam[Engine]) -> Materialized:
    """Stage the batches' stale notes."""
    clock = Stopwatch()
    batches = batches_by_tenant(engine.database, context.partition_keys)
    reports = [
        stage_notes(engine.database, tenant, keys, engine.pipeline, is_full=config.is_full)
        for tenant, keys in batches.items()
    ]
    counts = {name: total(reports, name) for name in ("notes", "chunks", "summarised", "without_summary")}
    return dg.MaterializeResult(
        metadata=stage_metadata(engine, batches, "preview_staged_chunks", clock, **counts),
        data_version=dg.DataVersion(engine.pipeline.fingerprint),
    )
