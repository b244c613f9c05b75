"""Entities and relations that were read in a document, on the wire. Pure.

Names and evidence are the document's own text: the graph may have an entity's name from a note that the reader must not see.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.schemas import Score
from rag_core.model.graph import EntityType, RelationKind
from rag_core.model.note import Note
from rag_core.storage.graph import MAX_EVIDENCE_CHARACTERS
from rag_core.storage.note_graph import StoredMention, StoredRelation


class _Body(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, frozen=True)


class MentionOut(_Body):
    """A mention: `content[start:end]` of the note, in code points."""

    start: int
    end: int
    chunk_id: str = Field(description="The chunk that holds most of it.")


class EntitySummary(_Body):
    """An entity; other documents that speak of it have the same id."""

    id: str
    name: str = Field(description="Its shortest mention.")
    type: EntityType
    mentions: list[MentionOut]


class GraphEdge(_Body):
    """A relation between two nodes; of the causal types the source is the cause."""

    id: str
    source: str = Field(description="`id` of a node, as `target`.")
    target: str
    type: RelationKind
    confidence: Score
    evidence: str = Field(description=f"The text that says so, at most {MAX_EVIDENCE_CHARACTERS} characters.")
    start: int = Field(description="The evidence is `content[start:end]` of the note, in code points.")
    end: int
    chunk_id: str


class DocumentGraph(_Body):
    """Entities of a document as nodes, its relations between them as edges; both in the order of the text."""

    document_id: str
    nodes: list[EntitySummary]
    edges: list[GraphEdge]


def entities_to_wire(note: Note, mentions: Sequence[StoredMention]) -> list[dict[str, Any]]:
    """The entities by their first mention."""
    places: defaultdict[str, list[StoredMention]] = defaultdict(list)
    for mention in mentions:
        places[str(mention.entity_id)].append(mention)
    return [
        {
            "id": entity,
            "name": min((" ".join(note.content[place.start : place.end].split()) for place in found), key=len),
            "type": "CONCEPT",
            "mentions": [{"start": place.start, "end": place.end, "chunkId": str(place.chunk_id)} for place in found],
        }
        for entity, found in places.items()
    ]


def document_graph_to_wire(
    note: Note, mentions: Sequence[StoredMention], relations: Iterable[StoredRelation]
) -> dict[str, Any]:
    """Nodes, and the edges whose two ends are nodes."""
    known = {mention.entity_id for mention in mentions}
    return {
        "documentId": str(note.id),
        "nodes": entities_to_wire(note, mentions),
        "edges": [_edge(note, one) for one in relations if {one.source_id, one.target_id} <= known],
    }


def _edge(note: Note, relation: StoredRelation) -> dict[str, Any]:
    return {
        "id": str(relation.relation_id),
        "source": str(relation.source_id),
        "target": str(relation.target_id),
        "type": relation.kind,
        "confidence": relation.confidence,
        "evidence": note.content[relation.start : relation.end][:MAX_EVIDENCE_CHARACTERS],
        "start": relation.start,
        "end": relation.end,
        "chunkId": str(relation.chunk_id),
    }
