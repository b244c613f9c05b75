"""Where an answer's sources come from, with vectors, without them, and where nothing fits."""

import dataclasses

import pytest

from rag_core.answering.events import AnswerOptions, AnswerRequest
from rag_core.answering.sources.context import build_context
from rag_core.answering.sources.fallbacks import FoundSources, by_keyword_and_recency, find_sources
from rag_core.answering.sources.labels import source_labels
from rag_core.answering.verification.check import check_citations
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, RetrievalConfig, configure
from rag_core.errors import EmbeddingUnavailableError, InvalidInputError
from rag_core.model.note import TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters
from rag_core.runtime.engine import Engine

STORM = "Ayer cayó una tormenta. El sótano se llenó de agua. Pasamos la noche achicando."


class SilentEmbedder:
    """A provider that is away."""

    name = "silent"
    dimensions = 512

    def embed(self, texts, *, role):
        raise EmbeddingUnavailableError("nobody answers; expected vectors")


def request(
    query: str,
    *,
    may_use_recent_notes: bool = False,
    filters: Filters = NO_FILTERS,
    config: RetrievalConfig | None = None,
) -> AnswerRequest:
    return AnswerRequest(
        question=query,
        contract="command",
        user_hash="",
        filters=filters,
        config=config,
        options=AnswerOptions(max_sources=2, may_use_recent_notes=may_use_recent_notes),
    )


def find(engine: Engine, tenant: TenantId, query: str, **more: object) -> FoundSources:
    return find_sources(engine, tenant, query, request(query, **more), timeout_ms=30_000)


@pytest.fixture
def voiceless(engine: Engine) -> Engine:
    """An engine without a way to embed a question."""
    return dataclasses.replace(engine, query_embedder=SilentEmbedder())


def test_the_search_as_it_is_served_comes_first(engine, tenant, make_note, index_notes) -> None:
    for name in ("uno", "dos", "tres"):
        make_note(f"{STORM} Nota {name}.", external_id=name)
    index_notes()

    found = find(engine, tenant, "¿qué pasó con la tormenta?")

    assert found.fallback is None
    assert found.refusal is None
    assert len(found.hits) == 2
    assert found.reranker == "embedded@1"
    assert found.retrieval.strategy == "hybrid+rerank"


@pytest.mark.parametrize("question", ["¿qué pasó con la tormenta?", "¿qué pasó el 5 de marzo de 2026?"])
def test_a_note_of_shortly_after_midnight_is_of_that_day_in_prompts_labels_and_checks(
    engine, tenant, make_note, index_notes, question: str
) -> None:
    make_note(STORM, created_at="2026-03-05T00:30")
    index_notes()

    context = build_context(find(engine, tenant, question).hits)

    assert '"date": "2026-03-05"' in context.text
    assert source_labels(context.sources) == {1: "Dokument vom 05.03.2026"}
    said = [f"El {day} de marzo de 2026 el sótano se llenó de agua [1]." for day in (4, 5)]
    checked = check_citations(" ".join(said), context.sources, language="es")
    assert [citation.is_supported for citation in checked.citations] == [False, True]


def test_without_vectors_words_and_dates_decide_five_to_three(voiceless, tenant, make_note, index_notes) -> None:
    make_note("Hubo tormenta.", external_id="vieja", created_at="2010-01-01")
    make_note("Hubo tormenta.", external_id="nueva")
    index_notes()

    found = find(voiceless, tenant, "tormenta")

    assert found.fallback == "keyword_recency"
    assert found.retrieval.is_degraded
    assert found.reranker is None
    scores = {hit.external_id: hit.score for hit in found.hits}
    assert scores == {"nueva": pytest.approx(1.0, abs=1e-3), "vieja": pytest.approx(0.625, abs=1e-3)}


def test_the_fallback_s_weights_are_those_of_words_and_recency_without_the_vectors() -> None:
    config = by_keyword_and_recency(DEFAULT_RETRIEVAL_CONFIG)

    search = config.hybrid_search
    assert (config.strategy, search.method) == ("fulltext", "weighted")
    assert search.fulltext_weight / search.recency_weight == pytest.approx(0.25 / 0.15)
    assert search.fulltext_weight + search.recency_weight == 1


def test_a_search_by_vectors_alone_falls_back_as_well(voiceless, tenant, make_note, index_notes) -> None:
    make_note(STORM, external_id="tormenta")
    index_notes()

    found = find(voiceless, tenant, "tormenta", config=configure(strategy="semantic"))

    assert found.fallback == "keyword_recency"
    assert [hit.external_id for hit in found.hits] == ["tormenta"]


def test_a_search_by_words_alone_needs_no_fallback(voiceless, tenant, make_note, index_notes) -> None:
    make_note(STORM)
    index_notes()

    assert find(voiceless, tenant, "tormenta", config=configure(strategy="fulltext")).fallback is None


def test_where_no_word_fits_nothing_is_found_unless_the_newest_notes_are_wanted(
    voiceless, tenant, make_note, index_notes
) -> None:
    make_note("Compré pan.", external_id="pan", created_at="2024-01-01")
    make_note("Vendí la bicicleta.", external_id="bici", created_at="2025-01-01")
    make_note("Llovió.", external_id="lluvia", created_at="2023-01-01")
    index_notes()

    alone = find(voiceless, tenant, "ornitorrinco")
    wanted = find(voiceless, tenant, "ornitorrinco", may_use_recent_notes=True)

    assert (alone.hits, alone.fallback, alone.refusal) == ((), "keyword_recency", "nothing_found")
    assert wanted.fallback == "recent_notes"
    assert [hit.external_id for hit in wanted.hits] == ["bici", "pan"]
    assert {hit.score for hit in wanted.hits} == {0.0}
    assert wanted.refusal is None


class TestNothingFits:
    """Evidence decides what fits a question, whether or not the embedding model has a threshold."""

    @pytest.fixture
    def notes(self, make_note, index_notes) -> None:
        make_note("Compré pan y leche.", external_id="pan", created_at="2024-01-01")
        make_note("Vendí la bicicleta.", external_id="bici", created_at="2025-01-01")
        make_note("Llovió toda la noche.", external_id="lluvia", created_at="2023-01-01")
        index_notes()

    def test_likeness_without_a_word_in_common_is_no_fit(self, engine, tenant, notes) -> None:
        assert engine.model.similarity_threshold is None

        alone = find(engine, tenant, "¿dónde duermen los ornitorrincos?")
        wanted = find(engine, tenant, "¿dónde duermen los ornitorrincos?", may_use_recent_notes=True)

        assert alone.fallback is None
        assert (wanted.fallback, [hit.external_id for hit in wanted.hits]) == ("recent_notes", ["bici", "pan"])

    def test_a_note_in_another_language_fits_a_model_of_meaning_without_a_threshold(
        self, engine, tenant, notes
    ) -> None:
        by_meaning = dataclasses.replace(engine, model=dataclasses.replace(engine.model, provider="ollama"))

        found = find(by_meaning, tenant, "Wo ist mein Fahrrad?", may_use_recent_notes=True)

        assert found.retrieval.figures.fulltext_hits == 0
        assert found.fallback is None

    def test_a_word_in_common_fits_however_little_it_is(self, engine, tenant, notes) -> None:
        found = find(engine, tenant, "¿dónde compran pan los ornitorrincos de Tasmania?", may_use_recent_notes=True)

        assert (found.fallback, found.hits[0].external_id) == (None, "pan")

    def test_what_is_below_the_threshold_is_no_fit(self, engine, tenant, notes) -> None:
        strict = configure({"hybridSearch": {"threshold": 0.99}})

        found = find(engine, tenant, "bicicletta", may_use_recent_notes=True, config=strict)

        assert found.fallback == "recent_notes"

    def test_what_is_above_the_threshold_fits_without_a_word(self, engine, tenant, notes) -> None:
        loose = configure({"hybridSearch": {"threshold": 0.01}})

        found = find(engine, tenant, "un ciclomotor", may_use_recent_notes=True, config=loose)

        assert found.retrieval.figures.fulltext_hits == 0
        assert found.fallback is None


def test_the_newest_notes_pass_the_filters_too(voiceless, tenant, make_note, index_notes) -> None:
    make_note("Compré pan.", external_id="pan", source="diario")
    make_note("Vendí la bicicleta.", external_id="bici", source="trabajo")
    index_notes()

    found = find(voiceless, tenant, "ornitorrinco", may_use_recent_notes=True, filters=Filters(sources=("diario",)))

    assert [hit.external_id for hit in found.hits] == ["pan"]


def test_the_newest_notes_are_not_used_where_a_word_fits(voiceless, tenant, make_note, index_notes) -> None:
    make_note(STORM, external_id="tormenta", created_at="2020-01-01")
    make_note("Compré pan.", external_id="pan")
    index_notes()

    found = find(voiceless, tenant, "tormenta", may_use_recent_notes=True)

    assert (found.fallback, [hit.external_id for hit in found.hits]) == ("keyword_recency", ["tormenta"])


def test_a_recent_note_s_window_is_what_stands_in_it(voiceless, tenant, make_note, index_notes) -> None:
    make_note(f"  {STORM}")
    index_notes()

    [hit] = find(voiceless, tenant, "ornitorrinco", may_use_recent_notes=True).hits

    assert hit.expanded_content.strip() == STORM
    assert hit.expanded_content[hit.bounds[0] : hit.bounds[1]] == hit.content


def test_a_note_that_is_not_indexed_yet_is_among_the_newest(voiceless, tenant, make_note) -> None:
    make_note(STORM, external_id="tormenta")

    found = find(voiceless, tenant, "ornitorrinco", may_use_recent_notes=True)

    assert [hit.external_id for hit in found.hits] == ["tormenta"]


def test_where_there_is_no_note_it_is_said(engine, tenant) -> None:
    found = find(engine, tenant, "tormenta", may_use_recent_notes=True)

    assert (found.hits, found.refusal) == ((), "no_notes")


def test_another_tenant_s_notes_are_no_fallback(voiceless, tenant, make_note, index_notes) -> None:
    other = TenantId("otro")
    make_note(STORM, owner=other)
    index_notes(other)

    found = find(voiceless, tenant, "tormenta", may_use_recent_notes=True)

    assert (found.hits, found.refusal) == ((), "no_notes")


def test_an_empty_question_is_refused(engine, tenant) -> None:
    with pytest.raises(InvalidInputError):
        find(engine, tenant, "  ")


class TestTimeAlone:
    """Where a time is all that is asked for, its notes are the sources, whatever their words."""

    def test_they_come_in_the_order_of_their_days(self, engine, tenant, make_note, index_notes) -> None:
        make_note("Planté tomates.", external_id="b", created_at="2025-03-20T10:00+01:00")
        make_note("Nevó.", external_id="a", created_at="2025-03-04T10:00+01:00")
        make_note("¿Qué hice en marzo? Nada.", external_id="c", created_at="2025-04-04T10:00+02:00")
        index_notes()

        found = find(engine, tenant, "¿qué hice en marzo de 2025?")

        assert [hit.external_id for hit in found.hits] == ["a", "b"]
        assert found.asked_time is not None
        assert found.asked_time.is_all

    def test_of_many_some_are_from_all_of_it_its_first_and_its_last_among_them(
        self, engine, tenant, make_note, index_notes
    ) -> None:
        for day in range(1, 9):
            make_note(f"Día {day}.", external_id=f"n{day}", created_at=f"2025-03-{day:02}T10:00+01:00")
        index_notes()

        assert [hit.external_id for hit in find(engine, tenant, "¿qué pasó en marzo de 2025?").hits] == ["n1", "n8"]

    def test_without_a_note_of_it_what_the_search_found_stays(self, engine, tenant, make_note, index_notes) -> None:
        make_note("El 3 de marzo de 2019 nevó.", external_id="a", created_at="2025-04-04T10:00+02:00")
        index_notes()

        found = find(engine, tenant, "¿qué pasó el 3 de marzo de 2019?")

        assert [hit.external_id for hit in found.hits] == ["a"]
        assert found.hits == found.retrieval.hits

    def test_the_caller_s_filters_hold(self, engine, tenant, make_note, index_notes) -> None:
        make_note("Nevó.", external_id="a", created_at="2025-03-04T10:00+01:00", source="uno")
        make_note("Llovió.", external_id="b", created_at="2025-03-05T10:00+01:00", source="dos")
        index_notes()

        found = find(engine, tenant, "¿qué hice en marzo de 2025?", filters=Filters(sources=("dos",)))

        assert [hit.external_id for hit in found.hits] == ["b"]
