"""Stale notes cut into chunks, staged beside the live ones."""

import dagster as dg
from pydantic import Field

from rag_assets.notes import notes
from rag_assets.stages import Materialized, Stopwatch, batch_asset, outages_retried, ratio, stage_metadata, total
from rag_core.chunking import CHUNKERS, parse_choice
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, Chunking
from rag_core.embedding.context import CONTEXT_VERSION
from rag_core.embedding.summaries import PROMPT_VERSION
from rag_core.indexing.staging import stage_notes
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import batches_by_tenant


def code_version(sizes: Chunking) -> str:
    """Code version of the pipeline: chunker, sizes in tokens, contexts, the instructions for summaries."""
    tokens = f"{sizes.max_chunk_size}/{sizes.overlap_size}/{sizes.min_chunk_size}"
    chunkers = "/".join(CHUNKERS.get(name).version for _, _, name in parse_choice("").names)
    return f"chunker-{chunkers} sizes-{tokens} context-{CONTEXT_VERSION} summaries-{PROMPT_VERSION}"


class StagingConfig(dg.Config):
    """Configuration of a run."""

    is_full: bool = Field(default=False, description="Make every note anew, not only stale ones.")


@batch_asset(
    deps=[notes],
    kinds={"python", "postgres"},
    code_version=code_version(DEFAULT_RETRIEVAL_CONFIG.chunking),
    description=(
        "Sentences, and as many of them a chunk as fit. Only notes that are new, were edited or were made by another "
        "pipeline; what readers see does not change yet."
    ),
)
def chunks(context: dg.AssetExecutionContext, config: StagingConfig, engine: dg.ResourceParam[Engine]) -> Materialized:
    """Stage the batches' stale notes."""
    clock = Stopwatch()
    with outages_retried(context):
        batches = batches_by_tenant(engine.database, context.partition_keys)
        reports = [
            stage_notes(engine.database, tenant, keys, engine.pipeline, is_full=config.is_full)
            for tenant, keys in batches.items()
        ]
        counts = {
            name: total(reports, name)
            for name in ("notes", "chunks", "summarised", "without_summary", "failed", "flagged", "enriched")
        }
        return dg.MaterializeResult(
            metadata={
                **stage_metadata(engine.database, engine.pipeline, batches, "preview_staged_chunks", clock, **counts),
                "chunks_per_note": ratio(counts["chunks"], counts["notes"]),
            },
            data_version=dg.DataVersion(engine.pipeline.fingerprint),
        )
