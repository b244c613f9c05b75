"""Publication: staged chunks go live with their vectors, posting lists and statistics."""

import dagster as dg

from rag_assets.embeddings import embeddings
from rag_assets.stages import (
    DAILY,
    WRITING_POOL,
    Materialized,
    Stopwatch,
    batch_asset,
    outages_retried,
    ratio,
    stage_metadata,
    total,
)
from rag_core.indexing.publishing import maintain, publish_staged
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import batches_by_tenant
from rag_core.storage.overviews import fetch_progress


@batch_asset(
    deps=[embeddings],
    kinds={"postgres"},
    pool=WRITING_POOL,
    freshness_policy=DAILY,
    code_version="1",
    description=(
        "The live index. Each note flips from its old chunks to its new ones in one transaction, with postings and BM25 "
        "statistics; then the statistics are folded and the vector index is made once it pays."
    ),
)
def fulltext_index(context: dg.AssetExecutionContext, engine: dg.ResourceParam[Engine]) -> Materialized:
    """Publish the batches' staged notes and keep the index lean."""
    clock = Stopwatch()
    with outages_retried(context):
        batches = batches_by_tenant(engine.database, context.partition_keys)
        reports = [publish_staged(engine.database, tenant, keys, engine.pipeline) for tenant, keys in batches.items()]
        folded = [maintain(engine.database, tenant, engine.pipeline) for tenant in batches]
        progress = [
            fetch_progress(engine.database, tenant, fingerprint=engine.pipeline.fingerprint) for tenant in batches
        ]
        counts = {name: total(reports, name) for name in ("published", "left", "deleted", "failed")}
        return dg.MaterializeResult(
            metadata={
                **stage_metadata(
                    engine.database,
                    engine.pipeline,
                    batches,
                    "preview_live_chunks",
                    clock,
                    **counts,
                    folded=sum(folded),
                ),
                "batches_up_to_date": ratio(total(progress, "done"), total(progress, "batches")),
            },
            data_version=dg.DataVersion(engine.pipeline.fingerprint),
        )
