"""The vectors of staged chunks."""

import dagster as dg

from rag_assets.chunks import chunks
from rag_assets.stages import Materialized, Stopwatch, batch_asset, stage_metadata, total
from rag_core.embedding.context import CONTEXT_VERSION
from rag_core.embedding.hashing import HASHING_VERSION
from rag_core.engine import Engine
from rag_core.errors import EmbeddingError
from rag_core.indexing.batches import batches_by_tenant
from rag_core.indexing.staging import embed_staged

HOW_TO_GO_ON = (
    "Nothing live was touched: the old chunks are still found, new notes by their words. When the provider answers again, "
    "run `brain index` or this partition; vectors computed so far are kept."
)


@batch_asset(
    deps=[chunks],
    kinds={"python", "postgres"},
    code_version=f"context-{CONTEXT_VERSION}-hashing-{HASHING_VERSION}",
    description=(
        "Two vectors a staged chunk, of its text alone and with its context, by the active embedding model. A vector "
        "whose input is known already is not computed again."
    ),
)
def embeddings(context: dg.AssetExecutionContext, engine: dg.ResourceParam[Engine]) -> Materialized:
    """Compute the vectors that the batches' staged chunks lack."""
    clock = Stopwatch()
    batches = batches_by_tenant(engine.database, context.partition_keys)
    try:
        reports = [embed_staged(engine.database, tenant, keys, engine.pipeline) for tenant, keys in batches.items()]
    except EmbeddingError as error:
        raise dg.Failure(
            description=f"{engine.model.name} gave no vectors: {error} {HOW_TO_GO_ON}",
            metadata={"model": engine.model.name, "provider": engine.model.provider},
        ) from error
    counts = {name: total(reports, name) for name in ("embedded", "reused")}
    return dg.MaterializeResult(
        metadata={
            **stage_metadata(engine, batches, "preview_staged_vectors", clock, **counts),
            "model": f"{engine.model.name}@{engine.model.version}",
        },
        data_version=dg.DataVersion(engine.pipeline.fingerprint),
    )
