"""The stored notes of a batch, looked at before anything is made of them."""

import dagster as dg

from rag_assets.folders import documents
from rag_assets.stages import Materialized, Stopwatch, batch_asset, outages_retried, stage_metadata, total
from rag_core.migration.measuring import measure_before
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import batches_by_tenant
from rag_core.storage.overviews import fetch_batch_overviews


@batch_asset(
    deps=[documents],
    kinds={"postgres"},
    code_version="1",
    description=(
        "Notes as they were imported, up to 100 a batch, newest first. Counts them, finds the stale ones and those whose "
        "text is not the one their hash was made from."
    ),
)
def notes(context: dg.AssetExecutionContext, engine: dg.ResourceParam[Engine]) -> Materialized:
    """Verify the batches; each partition gets its own counts. A migration about to begin is measured here, in no pool."""
    clock = Stopwatch()
    with outages_retried(context):
        batches = batches_by_tenant(engine.database, context.partition_keys)
        for tenant in batches:
            measure_before(engine, tenant)
        overviews = [
            overview
            for tenant, keys in batches.items()
            for overview in fetch_batch_overviews(
                engine.database, tenant, keys, fingerprint=engine.pipeline.fingerprint
            )
        ]
        for overview in overviews:
            context.add_asset_metadata(
                {
                    "notes_in_batch": overview.notes,
                    "stale_in_batch": overview.stale,
                    "characters_in_batch": overview.characters,
                    "oldest": overview.oldest.isoformat(),
                    "newest": overview.newest.isoformat(),
                },
                partition_key=overview.batch,
            )
        counts = {name: total(overviews, name) for name in ("notes", "stale", "characters", "damaged")}
        return dg.MaterializeResult(
            metadata=stage_metadata(engine.database, engine.pipeline, batches, "preview_notes", clock, **counts)
        )
