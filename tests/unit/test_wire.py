from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

from rag_core.model import ChunkId, Hit, Note, NoteId, Retrieval, TransformedQuery
from rag_core.wire import moment_to_wire, note_to_wire, retrieval_to_wire

HIT = Hit(
    chunk_id=ChunkId(UUID(int=1)),
    note_id=NoteId(UUID(int=2)),
    external_id="n1",
    source="diario",
    title="Reunión",
    language="es",
    created_at=datetime(2025, 3, 3, 9, tzinfo=timezone(timedelta(hours=1))),
    content="conflicto",
    expanded_content="Un conflicto grave",
    bounds=(3, 12),
    matched_spans=((3, 12),),
    chunk_index=2,
    score=0.5,
    fusion_score=0.016,
    method="hybrid",
    ranks={"semantic": 2, "fulltext": 1},
)
RETRIEVAL = Retrieval(query="q", strategy="hybrid", hits=(HIT,), latency_ms=12.5, stages={"retrieval": 9.0})


def test_a_retrieval_is_written_in_camel_case() -> None:
    assert retrieval_to_wire(RETRIEVAL) == {
        "results": [
            {
                "chunkId": "00000000-0000-0000-0000-000000000001",
                "noteId": "00000000-0000-0000-0000-000000000002",
                "externalId": "n1",
                "source": "diario",
                "title": "Reunión",
                "createdAt": "2025-03-03T08:00:00Z",
                "content": "conflicto",
                "expandedContent": "Un conflicto grave",
                "score": 0.5,
                "metadata": {
                    "chunkIndex": 2,
                    "matchedChunkBounds": {"start": 3, "end": 12},
                    "matchedSpans": [{"start": 3, "end": 12}],
                    "retrievalMethod": "hybrid",
                    "fusionScore": 0.016,
                    "ranks": {"semantic": 2, "fulltext": 1},
                },
            }
        ],
        "metadata": {
            "query": "q",
            "transformedQuery": None,
            "strategy": "hybrid",
            "latencyMs": 12.5,
            "stages": {"retrieval": 9.0},
            "warnings": [],
        },
    }


def test_what_a_later_stage_computed_is_written_when_it_is_there() -> None:
    hit = replace(HIT, original_score=0.4, rerank_score=0.9, causal_path=("ruido", "insomnio"))

    metadata = retrieval_to_wire(replace(RETRIEVAL, hits=(hit,)))["results"][0]["metadata"]

    assert (metadata["originalScore"], metadata["rerankScore"]) == (0.4, 0.9)
    assert metadata["causalPath"] == ["ruido", "insomnio"]


def test_a_hypothetical_answer_is_null_when_there_is_none() -> None:
    transformed = TransformedQuery(original_query="q", intent="causal", sub_queries=("a", "b"), hyde_answer=None)

    wire = retrieval_to_wire(replace(RETRIEVAL, transformed=transformed))["metadata"]["transformedQuery"]

    assert wire == {"intent": "causal", "subQueries": ["a", "b"], "hydeAnswer": None}


def test_a_note_is_written_with_all_its_text() -> None:
    note = Note(
        id=NoteId(UUID(int=2)),
        external_id="n1",
        source="diario",
        title=None,
        content="Texto",
        language="es",
        created_at=datetime(2025, 7, 1, tzinfo=UTC),
        metadata={"tags": ["a"]},
    )

    assert note_to_wire(note) == {
        "id": "00000000-0000-0000-0000-000000000002",
        "externalId": "n1",
        "source": "diario",
        "title": None,
        "content": "Texto",
        "createdAt": "2025-07-01T00:00:00Z",
        "language": "es",
        "metadata": {"tags": ["a"]},
    }


def test_microseconds_are_kept() -> None:
    assert moment_to_wire(datetime(2025, 7, 1, 1, 2, 3, 4, tzinfo=UTC)) == "2025-07-01T01:02:03.000004Z"
