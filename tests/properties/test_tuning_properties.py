"""Properties of replays: a recording ranks as an evaluation of that configuration does, and begins with what is served."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from builders import make_embedding_model
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.corpora import Corpus, queries_about

from rag_core.configuration.schema import configure
from rag_core.evaluation.runs.asking import ranked_notes
from rag_core.evaluation.runs.served import DEPTH
from rag_core.evaluation.tuning.record import leg_search, record
from rag_core.evaluation.tuning.replay import Replay
from rag_core.evaluation.tuning.space import KNOBS, SERVED, Space
from rag_core.model.golden import GoldenQuery, Relevance
from rag_core.reranking.weights import shipped_weights
from rag_core.retrieval.retrieve import retrieve

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
PATIENCE_MS = 60_000
MODEL = make_embedding_model(dimensions=512, semantic_weight=0.25, fulltext_weight=0.75)


def golden(query: str, corpus: Corpus) -> GoldenQuery:
    return GoldenQuery(
        id=UUID(int=1),
        external_id=None,
        query=query,
        relevance=(Relevance(note_id=next(iter(corpus.notes))),),
        expected_answer="",
        category="factual",
        difficulty=3,
        tags=(),
        created_at=NOW,
        updated_at=NOW,
    )


@st.composite
def configurations(draw: st.DrawFn) -> dict:
    """Whatever tuning may change, at values that it need not try, and the numbers of candidates of every stage."""
    semantic, fulltext = draw(
        st.tuples(st.sampled_from((None, 0.0, 0.3, 1.0)), st.sampled_from((None, 0.0, 0.6, 1.0))).filter(
            lambda pair: pair != (0.0, 0.0)
        )
    )
    final, reranking, retrieval = sorted(draw(st.tuples(*[st.sampled_from((1, 2, 3, 5, 8, 13, 20, 50))] * 3)))
    return {
        "hybridSearch": {
            "method": draw(st.sampled_from((None, "rrf", "relative_score", "weighted"))),
            "rrfK": draw(st.integers(1, 100)),
            "semanticWeight": semantic,
            "fulltextWeight": fulltext,
            "recencyWeight": draw(st.sampled_from((0.0, 0.15, 1.0))),
            "recencyHalfLifeDays": draw(st.sampled_from((1.0, 30.0))),
            "threshold": draw(st.sampled_from((None, 0.0, 0.1, 0.3, 0.99))),
        },
        "graphRAG": {"weight": draw(st.sampled_from((0.0, 0.5, 1.0)))},
        "reranking": {"enabled": draw(st.booleans())},
        "topK": {"retrieval": retrieval, "reranking": reranking, "final": final},
    }


@settings(max_examples=100)
@given(data=st.data())
def test_a_replay_ranks_as_an_evaluation_does(engine, library, data) -> None:
    corpus = data.draw(st.sampled_from(library))
    query = data.draw(queries_about(list(corpus.notes.values())))
    strategy = data.draw(st.sampled_from(("semantic", "fulltext", "hybrid", "hybrid+rerank")))
    config = configure(data.draw(configurations()), strategy=strategy)

    searched = leg_search(engine, corpus.tenant, timeout_ms=PATIENCE_MS)
    recording = record(searched, [golden(query, corpus)], config=configure(), now=NOW)
    replay = Replay(recording=recording)
    replayed = replay.candidates(0, config, weights=shipped_weights())
    evaluated = retrieve(
        engine, corpus.tenant, query, config=config, timeout_ms=PATIENCE_MS, use_cache=False, now=NOW, depth=DEPTH
    )

    ranked = {item.chunk_id: (item.score, item.fusion_score, dict(item.ranks)) for item in replayed}
    hits = [hit for hit in evaluated.hits if hit.chunk_id in ranked]
    filled = evaluated.hits[len(hits) :]
    assert all(hit.chunk_id not in ranked for hit in filled)
    assert not filled or len(evaluated.hits) <= config.top_k.final, (
        "only a page that joining left short goes below DEPTH"
    )
    assert replay.notes(0, config, weights=shipped_weights()) == ranked_notes(hits)
    assert [ranked[hit.chunk_id] for hit in hits] == [(hit.score, hit.fusion_score, dict(hit.ranks)) for hit in hits]
    order = {chunk: place for place, chunk in enumerate(ranked)}
    assert [order[hit.chunk_id] for hit in hits] == sorted(order[hit.chunk_id] for hit in hits)


@settings(max_examples=100)
@given(data=st.data())
def test_what_is_served_comes_first_in_what_is_evaluated(engine, library, data) -> None:
    """Passages and scores too, so that nothing is measured which nobody gets."""
    corpus = data.draw(st.sampled_from(library))
    query = data.draw(queries_about(list(corpus.notes.values())))
    strategy = data.draw(st.sampled_from(("semantic", "fulltext", "hybrid", "hybrid+rerank")))
    config = configure(data.draw(configurations()), strategy=strategy)

    served, evaluated = (
        retrieve(
            engine, corpus.tenant, query, config=config, timeout_ms=PATIENCE_MS, use_cache=False, now=NOW, depth=depth
        )
        for depth in (None, DEPTH)
    )

    assert len(served.hits) <= config.top_k.final
    assert evaluated.hits[: len(served.hits)] == served.hits
    scores = [hit.score for hit in evaluated.hits]
    assert scores == sorted(scores, reverse=True)


@given(data=st.data())
@settings(max_examples=100)
def test_a_point_says_no_more_than_what_it_changes(data) -> None:
    strategy = data.draw(st.sampled_from(("semantic", "fulltext", "hybrid", "hybrid+rerank")))
    space = Space(base=configure(data.draw(configurations()) | {"topK": {"final": 5}}, strategy=strategy), model=MODEL)
    point = SERVED

    for knob in data.draw(st.lists(st.sampled_from(KNOBS), max_size=6)):
        point = space.turned(point, knob, data.draw(st.sampled_from(knob.values)))

    assert (space.config(point) == space.base) == (point == SERVED)
    for name, values in point:
        knob = next(knob for knob in KNOBS if knob.name == name)
        assert space.standing(knob, point) == values
        assert space.config(space.turned(point, knob, space.standing(knob, SERVED))) != space.config(point)


@pytest.mark.parametrize("strategy", ["semantic", "fulltext", "hybrid", "hybrid+rerank"])
def test_only_knobs_that_mean_something_to_the_strategy_are_turned(strategy) -> None:
    space = Space(base=configure(strategy=strategy), model=MODEL)

    names = {knob.name for knob in space.knobs}

    fusion = {"balance", "method", "rrf_k", "graph"}
    assert (
        names
        == {
            "semantic": {"threshold", "candidates"},
            "fulltext": {"candidates"},
            "hybrid": fusion | {"threshold", "candidates"},
            "hybrid+rerank": fusion | {"threshold", "candidates", "reranking"},
        }[strategy]
    )
