"""The registry of embedding models."""

from rag_core.embedding import EmbeddingModel
from rag_core.errors import DatabaseSetupError
from rag_core.storage.database import Connection
from rag_core.storage.queries import query

_COLUMNS = (
    "id",
    "name",
    "provider",
    "version",
    "dimensions",
    "query_prefix",
    "document_prefix",
    "context_tokens",
    "similarity_threshold",
    "fusion_method",
    "semantic_weight",
    "fulltext_weight",
    "uses_contextual",
    "state",
)


def fetch_active_model(connection: Connection) -> EmbeddingModel:
    """The model that queries are embedded with.

    Raises:
        DatabaseSetupError: no model is active.
    """
    row = connection.execute(query("active_model")).fetchone()
    if row is None:
        raise DatabaseSetupError("no embedding model is active; promote one with `brain models promote NAME`")
    return EmbeddingModel(**dict(zip(_COLUMNS, row, strict=True)))
