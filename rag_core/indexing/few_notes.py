"""Few stale notes, indexed at once by the process that stored them; many are left to the pipeline's runs."""

from rag_core.chat import ChatModel
from rag_core.graph.rules import RuleExtractor
from rag_core.indexing.graph import update_graph
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.note import TenantId
from rag_core.storage.batches import pending_batches, register_batches, stale_batches
from rag_core.storage.database import Database
from rag_core.storage.overviews import fetch_newest_stale_change

MAX_NOTES = 20


def index_few(database: Database, tenant: TenantId, pipeline: Pipeline, *, chat: ChatModel | None = None) -> int:
    """Index the tenant's stale notes where there are at most ``MAX_NOTES``, by the steps of a run; how many went live.

    A run beside it does no harm: what one has published, the other finds indexed. Left to the runs is whatever asks a chat model, which
    takes long: all of it with a summariser, with ``chat`` the causal graph.

    Raises:
        EmbeddingError: the provider failed; nothing live was touched.
        ModelChangedError: another model was promoted; what was published before that stays.
    """
    stale, _ = fetch_newest_stale_change(database, tenant, fingerprint=pipeline.fingerprint)
    if not 0 < stale <= MAX_NOTES or pipeline.summariser is not None:
        return 0
    register_batches(database, tenant)
    pending = set(pending_batches(database, tenant))  # a migration's to chunk
    keys = [key for key in stale_batches(database, tenant, fingerprint=pipeline.fingerprint) if key not in pending]
    if not keys:
        return 0
    stage_notes(database, tenant, keys, pipeline)
    embed_staged(database, tenant, keys, pipeline)
    published = publish_staged(database, tenant, keys, pipeline).published
    if chat is None:
        update_graph(database, tenant, keys, extractor=RuleExtractor())
    return published
