"""Asset of the causal relations in the notes, read from their live text."""

import dagster as dg

from rag_assets.fulltext_index import fulltext_index
from rag_assets.stages import (
    WRITING_POOL,
    Materialized,
    Stopwatch,
    batch_asset,
    outages_retried,
    stage_metadata,
    total,
)
from rag_core.graph.llm import PROMPT_VERSION, causal_extractor
from rag_core.graph.rules import RULES_FINGERPRINT
from rag_core.indexing.graph import update_graph
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import batches_by_tenant


@batch_asset(
    deps=[fulltext_index],
    kinds={"python", "postgres"},
    pool=WRITING_POOL,
    code_version=f"{RULES_FINGERPRINT} instructions-{PROMPT_VERSION}",
    description=(
        "Entities and the causal relations between them, each with the sentence that says so. Only notes that are new, were "
        "indexed anew or were read by another extractor; relations go with their chunk."
    ),
)
def knowledge_graph(context: dg.AssetExecutionContext, engine: dg.ResourceParam[Engine]) -> Materialized:
    """Read the batches' notes that have not been read as they stand."""
    clock = Stopwatch()
    with outages_retried(context):
        extractor = causal_extractor(engine.chat)
        batches = batches_by_tenant(engine.database, context.partition_keys)
        reports = [update_graph(engine.database, tenant, keys, extractor=extractor) for tenant, keys in batches.items()]
        counts = {name: total(reports, name) for name in ("notes", "failed", "entities", "relations")}
        return dg.MaterializeResult(
            metadata={
                **stage_metadata(engine.database, engine.pipeline, batches, "preview_relations", clock, **counts),
                "extractor": extractor.fingerprint,
            },
            data_version=dg.DataVersion(extractor.fingerprint),
        )
