"""Properties of every answer to a query over stored notes, whatever the strategy (properties 1 to 5, 13, 14, 39)."""

import itertools
import math
from dataclasses import dataclass
from typing import Any, get_args

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from properties.corpora import (
    SEED,
    Corpus,
    indexed,
    new_tenant,
    note_texts,
    parsed,
    queries_about,
    small_sizes,
    staged,
    stored,
)

from rag_core.configuration.schema import configure
from rag_core.model.retrieval import Retrieval, Strategy
from rag_core.retrieval.request import checked_query
from rag_core.retrieval.retrieve import retrieve
from rag_core.storage.search import search_fulltext, search_semantic

pytestmark = pytest.mark.slow

EXAMPLES = settings(max_examples=100)
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
PATIENCE_MS = 60_000
WEIGHTS = st.sampled_from((None, 0.0, 0.25, 1.0))
_ANSWERS: dict[str, dict[Strategy, Retrieval]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A query over notes of which most are indexed and some are not, and what differs from the defaults."""

    corpus: Corpus
    query: str
    override: dict[str, Any]


@st.composite
def overrides(draw: st.DrawFn) -> dict[str, Any]:
    """Configurations that change what is found and shown; all of them valid."""
    semantic, fulltext = draw(st.tuples(WEIGHTS, WEIGHTS).filter(lambda pair: pair != (0.0, 0.0)))
    return {
        "hybridSearch": {
            "method": draw(st.sampled_from((None, "rrf", "relative_score", "weighted"))),
            "rrfK": draw(st.sampled_from((1, 60))),
            "semanticWeight": semantic,
            "fulltextWeight": fulltext,
            "threshold": draw(st.sampled_from((None, 0.0, 0.2))),
        },
        "contextExpansion": {
            "enabled": draw(st.booleans()),
            "sentencesBefore": draw(st.integers(0, 3)),
            "sentencesAfter": draw(st.integers(0, 3)),
            "maxWindowSize": draw(st.sampled_from((1, 30, 1024))),
        },
        "contextualEmbeddings": {"useForRetrieval": draw(st.sampled_from((None, True, False)))},
        "topK": {"final": draw(st.integers(1, 20))},
    }


@st.composite
def searches(draw: st.DrawFn, library: list[Corpus]) -> Search:
    """A corpus, a query about its notes, and how to search."""
    corpus = draw(st.sampled_from(library))
    return Search(corpus=corpus, query=draw(queries_about(list(corpus.notes.values()))), override=draw(overrides()))


def found(engine, tenant, query: str, override: dict[str, Any], strategy: Strategy) -> Retrieval:
    config = configure(override, strategy=strategy)
    return retrieve(engine, tenant, query, config=config, timeout_ms=PATIENCE_MS, use_cache=False)


def all_found(engine, search: Search) -> dict[Strategy, Retrieval]:
    """Results by strategy; properties of one seed draw the same searches, each of which is made once."""
    tenant, query, override = search.corpus.tenant, search.query, search.override
    key = f"{tenant} {query!r} {override}"
    if key not in _ANSWERS:
        _ANSWERS[key] = {name: found(engine, tenant, query, override, name) for name in STRATEGIES}
    return _ANSWERS[key]


@pytest.mark.property(1)
@seed(SEED)
@EXAMPLES
@given(data=st.data())
def test_every_score_of_every_strategy_is_between_zero_and_one(engine, library, data) -> None:
    search = data.draw(searches(library))

    answers = all_found(engine, search)

    for answer in answers.values():
        for hit in answer.hits:
            scores = [hit.score, hit.original_score, hit.rerank_score]
            assert all(0 <= score <= 1 for score in scores if score is not None)


@pytest.mark.property(2)
@EXAMPLES
@given(data=st.data(), k=st.integers(1, 200), weights=st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)))
def test_the_fusion_score_is_the_sum_over_the_rankings_that_hold_the_chunk(engine, library, data, k, weights) -> None:
    search = data.draw(searches(library))
    by_leg = dict(zip(("semantic", "fulltext"), weights, strict=True))
    override = {
        "hybridSearch": {"method": "rrf", "rrfK": k, "semanticWeight": weights[0], "fulltextWeight": weights[1]},
        "queryTransformation": {"enabled": False},
        "graphRAG": {"enabled": False},
        "topK": {"final": 20},
    }

    answer = found(engine, search.corpus.tenant, search.query, override, "hybrid")

    places = leg_places(engine, search.corpus.tenant, search.query)
    for hit in answer.hits:
        ranks = {leg: ranking[hit.chunk_id] for leg, ranking in places.items() if hit.chunk_id in ranking}
        assert hit.ranks == ranks
        assert hit.fusion_score == pytest.approx(sum(by_leg[leg] / (k + rank) for leg, rank in ranks.items()))


def leg_places(engine, tenant, query: str) -> dict[str, dict[Any, int]]:
    """Results of each leg by itself: chunks with their ranks from 1."""
    text = checked_query(query)
    vector = engine.query_embedder.embed([text], role="query")[0]
    semantic = search_semantic(
        engine.database, tenant, vector, model=engine.model, searched="contextual", limit=40, timeout_ms=PATIENCE_MS
    )
    fulltext = search_fulltext(engine.database, tenant, text, limit=40, timeout_ms=PATIENCE_MS).ranking
    similar = [chunk for chunk, score in semantic if score >= 0]
    return {
        "semantic": {chunk: rank for rank, chunk in enumerate(similar, 1)},
        "fulltext": {chunk: rank for rank, (chunk, _) in enumerate(fulltext, 1)},
    }


@pytest.mark.property(3)
@seed(SEED)
@EXAMPLES
@given(data=st.data())
def test_no_result_has_a_higher_score_than_the_one_before(engine, library, data) -> None:
    search = data.draw(searches(library))

    answers = all_found(engine, search)

    for answer in answers.values():
        scores = [hit.score for hit in answer.hits]
        assert all(math.isfinite(score) for score in scores)
        assert all(before >= after for before, after in itertools.pairwise(scores))


@pytest.mark.property(4)
@seed(SEED)
@EXAMPLES
@given(data=st.data())
def test_hybrid_search_has_a_result_whenever_one_of_its_legs_has(engine, library, data) -> None:
    search = data.draw(searches(library))

    answers = all_found(engine, search)

    if answers["semantic"].hits or answers["fulltext"].hits:
        assert answers["hybrid"].hits
        assert answers["hybrid+rerank"].hits


@pytest.mark.property(5)
@seed(SEED)
@EXAMPLES
@given(data=st.data())
def test_every_result_says_which_chunk_of_which_note_it_is_and_where_it_matched(engine, library, data) -> None:
    search = data.draw(searches(library))

    answers = all_found(engine, search)

    chunks = {chunk.chunk_id: chunk for held in search.corpus.chunks.values() for chunk in held}
    for answer in answers.values():
        for hit in answer.hits:
            chunk = chunks[hit.chunk_id]
            note = search.corpus.notes[hit.note_id]
            assert (hit.note_id, hit.chunk_index) == (chunk.note_id, chunk.index)
            assert (hit.external_id, hit.title) == (note.external_id, note.title)
            assert hit.content
            assert hit.expanded_content
            assert isinstance(hit.score, float)
            assert 0 <= hit.bounds[0] < hit.bounds[1] <= len(hit.expanded_content)
            assert hit.bounds in hit.matched_spans


@pytest.mark.property(13)
@seed(SEED)
@EXAMPLES
@given(data=st.data())
def test_what_is_shown_around_a_match_is_a_stretch_of_its_note(engine, library, data) -> None:
    search = data.draw(searches(library))

    answers = all_found(engine, search)

    for answer in answers.values():
        assert all(hit.expanded_content in search.corpus.notes[hit.note_id].content for hit in answer.hits)


@pytest.mark.property(14)
@seed(SEED)
@EXAMPLES
@given(data=st.data())
def test_the_matched_chunk_stands_in_what_is_shown_at_the_bounds_that_are_given(engine, library, data) -> None:
    search = data.draw(searches(library))

    answers = all_found(engine, search)

    chunks = {chunk.chunk_id: chunk for held in search.corpus.chunks.values() for chunk in held}
    for answer in answers.values():
        for hit in answer.hits:
            start, end = hit.bounds
            chunk = chunks[hit.chunk_id]
            assert hit.expanded_content[start:end] == hit.content
            assert hit.content in chunk.content
            assert hit.content == chunk.content or chunk.method == "whole_note"


@pytest.mark.property(39)
@EXAMPLES
@given(
    texts=st.lists(note_texts(max_blocks=2), min_size=2, max_size=4),
    states=st.lists(st.sampled_from(("stored", "staged", "indexed", "edited")), min_size=4, max_size=4),
    sizes=small_sizes(),
)
def test_a_search_finds_notes_whether_they_are_indexed_already_or_not(engine, texts, states, sizes) -> None:
    tenant = new_tenant()
    notes = [parsed(f"{text}\n\nEl acueducto.", f"n{number}") for number, text in enumerate(texts, 1)]
    by_state = {state: [note for note, own in zip(notes, states, strict=False) if own == state] for state in states}
    known = stored(engine, tenant, by_state.get("indexed", []) + by_state.get("edited", []))
    indexed(engine, tenant, sizes=sizes)
    known |= stored(engine, tenant, by_state.get("staged", []))
    staged(engine, tenant)
    edited = [parsed(f"Corregido. {note.content}", note.external_id) for note in by_state.get("edited", [])]
    known |= stored(engine, tenant, by_state.get("stored", []) + edited)

    for strategy in ("fulltext", "hybrid", "hybrid+rerank"):
        answer = found(engine, tenant, "el acueducto", {"topK": {"final": 20}}, strategy)

        assert {hit.note_id for hit in answer.hits} == set(known)
        assert all(hit.expanded_content in known[hit.note_id].content for hit in answer.hits)
