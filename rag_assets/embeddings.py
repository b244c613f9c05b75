"""The vectors of staged chunks."""

from collections.abc import Callable

import dagster as dg

from rag_assets.chunks import chunks
from rag_assets.stages import (
    EMBEDDING_POOL,
    Materialized,
    Stopwatch,
    batch_asset,
    outages_retried,
    ratio,
    stage_metadata,
    total,
)
from rag_core.embedding.context import CONTEXT_VERSION
from rag_core.embedding.providers.hashing import HASHING_VERSION
from rag_core.indexing.staging import embed_staged
from rag_core.indexing.whole_notes import embed_whole_notes
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import batches_by_tenant


@batch_asset(
    deps=[chunks],
    kinds={"python", "postgres"},
    pool=EMBEDDING_POOL,
    code_version=f"context-{CONTEXT_VERSION} hashing-{HASHING_VERSION}",
    description=(
        "Two vectors a staged chunk, of its text alone and with its context, by the active embedding model. A vector "
        "whose input is known already is not computed again."
    ),
)
def embeddings(context: dg.AssetExecutionContext, engine: dg.ResourceParam[Engine]) -> Materialized:
    """Compute the vectors that the batches' staged chunks lack, and those of notes that are to stay whole."""
    clock = Stopwatch()
    with outages_retried(context):
        batches = batches_by_tenant(engine.database, context.partition_keys)
        reports = []
        for tenant, keys in batches.items():
            tell = _progress_log(context, Stopwatch())
            reports.append(embed_staged(engine.database, tenant, keys, engine.pipeline, on_progress=tell))
            reports.append(embed_whole_notes(engine.database, tenant, keys, engine.pipeline))
        counts = {name: total(reports, name) for name in ("embedded", "reused", "failed")}
        return dg.MaterializeResult(
            metadata={
                **stage_metadata(engine.database, engine.pipeline, batches, "preview_staged_vectors", clock, **counts),
                "vectors_per_second": ratio(counts["embedded"], clock.seconds),
                "model": f"{engine.model.name}@{engine.model.version}",
            },
            data_version=dg.DataVersion(engine.pipeline.fingerprint),
        )


def _progress_log(context: dg.AssetExecutionContext, clock: Stopwatch) -> Callable[[int, int], None]:
    """Write chunks done, their number and the remaining time to the run's log."""

    def tell(done: int, total: int) -> None:
        remaining = clock.seconds * (total - done) / done
        context.log.info("%d of %d chunks have their vectors, %.0f s remaining", done, total, remaining)

    return tell
