"""Confidence in what was found, before and after an answer is written."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from builders import make_hit, make_source
from hypothesis import given
from hypothesis import strategies as st

from rag_core.answering.confidence import (
    HIGH_SCORE,
    MEDIUM_SCORE,
    NO_EVIDENCE,
    Evidence,
    is_calibrated,
    judge_evidence,
)
from rag_core.answering.evidence import FEATURES, evidence_features, evidence_score
from rag_core.answering.quoting.asked_time import asked_time_of, asked_year_of
from rag_core.answering.quoting.selection import MOST_AHEAD, NOTHING, quote
from rag_core.answering.sources.context import as_context
from rag_core.model.answer import Source
from rag_core.model.note import ChunkId, Language, NoteId
from rag_core.model.retrieval import Hit, Retrieval, TimeExpression, TransformedQuery

TRUFA = "El veterinario miró a Trufa el 3 de marzo. La inyección costó 142 euros."
ASKED = "¿Cuánto costó la inyección de Trufa?"
OTHER = "Trufa duerme en la cocina. Compré pan y leche."


def source(text: str = TRUFA, *, language: Language = "es", title: str | None = None, number: int = 1) -> Source:
    return make_source(text, number, title=title, language=language)


def hit(*, rerank_score: float | None = None, **ranks: int) -> Hit:
    return make_hit(
        TRUFA,
        chunk_id=ChunkId(uuid.UUID(int=1)),
        note_id=NoteId(uuid.UUID(int=1)),
        ranks=ranks,
        rerank_score=rerank_score,
    )


def found(*hits: Hit, strategy="hybrid+rerank", is_confident: bool | None = True) -> Retrieval:
    return Retrieval(query="", strategy=strategy, hits=hits, latency_ms=1, stages={}, is_confident=is_confident)


def judged(
    query: str = ASKED,
    *sources: Source,
    retrieval: Retrieval | None = None,
    reranker: str | None = None,
    fallback=None,
    language: Language = "es",
    least_score: float = 0.1,
    is_by_meaning: bool = False,
) -> Evidence:
    return judge_evidence(
        query,
        retrieval := retrieval or found(hit(fulltext=1, semantic=1)),
        replace(
            as_context(sources or (source(), source(OTHER, number=2))),
            asked_time=asked_time_of(retrieval),
            asked_year=asked_year_of(retrieval),
        ),
        language=language,
        reranker=reranker,
        fallback=fallback,
        least_score=least_score,
        least_rerank_score=0.6,
        is_by_meaning=is_by_meaning,
    )


def features(query: str = ASKED, *sources: Source, language: Language = "es") -> dict[str, float]:
    return evidence_features(quote(query, as_context(sources or (source(),)), language=language), language=language)


class TestFeatures:
    def test_without_sources_nothing_speaks_for_an_answer(self) -> None:
        assert evidence_features(NOTHING, language="es") == dict.fromkeys(FEATURES, 0.0)

    def test_words_of_the_title_count(self) -> None:
        assert features(ASKED, source("Costó 142 euros.", title="La inyección de Trufa"))["words"] == pytest.approx(
            features(ASKED, source())["words"], abs=0.1
        )
        assert features(ASKED, source("Costó 142 euros."))["words"] < 0.7

    def test_the_nearest_sentence_of_the_passage_counts(self) -> None:
        near = replace(source(), likeness=(((0, 43), 0.7), ((43, 72), 0.9)))

        assert features(ASKED, near)["similarity"] == pytest.approx(18)

    def test_a_passage_is_ahead_of_others_alone(self) -> None:
        alone, beside = features(), features(ASKED, source(), source(number=2))

        assert alone["ahead"] == 0.0
        assert 0 < beside["ahead"] < MOST_AHEAD

    def test_a_source_in_another_language_is_a_translated_one(self) -> None:
        assert features("Was kostete die Spritze von Trufa?", language="de")["translated"] == 1.0

    @given(
        st.text(max_size=80),
        st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=3),
        st.sampled_from(["es", "de", "en"]),
    )
    def test_the_score_is_a_probability_whatever_is_asked_of_whatever(self, query, texts, language) -> None:
        sources = [source(text, language=language, number=number) for number, text in enumerate(texts, 1)]

        made = features(query, *sources, language=language)

        assert set(made) == set(FEATURES)
        assert 0 < evidence_score(made) < 1

    @given(st.sampled_from(FEATURES), st.floats(0.1, 1), st.booleans())
    def test_more_of_any_feature_is_never_less_evidence(self, name, more, is_by_meaning) -> None:
        low = dict.fromkeys(FEATURES, 0.0) | {"similarity": 17.0 if is_by_meaning else 0.0}
        if name == "similarity" and not is_by_meaning:
            return

        assert evidence_score(low | {name: low[name] + more}) >= evidence_score(low)


class TestEvidence:
    def test_no_sources_are_no_evidence(self) -> None:
        made = judge_evidence(
            ASKED,
            None,
            as_context(()),
            language="es",
            reranker=None,
            fallback=None,
            least_score=0.0,
            least_rerank_score=0.0,
        )

        assert made is NO_EVIDENCE
        assert not made.is_enough

    def test_a_source_that_answers_the_question_is_high(self) -> None:
        assert judged().confidence == "high"

    def test_a_source_on_something_else_is_insufficient(self) -> None:
        made = judged(
            "¿Cuál es la capital de Mongolia?",
            retrieval=found(hit(semantic=1)),
        )

        assert made.confidence == "insufficient"
        assert not made.is_enough

    def test_levels_begin_at_their_cut_offs_and_the_threshold_wins(self) -> None:
        score = judged().score

        assert HIGH_SCORE > MEDIUM_SCORE
        assert judged(least_score=score).confidence == "high"
        assert judged(least_score=min(1.0, score + 1e-9)).confidence == "insufficient"

    @pytest.mark.parametrize("reranker", ["http:bge", "cross_encoder:bge@ab12"])
    def test_a_calibrated_re_ranker_below_its_own_threshold_is_insufficient(self, reranker) -> None:
        bad, good = found(hit(rerank_score=0.59)), found(hit(rerank_score=0.6))

        assert not judged(retrieval=bad, reranker=reranker).is_enough
        assert judged(retrieval=good, reranker=reranker).is_enough

    @pytest.mark.parametrize("reranker", [None, "embedded@1", "llm:habla@1"])
    def test_scores_on_another_scale_are_not_held_to_it(self, reranker) -> None:
        assert not is_calibrated(reranker)
        assert judged(retrieval=found(hit(rerank_score=0.016)), reranker=reranker).is_enough

    def test_the_newest_notes_are_low_and_always_enough(self) -> None:
        made = judged("¿qué hay de nuevo?", source("Otra cosa."), fallback="recent_notes", least_score=1.0)

        assert made.confidence == "low"

    def test_what_the_causal_graph_leads_to_is_low_instead_of_insufficient(self) -> None:
        led, found_else = found(hit(graph=1)), found(hit(semantic=1))

        assert judged("¿Por qué?", retrieval=led, least_score=1.0).confidence == "low"
        assert judged("¿Por qué?", retrieval=found_else, least_score=1.0).confidence == "insufficient"

    def test_a_near_source_in_another_language_is_low_where_vectors_are_of_meaning(self) -> None:
        english = source("Something entirely different.", language="en")
        near, far = found(hit(semantic=1)), found(hit(semantic=1), is_confident=False)

        def level(retrieval: Retrieval, *, is_by_meaning: bool) -> str:
            return judged(
                "¿Qué pasó en Sueca?", english, retrieval=retrieval, least_score=0.9, is_by_meaning=is_by_meaning
            ).confidence

        assert level(near, is_by_meaning=True) == "low"
        assert level(far, is_by_meaning=True) == "insufficient"
        assert level(near, is_by_meaning=False) == "insufficient"


class TestTimes:
    def test_a_note_of_the_time_asked_for_is_low_though_it_shares_no_word(self) -> None:
        asked, without = "¿qué dijo Rosa ayer?", "¿qué dijo Rosa?"
        before, then = timed(asked, day=2, without=without), timed(asked, day=3, without=without)

        assert judged(asked, retrieval=then, least_score=0.9).confidence == "low"
        assert judged(asked, retrieval=before, least_score=0.9).confidence == "insufficient"

    def test_a_note_of_that_time_whose_meaning_is_far_is_insufficient(self) -> None:
        asked, far = "¿qué dijo Rosa ayer?", replace(source(), likeness=(((0, 43), 0.7), ((43, 72), 0.7)))
        then = timed(asked, day=3, without="¿qué dijo Rosa?")

        assert judged(asked, far, retrieval=then, least_score=0.9).confidence == "insufficient"

    def test_who_asks_where_one_went_asks_for_all_of_the_time(self) -> None:
        asked = "adónde fuimos ayer"

        assert judged(asked, retrieval=timed(asked, day=3, without="adónde fuimos")).confidence == "medium"

    def test_where_a_time_is_all_that_is_asked_for_its_notes_are_the_answer(self) -> None:
        before, then = timed("¿qué hice ayer?", day=2), timed("¿qué hice ayer?", day=3)

        assert judged("¿qué hice ayer?", retrieval=then, least_score=0.9).confidence == "medium"
        assert judged("¿qué hice ayer?", retrieval=before, least_score=0.9).confidence == "insufficient"

    def test_what_is_found_for_a_time_of_which_no_note_is_is_low(self) -> None:
        asked = "¿Cuánto costó ayer la inyección de Trufa?"
        without = "¿Cuánto costó la inyección de Trufa?"
        another = replace(timed(asked, day=9, without=without), hits=(hit(fulltext=1, semantic=1),))
        right = replace(timed(asked, day=3, without=without), hits=(hit(fulltext=1, semantic=1),))

        assert judged(asked, retrieval=another).confidence == "low"
        assert judged(asked, retrieval=right).confidence == "high"

    def test_a_bare_year_lets_nothing_through(self) -> None:
        asked = "¿qué dijo Rosa en 2025?"
        year = timed(asked, day=3, days=365, is_relative=False, without="¿qué dijo Rosa?")

        assert judged(asked, retrieval=year, least_score=0.9).confidence == "insufficient"

    @pytest.mark.parametrize(
        ("years_ago", "text", "title", "level"),
        [
            (0, TRUFA, None, "high"),
            (6, TRUFA, None, "low"),
            (6, TRUFA, "Gastos de 2019", "medium"),
            (6, f"{TRUFA} Así fue 2019.", None, "medium"),
            (6, f"{TRUFA} La factura es la 12019.", None, "low"),
        ],
    )
    def test_what_is_found_for_a_bare_year_is_low_where_no_note_is_of_it_or_tells_it(
        self, years_ago: int, text: str, title: str | None, level: str
    ) -> None:
        asked = f"¿Cuánto costó la inyección de Trufa en {2025 - years_ago}?"
        year = timed(asked, day=1, is_relative=False, without=ASKED)
        since, until = (datetime(2025 - years_ago + more, 1, 1, tzinfo=UTC) for more in (0, 1))
        retrieval = replace(year, hits=(hit(fulltext=1, semantic=1),), interval=(since, until))

        evidence = judged(asked, source(text, title=title), source(OTHER, number=2), retrieval=retrieval)

        assert (evidence.confidence, evidence.is_of_its_time) == (level, level != "low")


def timed(query: str, *, day: int, days: int = 1, is_relative: bool = True, without: str = "") -> Retrieval:
    """Hits for a question that names so many days from one of March 2025 on."""
    since = datetime(2025, 3, day, tzinfo=UTC)
    time = TimeExpression(
        span=(0, 4), text=query[:4], since=since, until=since + timedelta(days=days), is_relative=is_relative
    )
    transformed = TransformedQuery(
        original_query=query,
        intent="temporal",
        sub_queries=(query,),
        timestamp=since,
        times=(time,),
        without_time=without,
    )
    return replace(found(hit(semantic=1)), transformed=transformed, interval=(time.since, time.until))
