"""Re-ranking: what holds for whatever texts, queries and scores."""

import uuid
from dataclasses import replace

import numpy as np
import pytest
from builders import make_candidate
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import spanish_text

from rag_core.errors import RerankingError
from rag_core.language.stemming import query_words
from rag_core.model.note import ChunkId, NoteId
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import Candidate
from rag_core.reranking.features import FEATURES, features
from rag_core.reranking.passage import as_probabilities
from rag_core.reranking.providers.embedded import EmbeddedReranker
from rag_core.reranking.providers.llm import parse_scores
from rag_core.reranking.weights import shipped_weights
from rag_core.retrieval.expansion import Fused
from rag_core.retrieval.rerank import MAX_CANDIDATES, placed

pytestmark = pytest.mark.slow

SCORES = st.floats(min_value=0, max_value=1)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    """Up to six passages of two languages, with scores of any of the legs or of none."""
    texts = draw(st.lists(spanish_text() | st.text(max_size=80), min_size=1, max_size=6))
    legs = st.dictionaries(
        st.sampled_from(["fulltext", "fulltext:2", "semantic", "graph"]), st.floats(-1, 50), max_size=3
    )
    return [
        make_candidate(
            text,
            chunk_id=ChunkId(uuid.UUID(int=at)),
            note_id=NoteId(uuid.UUID(int=at)),
            title=draw(st.none() | st.text(max_size=20)),
            language=draw(st.sampled_from(["es", "de", "en"])),
            score=draw(SCORES),
            leg_scores=draw(legs),
        )
        for at, text in enumerate(texts)
    ]


@st.composite
def statistics(draw: st.DrawFn, query: str) -> QueryStatistics:
    """Counts as they may be while others write: a word may be in more chunks than there seem to be."""
    words = query_words(query)
    known = st.dictionaries(st.sampled_from(words), st.integers(0, 500), max_size=8) if words else st.just({})
    documents = {language: draw(st.integers(0, 300)) for language in draw(st.sets(st.sampled_from(["es", "en", "de"])))}
    return QueryStatistics(documents=documents, frequencies={language: draw(known) for language in documents})


QUERIES = (
    spanish_text(max_blocks=1) | st.text(max_size=60) | st.sampled_from(["¿Cuántos perros?", "¿quién?", "a" * 3000])
)


@given(st.data(), QUERIES, candidates())
@settings(max_examples=150)
def test_every_feature_of_every_passage_is_in_the_unit_interval(data, query, passages) -> None:
    rows = features(query, passages, data.draw(statistics(query)))

    assert rows.shape == (len(passages), len(FEATURES))
    assert np.isfinite(rows).all()
    assert rows.min() >= 0
    assert rows.max() <= 1 + 1e-9


@given(st.data(), QUERIES, candidates())
@settings(max_examples=100)
def test_scores_are_probabilities_and_do_not_depend_on_the_order_of_the_candidates(data, query, passages) -> None:
    known = data.draw(statistics(query))
    reranker = EmbeddedReranker(weights=shipped_weights())

    forward = reranker.score(query, passages, statistics=known, timeout_seconds=1)
    backward = reranker.score(query, passages[::-1], statistics=known, timeout_seconds=1)

    assert all(0 < score < 1 for score in forward)
    assert np.allclose(forward, backward[::-1])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=8))
@settings(max_examples=150)
def test_raw_scores_keep_their_order_on_their_way_to_the_unit_interval(scores) -> None:
    found = as_probabilities(scores)

    assert all(0 <= score <= 1 for score in found)
    by_raw = sorted(range(len(scores)), key=lambda at: scores[at])
    assert [found[at] for at in by_raw] == sorted(found)


HOSTILE = st.sampled_from([0.0, 5e-324, 2.2250738585072014e-308, 1 / 3, 0.1, 1 - 2**-53, 1.0]) | SCORES
GRAPH = st.sampled_from([{"fulltext": 1}, {"fulltext": 1}, {"fulltext": 1, "graph": 1}, {"graph": 1}])


@st.composite
def searched(draw: st.DrawFn) -> list[Fused]:
    """More candidates than are re-ranked, in the order of the search; the causal graph found some of them."""
    found = draw(st.lists(st.tuples(HOSTILE, GRAPH), min_size=MAX_CANDIDATES + 1, max_size=MAX_CANDIDATES + 12))
    return [
        Fused(chunk_id=ChunkId(uuid.UUID(int=at)), score=score, fusion_score=score, ranks=ranks)
        for at, (score, ranks) in enumerate(sorted(found, key=lambda item: -item[0]))
    ]


@given(st.data(), searched())
@settings(max_examples=200)
def test_scores_never_rise_down_a_list_longer_than_what_is_re_ranked(data, candidates) -> None:
    head, tail = candidates[:MAX_CANDIDATES], candidates[MAX_CANDIDATES:]
    scored = [replace(item, score=data.draw(HOSTILE)) for item in head if set(item.ranks) != {"graph"}]

    found = placed(head, sorted(scored, key=lambda item: (-item.score, item.chunk_id)), tail)

    scores = [item.score for item in found]
    assert all(0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert {item.chunk_id for item in found} == {item.chunk_id for item in candidates}
    assert [item.chunk_id for item in found[len(head) :]] == [item.chunk_id for item in tail]
    place = {item.chunk_id: at for at, item in enumerate(found)}
    assert all(place[item.chunk_id] <= at for at, item in enumerate(head) if "graph" in item.ranks)


def test_the_tail_is_not_lifted_above_the_last_score_by_rounding() -> None:
    last = Fused(chunk_id=ChunkId(uuid.UUID(int=1)), score=0.39, fusion_score=1, ranks={"fulltext": 1})
    below = Fused(chunk_id=ChunkId(uuid.UUID(int=2)), score=0.58, fusion_score=1, ranks={"fulltext": 2})

    found = placed([last], [last], [below])

    assert 0.58 * (0.39 / 0.58) == 0.39000000000000007
    assert [item.score for item in found] == [0.39, 0.39]


@given(
    st.text(max_size=60)
    | st.sampled_from(["8/10", "0,8", "NaN", "null", "[]", "{}", '{"scores": []}', '{"scores": [1]}'])
)
@settings(max_examples=150)
def test_text_that_is_no_list_of_scores_is_refused_and_never_half_read(answer) -> None:
    try:
        parse_scores(answer, 2)
    except RerankingError:
        return
    raise AssertionError(answer)
