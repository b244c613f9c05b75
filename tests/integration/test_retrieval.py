import dataclasses
import importlib
import threading
import time
from datetime import UTC, datetime

import pytest
from retrievals import find

from rag_core.configuration.schema import configure
from rag_core.errors import EmbeddingError, InvalidInputError, RetrievalFailedError
from rag_core.indexing.one_note import store_and_index
from rag_core.model.note import TenantId
from rag_core.notes.validation import parse_note
from rag_core.retrieval.legs import WITHOUT_FULLTEXT, WITHOUT_SEMANTIC
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

SENTENCES = [
    "Esta mañana llegué temprano a la oficina.",
    "Hoy tuve un conflicto con mi jefe y me sentí muy ansioso.",
    "Después fui a caminar para calmarme.",
    "El Sr. Gómez me llamó a las 10.30 para hablar del informe.",
]
LONG = "  ".join(
    f"El tren {n} me llevó a Cádiz 🚂 y allí perdí la bufanda de mi prima, aunque me la devolvieron." for n in range(90)
)


def with_embedder(engine: Engine, embed) -> Engine:
    class Embedder:
        name, dimensions = "planted", engine.model.dimensions

        def embed(self, texts, *, role):
            return embed(texts, role)

    return dataclasses.replace(engine, query_embedder=Embedder())


@pytest.mark.parametrize("strategy", ["semantic", "fulltext", "hybrid"])
def test_the_right_passage_comes_first_inside_its_window(engine, tenant, make_note, index_notes, strategy) -> None:
    make_note(" ".join(SENTENCES), external_id="trabajo")
    make_note("Compré pan, leche y tomates.", external_id="compra")
    long = LONG.replace("El tren 45 ", "El paraguas verde de la abuela quedó olvidado en el museo. El tren 45 ")
    make_note(long, external_id="viajes")
    index_notes()

    found = find(engine, tenant, "el paraguas verde olvidado en el museo", strategy=strategy)

    best = found.hits[0]
    assert best.external_id == "viajes"
    assert "paraguas verde" in best.content
    assert len(best.content) < len(best.expanded_content) < len(long)


@pytest.mark.property(5)
@pytest.mark.property(13)
@pytest.mark.property(14)
@pytest.mark.parametrize("strategy", ["semantic", "fulltext", "hybrid", "hybrid+rerank"])
def test_windows_are_slices_of_the_note_and_bounds_mark_the_chunk(
    engine, tenant, make_note, index_notes, strategy
) -> None:
    texts = {"a": LONG, "b": " ".join(SENTENCES), "c": "Sin acabar 🍅: la bufanda del tren"}
    for name, text in texts.items():
        make_note(text, external_id=name)
    index_notes()

    found = find(engine, tenant, "la bufanda que perdí en el tren", strategy=strategy, topK={"final": 20})

    assert found.hits
    for hit in found.hits:
        start, end = hit.bounds
        assert hit.expanded_content in texts[hit.external_id]
        assert hit.expanded_content[start:end] == hit.content
        assert hit.bounds in hit.matched_spans
        assert 0 <= hit.score <= 1
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


@pytest.mark.property(39)
def test_chunked_and_unchunked_notes_are_both_found(engine, tenant, make_note, index_notes) -> None:
    make_note("El gato de Lucía duerme.", external_id="indexada")
    index_notes()
    make_note("El gato de Pedro salta. " + LONG + " El gato de Pedro volvió.", external_id="nueva")

    found = find(engine, tenant, "¿dónde está el gato?")

    assert {hit.external_id for hit in found.hits} == {"indexada", "nueva"}
    window = next(hit for hit in found.hits if hit.external_id == "nueva").expanded_content
    assert "gato de Pedro" in window
    assert len(window) < len(LONG) / 2


@pytest.mark.property(4)
def test_hybrid_finds_what_one_leg_alone_finds(engine, tenant, make_note, index_notes) -> None:
    make_note("Compramos una lavadora.", external_id="a")
    index_notes()

    found = find(engine, tenant, "lavadoras")

    assert [hit.external_id for hit in found.hits] == ["a"]
    assert found.hits[0].method in {"hybrid", "semantic", "fulltext"}


def test_a_query_of_stop_words_is_no_failure(engine, tenant, make_note, index_notes) -> None:
    make_note("Una nota cualquiera.")
    index_notes()

    found = find(engine, tenant, "¿Por qué?")

    assert found.warnings == ()


def test_operators_in_a_query_are_just_text(engine, tenant, make_note, index_notes) -> None:
    make_note("Queso & jamón | pan -vino", external_id="a")
    index_notes()

    found = find(engine, tenant, "-queso OR (jamón & !pan) :* <-> '", strategy="fulltext")

    assert [hit.external_id for hit in found.hits] == ["a"]


def test_a_query_is_analysed_in_every_language_of_the_notes(engine, tenant, make_note, index_notes) -> None:
    make_note("Las casas blancas del pueblo.", external_id="es", language="es")
    make_note("The running children of the village.", external_id="en", language="en")
    make_note("Die Häuser des Dorfes.", external_id="de", language="de")
    index_notes()

    for query, expected in (("casa blanca", "es"), ("child run", "en"), ("Haus", "de")):
        assert find(engine, tenant, query, strategy="fulltext").hits[0].external_id == expected


def test_the_title_is_searched(engine, tenant, make_note, index_notes) -> None:
    make_note("Fuimos los tres.", external_id="a", title="Excursión a Albarracín")
    make_note("Nos quedamos en casa.", external_id="b")
    index_notes()

    assert find(engine, tenant, "Albarracín", strategy="fulltext").hits[0].external_id == "a"


def test_bm25_prefers_the_rarer_term_and_the_shorter_text(engine, tenant, make_note, index_notes) -> None:
    make_note("perro perro perro gato", external_id="comun")
    make_note("perro ornitorrinco", external_id="raro")
    make_note("perro casa", external_id="otro")
    index_notes()

    found = find(engine, tenant, "perro ornitorrinco", strategy="fulltext")

    assert found.hits[0].external_id == "raro"


@pytest.mark.property(35)
def test_without_vectors_the_words_answer_and_the_reader_is_told(engine, tenant, make_note, index_notes) -> None:
    make_note("El perro ladra.", external_id="a")
    index_notes()

    def fail(texts, role):
        raise EmbeddingError("nobody answers")

    found = find(with_embedder(engine, fail), tenant, "perro")

    assert [hit.external_id for hit in found.hits] == ["a"]
    assert found.warnings == (WITHOUT_SEMANTIC,)
    assert found.is_degraded


@pytest.mark.property(35)
def test_without_postings_the_vectors_answer_and_the_reader_is_told(engine, tenant, make_note, index_notes) -> None:
    make_note("El perro ladra.", external_id="a")
    index_notes()
    with engine.database.owner() as connection:
        connection.execute("alter table brain.posting_blocks rename to lost")

    found = find(engine, tenant, "perro")

    assert [hit.external_id for hit in found.hits] == ["a"]
    assert found.warnings == (WITHOUT_FULLTEXT,)


def test_when_both_legs_fail_the_failure_is_said(engine, tenant, make_note, index_notes) -> None:
    make_note("El perro ladra.")
    index_notes()
    with engine.database.owner() as connection:
        connection.execute("alter table brain.posting_blocks rename to lost")
        connection.execute("alter table brain.embeddings rename to gone")

    with pytest.raises(RetrievalFailedError):
        find(engine, tenant, "perro")


def test_a_stalled_provider_does_not_hold_up_the_answer(engine, tenant, make_note, index_notes) -> None:
    make_note("El perro ladra.", external_id="a")
    index_notes()
    release = threading.Event()

    def stall(texts, role):
        release.wait(20)
        raise EmbeddingError("too late")

    began = time.monotonic()
    try:
        found = retrieve(
            with_embedder(engine, stall), tenant, "perro", config=configure(strategy="hybrid"), timeout_ms=700
        )
    finally:
        release.set()

    assert time.monotonic() - began < 5
    assert [hit.external_id for hit in found.hits] == ["a"]
    assert found.is_degraded


def test_a_tenant_finds_only_its_own_notes(engine, tenant, make_note, index_notes) -> None:
    other = TenantId("otra")
    make_note("El secreto está en el pozo.", external_id="a")
    make_note("El secreto está en la cueva.", external_id="b", owner=other)
    index_notes()
    index_notes(other)

    for strategy in ("semantic", "fulltext", "hybrid"):
        assert [hit.external_id for hit in find(engine, tenant, "¿dónde está el secreto?", strategy=strategy).hits] == [
            "a"
        ]


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "x" * 2001, "a\0b"])
def test_a_query_that_cannot_be_searched_is_refused(engine, tenant, query) -> None:
    with pytest.raises(InvalidInputError):
        find(engine, tenant, query)


def test_an_empty_corpus_gives_no_results_and_no_error(engine, tenant) -> None:
    found = find(engine, tenant, "lo que sea")

    assert found.hits == ()
    assert found.warnings == ()


def test_both_parts_of_a_double_question_are_found(engine, tenant, make_note, index_notes) -> None:
    make_note("El médico de cabecera se llama Ramiro Ortega.", external_id="médico")
    make_note("Las llaves del trastero están en el cajón azul.", external_id="llaves")
    for number in range(20):
        make_note(f"Apunte {number}: el médico habló de llaves, cajones y de otras cosas sin importancia.")
    index_notes()

    found = find(engine, tenant, "¿Cómo se llama el médico de cabecera? ¿Dónde están las llaves del trastero?")

    assert {"médico", "llaves"} <= {hit.external_id for hit in found.hits[:3]}
    assert found.transformed is not None
    assert len(found.transformed.sub_queries) == 2


@pytest.mark.parametrize("strategy", ["semantic", "fulltext", "hybrid", "hybrid+rerank"])
def test_what_was_written_in_the_time_asked_for_comes_first(engine, tenant, make_note, index_notes, strategy) -> None:
    for day, name in ((3, "antes"), (11, "entonces"), (17, "después")):
        make_note(
            f"Salí a correr por el parque el día {day}.", external_id=name, created_at=f"2025-03-{day:02}T09:00:00Z"
        )
    index_notes()

    found = find(
        engine,
        tenant,
        "¿Por dónde salí a correr la semana pasada?",
        now=datetime(2025, 3, 19, 12, tzinfo=UTC),
        strategy=strategy,
    )

    assert found.hits[0].external_id == "entonces"
    assert len(found.hits) == 3
    assert found.interval is not None


def test_an_answer_is_remembered_until_a_note_changes(engine, tenant, make_note, index_notes) -> None:
    make_note("El perro ladra.", external_id="a")
    index_notes()
    first = find(engine, tenant, "perro")

    again = find(engine, tenant, "perro")
    make_note("El perro duerme.", external_id="b")
    after = find(engine, tenant, "perro")

    assert again.hits == first.hits
    assert engine.caches.query.figures.hits == 1
    assert {hit.external_id for hit in after.hits} == {"a", "b"}


class TestCausalGraph:
    """A question for causes is answered along what the notes say led to what."""

    @pytest.fixture
    def chain(self, engine, tenant):
        notes = {
            "cena": "Dormí fatal porque cené muy tarde.",
            "sueño": "Perdí el tren porque dormí fatal.",
            "otra": "El tren de cercanías sale a las ocho y el tren regional a las nueve.",
        }
        for name, text in notes.items():
            note = parse_note(
                external_id=name,
                source="diario",
                title=None,
                text=text,
                created_at=None,
                language="es",
                metadata=None,
                zone=engine.settings.zone,
                max_characters=1000,
            )
            store_and_index(engine.database, tenant, note, engine.pipeline)

    @pytest.mark.parametrize("strategy", ["hybrid", "hybrid+rerank"])
    def test_a_note_written_through_the_api_is_in_the_graph_at_once(self, engine, tenant, chain, strategy) -> None:
        found = find(engine, tenant, "¿Por qué perdí el tren?", strategy=strategy)

        cause = next(hit for hit in found.hits if hit.external_id == "cena")
        assert cause.method in {"graph", "hybrid"}
        assert cause.causal_path is not None
        assert len(cause.causal_path) == 3

    def test_the_graph_can_be_switched_off(self, engine, tenant, chain) -> None:
        found = find(engine, tenant, "¿Por qué perdí el tren?", graphRAG={"enabled": False})

        assert all(hit.causal_path is None for hit in found.hits)


@pytest.mark.parametrize(
    ("strategy", "reading"),
    [
        ("hybrid", "rag_core.retrieval.expansion.fetch_spans"),
        ("hybrid", "rag_core.retrieval.reading.fetch_windows"),
        ("hybrid+rerank", "rag_core.retrieval.rerank.fetch_candidate_texts"),
    ],
)
def test_a_note_that_is_chunked_between_being_found_and_being_read_is_in_the_answer(
    engine, tenant, make_note, index_notes, monkeypatch, strategy, reading
) -> None:
    make_note(
        LONG.replace("El tren 45 ", "El paraguas verde quedó olvidado en el museo. El tren 45 "), external_id="viaje"
    )
    make_note("Compré pan, leche y tomates.", external_id="compra")
    module, _, name = reading.rpartition(".")
    read = getattr(importlib.import_module(module), name)
    indexed: list[bool] = []

    def late(*arguments: object, **more: object) -> object:
        if not indexed:
            indexed.append(True)
            index_notes()
        return read(*arguments, **more)

    monkeypatch.setattr(reading, late)
    found = find(engine, tenant, "el paraguas verde olvidado en el museo", strategy=strategy)

    assert indexed
    assert found.hits[0].external_id == "viaje"
    assert "paraguas verde" in found.hits[0].content
