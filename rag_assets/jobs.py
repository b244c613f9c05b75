"""Jobs to run with one click: the whole pipeline, the index without its evaluation, every check of what is live."""

import dagster as dg

from rag_assets.checks import BATCH_CHECKS, GOLDEN_CHECKS, INDEX_CHECKS
from rag_assets.chunks import chunks
from rag_assets.embeddings import embeddings
from rag_assets.evaluation_report import evaluation_report
from rag_assets.fulltext_index import fulltext_index
from rag_assets.knowledge_graph import knowledge_graph
from rag_assets.migration_checks import MIGRATION_CHECKS
from rag_assets.notes import notes
from rag_assets.stages import OWNERS

INDEX_ASSETS = [notes, chunks, embeddings, fulltext_index, knowledge_graph]
INDEX_KEYS = [asset.key for asset in INDEX_ASSETS]

update_index = dg.define_asset_job(
    "update_index",
    selection=dg.AssetSelection.assets(*INDEX_ASSETS).without_checks() | dg.AssetSelection.checks(*BATCH_CHECKS),
    owners=OWNERS,
    tags={"brain/purpose": "indexing"},
    description="Bring batches up to date, with the checks that need no more than these; what `brain index` runs.",
)
index_notes = dg.define_asset_job(
    "index_notes",
    selection=dg.AssetSelection.assets(*INDEX_ASSETS, evaluation_report),
    owners=OWNERS,
    tags={"brain/purpose": "evaluation"},
    description="Bring batches up to date, check the whole index and measure it on the golden sets.",
)
check_index = dg.define_asset_job(
    "check_index",
    selection=dg.AssetSelection.checks(*BATCH_CHECKS, *INDEX_CHECKS, *GOLDEN_CHECKS, *MIGRATION_CHECKS),
    owners=OWNERS,
    tags={"brain/purpose": "verification"},
    description="Check all notes, all that is staged, the whole live index, migrations and golden sets; changes nothing.",
)
