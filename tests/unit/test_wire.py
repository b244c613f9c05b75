from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID
from zoneinfo import ZoneInfo

from rag_core.model.note import ChunkId, Note, NoteId
from rag_core.model.retrieval import Hit, Retrieval, TransformedQuery
from rag_core.retrieval.filters import parse_filters
from rag_core.wire.values import moment_to_wire, note_to_wire, retrieval_to_wire

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
    start_char=0,
    bounds=(3, 12),
    matched_spans=((3, 12),),
    chunk_index=2,
    score=0.5,
    fusion_score=0.016,
    method="hybrid",
    ranks={"semantic": 2, "fulltext": 1},
)
TRANSFORMED = TransformedQuery(
    original_query="q", intent="causal", sub_queries=("a", "b"), timestamp=datetime(2025, 11, 20, tzinfo=UTC)
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
                    "isAboveThreshold": None,
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
    hit = replace(
        HIT, original_score=0.4, rerank_score=0.9, causal_path=("e1", "e2"), causal_path_names=("ruido", "insomnio")
    )

    metadata = retrieval_to_wire(replace(RETRIEVAL, hits=(hit,)))["results"][0]["metadata"]

    assert (metadata["originalScore"], metadata["rerankScore"]) == (0.4, 0.9)
    assert (metadata["causalPath"], metadata["causalPathNames"]) == (["e1", "e2"], ["ruido", "insomnio"])


def test_a_hypothetical_answer_is_null_when_there_is_none() -> None:
    wire = retrieval_to_wire(replace(RETRIEVAL, transformed=TRANSFORMED))["metadata"]["transformedQuery"]

    assert wire == {"intent": "causal", "subQueries": ["a", "b"], "hydeAnswer": None}


def test_the_time_that_the_query_asks_for_is_written_in_utc() -> None:
    zone = timezone(timedelta(hours=1))
    interval = (datetime(2025, 11, 10, tzinfo=zone), datetime(2025, 11, 17, tzinfo=zone))

    wire = retrieval_to_wire(replace(RETRIEVAL, transformed=TRANSFORMED, interval=interval))

    assert wire["metadata"]["transformedQuery"]["timeRange"] == {
        "from": "2025-11-09T23:00:00Z",
        "to": "2025-11-16T23:00:00Z",
    }


def test_the_time_of_an_answer_given_back_as_a_filter_means_the_same() -> None:
    interval = (datetime(2025, 11, 9, 23, tzinfo=UTC), datetime(2025, 11, 16, 23, tzinfo=UTC))
    wire = retrieval_to_wire(replace(RETRIEVAL, transformed=TRANSFORMED, interval=interval))

    filters = parse_filters(
        wire["metadata"]["transformedQuery"]["timeRange"],
        zone=ZoneInfo("Asia/Tokyo"),
        resolve=lambda name: NoteId(UUID(name)),
    )

    assert (filters.since, filters.until) == interval


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
