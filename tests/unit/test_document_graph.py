"""Entities and relations of a document on the wire."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from rag_core.api.rag_v2.document_graph import document_graph_to_wire, entities_to_wire
from rag_core.model.note import ChunkId, Note, NoteId
from rag_core.storage.graph import MAX_EVIDENCE_CHARACTERS
from rag_core.storage.note_graph import StoredMention, StoredRelation

RAIN, FLOOD, HIDDEN = uuid4(), uuid4(), uuid4()
CHUNK = ChunkId(uuid4())


def note_of(content: str) -> Note:
    return Note(
        id=NoteId(uuid4()),
        external_id="n1",
        source="s",
        title=None,
        content=content,
        language="en",
        created_at=datetime(2025, 1, 1, tzinfo=UTC),
        metadata={},
    )


def mention(entity: UUID, start: int, end: int) -> StoredMention:
    return StoredMention(entity_id=entity, start=start, end=end, chunk_id=CHUNK)


def relation(source: UUID, target: UUID, end: int) -> StoredRelation:
    return StoredRelation(
        relation_id=uuid4(),
        source_id=source,
        target_id=target,
        kind="CAUSES",
        start=0,
        end=end,
        confidence=0.5,
        chunk_id=CHUNK,
    )


def test_an_entity_is_called_by_its_shortest_mention_on_one_line() -> None:
    note = note_of("the long heavy rain; heavy\n rain; rains heavy")

    (entity,) = entities_to_wire(note, [mention(RAIN, 0, 19), mention(RAIN, 21, 32), mention(RAIN, 34, 45)])

    assert entity["name"] == "heavy rain"
    assert [(one["start"], one["end"], one["chunkId"]) for one in entity["mentions"]] == [
        (0, 19, str(CHUNK)),
        (21, 32, str(CHUNK)),
        (34, 45, str(CHUNK)),
    ]


def test_an_edge_has_both_its_ends_among_the_nodes() -> None:
    note = note_of("rain flood")
    mentions = [mention(RAIN, 0, 4), mention(FLOOD, 5, 10)]
    relations = [relation(RAIN, FLOOD, 10), relation(RAIN, HIDDEN, 10), relation(HIDDEN, FLOOD, 10)]

    graph = document_graph_to_wire(note, mentions, relations)

    assert [(edge["source"], edge["target"]) for edge in graph["edges"]] == [(str(RAIN), str(FLOOD))]


def test_long_evidence_is_cut_and_keeps_its_place() -> None:
    note = note_of("x" * 2 * MAX_EVIDENCE_CHARACTERS)
    mentions = [mention(RAIN, 0, 4), mention(FLOOD, 5, 10)]

    (edge,) = document_graph_to_wire(note, mentions, [relation(RAIN, FLOOD, 2 * MAX_EVIDENCE_CHARACTERS)])["edges"]

    assert (len(edge["evidence"]), edge["end"]) == (MAX_EVIDENCE_CHARACTERS, 2 * MAX_EVIDENCE_CHARACTERS)
