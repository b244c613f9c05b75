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
from rag_core.answering.evidence import EVIDENCE_WEIGHTS, evidence_features, evidence_score
from rag_core.model.answer import Source
from rag_core.model.note import ChunkId, Language, NoteId
from rag_core.model.retrieval import Hit, QueryStatistics, Retrieval, TimeExpression, TransformedQuery

TRUFA = "El veterinario miró a Trufa el 3 de marzo. La inyección costó 142 euros."
ASKED = "¿Cuánto costó la inyección de Trufa?"
WORDS = ("costó", "inyección", "trufa", "veterinario", "marzo")


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


def statistics(*unknown: str) -> QueryStatistics:
    return QueryStatistics(
        documents={"es": 100}, frequencies={"es": dict.fromkeys(WORDS, 2) | dict.fromkeys(unknown, 0)}
    )


def features(query: str = ASKED, *sources: Source, retrieval: Retrieval | None = None, known=None) -> dict[str, float]:
    return evidence_features(query, retrieval, sources or (source(),), language="es", statistics=known or statistics())


def judged(
    query: str = ASKED,
    *sources: Source,
    retrieval: Retrieval | None = None,
    reranker: str | None = None,
    fallback=None,
    known: QueryStatistics | None = None,
    language: Language = "es",
    least_score: float = 0.1,
    is_by_meaning: bool = False,
) -> Evidence:
    return judge_evidence(
        query,
        retrieval or found(hit(fulltext=1, semantic=1)),
        sources or (source(),),
        language=language,
        statistics=known or statistics(),
        reranker=reranker,
        fallback=fallback,
        least_score=least_score,
        least_rerank_score=0.6,
        is_by_meaning=is_by_meaning,
    )


class TestFeatures:
    def test_without_sources_nothing_speaks_for_an_answer(self) -> None:
        nothing = evidence_features(ASKED, None, (), language="es", statistics=statistics())

        assert nothing == dict.fromkeys(EVIDENCE_WEIGHTS, 0.0)

    def test_a_source_with_the_whole_question_covers_it(self) -> None:
        assert features()["coverage"] == pytest.approx(1.0)

    @pytest.mark.parametrize(
        ("title", "expected"), [("La inyección", 1.0), ("El de la compra", 0.0), (None, 0.2), ("", 0.2)]
    )
    def test_a_title_with_a_word_of_the_question_speaks_for_its_note(self, title, expected) -> None:
        assert features(ASKED, source(title=title))["title"] == expected

    def test_a_word_that_no_note_has_is_not_known(self) -> None:
        query = "¿Cuánto costó la inyección de Pirata?"

        assert features()["known"] == 1.0
        assert features(query, known=statistics("pirata"))["known"] == pytest.approx(2 / 3)

    def test_without_statistics_every_word_passes_for_known(self) -> None:
        assert features(known=QueryStatistics(documents={}, frequencies={}))["known"] == 1.0

    def test_names_and_numbers_of_the_question_must_stand_in_the_first_source(self) -> None:
        present = features("¿Qué costó 142 euros para Trufa?")
        absent = features("¿Qué costó 99 euros para Pirata?")

        assert (present["names"], present["numbers"]) == (1.0, 1.0)
        assert (absent["names"], absent["numbers"]) == (0.0, 0.0)

    def test_a_german_noun_is_no_name(self) -> None:
        german = evidence_features("Was kostete die Spritze?", None, [source()], language="de", statistics=statistics())

        assert german["names"] == 1.0

    def test_what_is_asked_for_must_be_there(self) -> None:
        assert features("¿Cuánto costó la inyección?")["kind"] == 1.0
        assert features("¿Cuánto costó la inyección?", source("La inyección costó mucho."))["kind"] == 0.0

    def test_a_question_of_no_kind_lacks_nothing(self) -> None:
        assert features("la inyección de Trufa", source("Otra cosa."))["kind"] == 1.0

    @pytest.mark.parametrize(
        ("ranks", "strategy", "expected"),
        [
            ({"fulltext": 1, "semantic": 1}, "hybrid+rerank", 1.0),
            ({"fulltext": 1, "semantic": 2}, "hybrid", 0.0),
            ({"fulltext": 1}, "hybrid", 0.0),
            ({"fulltext": 1}, "fulltext", 0.5),
        ],
    )
    def test_legs_agree_where_both_searched_and_put_the_same_first(self, ranks, strategy, expected) -> None:
        retrieval = found(hit(**ranks), strategy=strategy)

        assert features(retrieval=retrieval)["agreement"] == expected

    @given(
        st.text(max_size=80),
        st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=3),
        st.sampled_from(["es", "de", "en"]),
    )
    def test_every_feature_and_the_score_are_shares_whatever_is_asked_of_whatever(self, query, texts, language) -> None:
        sources = [source(text, language=language, number=number) for number, text in enumerate(texts, 1)]

        made = evidence_features(query, None, sources, language=language, statistics=statistics())

        assert set(made) == set(EVIDENCE_WEIGHTS)
        assert all(0 <= value <= 1 + 1e-9 for value in made.values())
        assert 0 < evidence_score(made) < 1

    @given(
        st.dictionaries(st.sampled_from(sorted(EVIDENCE_WEIGHTS)), st.floats(0, 1)),
        st.sampled_from(sorted(EVIDENCE_WEIGHTS)),
    )
    def test_more_of_any_feature_is_never_less_evidence(self, given_features, name) -> None:
        low = dict.fromkeys(EVIDENCE_WEIGHTS, 0.0) | given_features

        assert evidence_score(low | {name: 1.0}) >= evidence_score(low)


class TestEvidence:
    def test_no_sources_are_no_evidence(self) -> None:
        made = judge_evidence(
            ASKED,
            None,
            (),
            language="es",
            statistics=statistics(),
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
            known=statistics("capital", "mongolia"),
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

    def test_the_words_for_a_time_are_none_to_look_for_in_a_note_written_in_it(self) -> None:
        asked, without = (
            "¿Cuánto costó el 3 de marzo de 2025 la inyección de Trufa?",
            "¿Cuánto costó la inyección de Trufa?",
        )
        another = timed(asked, day=9, is_relative=False, without=without)
        right = timed(asked, day=3, is_relative=False, without=without)

        assert features(asked, retrieval=right)["numbers"] == 1.0
        assert features(asked, retrieval=another)["numbers"] == 0.5  # the day stands there, the year does not

    def test_a_time_counted_from_now_is_no_word_to_look_for(self) -> None:
        asked = "¿Cuánto costó ayer la inyección de Trufa?"
        known = statistics("ayer")

        timeless = features(
            asked, retrieval=timed(asked, day=3, without="¿Cuánto costó la inyección de Trufa?"), known=known
        )

        assert (timeless["coverage"], timeless["known"]) == (pytest.approx(1.0), 1.0)
        assert features(asked, known=known)["known"] < 1.0


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
