"""The part of the graph that was read in one note."""

from dataclasses import dataclass
from uuid import UUID

from rag_core.model.graph import RelationKind
from rag_core.model.note import ChunkId, NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.rows import fetch_all


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMention:
    """Mention of an entity: a span of the note, and the chunk that holds most of it."""

    entity_id: UUID
    start: int
    end: int
    chunk_id: ChunkId


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRelation:
    """A relation between two entities with its evidence: a span of the note, and the chunk that holds most of it."""

    relation_id: UUID
    source_id: UUID
    target_id: UUID
    kind: RelationKind
    start: int
    end: int
    confidence: float
    chunk_id: ChunkId


def fetch_mentions(connection: Connection, tenant: TenantId, note: NoteId) -> list[StoredMention]:
    """The mentions of a note in the order of its text."""
    return fetch_all(connection, StoredMention, "fetch_mentions", {"tenant": tenant, "note": note})


def fetch_relations(connection: Connection, tenant: TenantId, note: NoteId) -> list[StoredRelation]:
    """The relations of a note in the order of their evidence."""
    return fetch_all(connection, StoredRelation, "fetch_relations_of_note", {"tenant": tenant, "note": note})
