"""Figures of the legs of a search."""

from uuid import UUID

from rag_core.model.note import ChunkId
from rag_core.model.retrieval import RetrievalFigures
from rag_core.retrieval.figures import figures_of
from rag_core.retrieval.graph_paths import GraphHit
from rag_core.retrieval.legs import LegResults

A, B, C = (ChunkId(UUID(int=number)) for number in (1, 2, 3))


def hit(chunk: ChunkId, *entities: int, depth: int) -> GraphHit:
    ids = tuple(UUID(int=entity) for entity in entities)
    return GraphHit(chunk_id=chunk, relevance=0.5, path=tuple(map(str, entities)), path_ids=ids, depth=depth)


def test_what_every_leg_brought_is_counted_once_whatever_search_of_it_found_it() -> None:
    legs = LegResults(
        rankings={
            "semantic": [(A, 0.8), (B, 0.4)],
            "semantic:1": [(B, 0.6)],
            "fulltext": [(A, 3.0)],
            "graph": [(B, 0.8), (C, 0.6)],
        },
        graph={B: hit(B, 10, 11, depth=1), C: hit(C, 10, 11, 12, depth=2)},
        timings={"semantic": 5.0, "graph": 7.0, "fulltext": 1.0},
    )

    figures = figures_of(legs, fusion_ms=0.5, rerank_ms=None)

    assert figures == RetrievalFigures(
        semantic_hits=2,
        semantic_ms=5.0,
        semantic_best=0.8,
        semantic_mean=0.7,
        fulltext_hits=1,
        graph_hits=2,
        graph_ms=7.0,
        graph_depth=2,
        concepts=3,
        fusion_ms=0.5,
        overlap=2,
        rerank_ms=None,
    )


def test_a_leg_that_took_no_part_has_no_figures() -> None:
    figures = figures_of(LegResults(rankings={"fulltext": []}), fusion_ms=0.5, rerank_ms=1.5)

    assert figures == RetrievalFigures(fulltext_hits=0, fusion_ms=0.5, overlap=0, rerank_ms=1.5)


def test_the_mean_is_of_the_ten_best() -> None:
    chunks = [ChunkId(UUID(int=number)) for number in range(12)]
    legs = LegResults(rankings={"semantic": [(chunk, 0.0 if place > 9 else 0.5) for place, chunk in enumerate(chunks)]})

    assert figures_of(legs, fusion_ms=0.0, rerank_ms=None).semantic_mean == 0.5
