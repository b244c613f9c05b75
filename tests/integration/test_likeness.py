"""Similarities of a question to the sentences of what is found, read from the vectors of the index."""

from dataclasses import replace

import numpy as np
import pytest
from answer_path import with_settings
from filling import index_stale

from rag_core.answering.answer import answer_events
from rag_core.answering.events import AnswerFinished, AnswerRequest
from rag_core.answering.sources import likeness
from rag_core.answering.sources.likeness import with_likeness
from rag_core.configuration.schema import configure
from rag_core.embedding.context import titled
from rag_core.errors import QueryFailedError
from rag_core.indexing.inputs import parts_of
from rag_core.model.chunk import ChunkText
from rag_core.model.embedding import MAX_STORED_NUMBERS
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import with_model

SOUP = (
    "Las lentejas de la abuela llevan laurel, pimentón dulce y un chorreón de vinagre al final, con el fuego apagado."
)
RAIN = "Llovió toda la tarde y el tejado del cobertizo aguantó por fin, así que no hizo falta sacar los cubos."
CAR = "Vendido el coche viejo por dos mil novecientos euros a un chico de Sevilla que vino con su padre a por él el sábado."
NOTE = f"{RAIN} {SOUP} Sí. {CAR}"
QUESTION = "¿cuánto laurel llevan las lentejas de la abuela?"
TIMEOUT_MS = 20_000


@pytest.fixture
def sentences(engine, tenant, make_note):
    """An engine whose model searches sentences, with one note of four."""
    make_note(NOTE, external_id="todo", title="Domingo")
    with engine.database.owner() as connection:
        connection.execute("update brain.embedding_models set searched_vectors = 'sentences' where state = 'active'")
    served = with_model(engine, replace(engine.model, searched_vectors="sentences"))
    index_stale(served, tenant)
    return served


def found(engine, tenant):
    return retrieve(engine, tenant, QUESTION, config=configure(strategy="fulltext"), timeout_ms=TIMEOUT_MS).hits


def test_every_sentence_has_its_cosine(sentences, tenant) -> None:
    (hit,) = with_likeness(sentences, tenant, QUESTION, found(sentences, tenant), timeout_ms=TIMEOUT_MS)

    text = ChunkText(content=NOTE, context="", title="Domingo", language="es", chunking_method="sentence")
    parts = [part.text for part in parts_of(text, most=MAX_STORED_NUMBERS // sentences.model.dimensions)]
    vectors = sentences.embedder.embed([titled("Domingo", part) for part in parts], role="document")
    expected = vectors @ sentences.embedder.embed([QUESTION], role="query")[0]
    assert [hit.expanded_content[start:end] for (start, end), _ in hit.likeness] == parts
    assert [cosine for _, cosine in hit.likeness] == pytest.approx(expected.tolist(), abs=1e-5)
    assert hit.expanded_content[slice(*hit.likeness[int(np.argmax(expected))][0])] == SOUP


def test_a_window_has_the_parts_that_it_shows_alone(sentences, tenant) -> None:
    (hit,) = found(sentences, tenant)
    start = NOTE.index(SOUP)
    narrow = replace(hit, expanded_content=SOUP, start_char=start)

    (made,) = with_likeness(sentences, tenant, QUESTION, [narrow], timeout_ms=TIMEOUT_MS)

    assert [span for span, _ in made.likeness] == [(0, len(SOUP))]


def test_a_model_with_one_vector_a_chunk_gives_none(sentences, tenant) -> None:
    hits = found(sentences, tenant)
    plain = with_model(sentences, replace(sentences.model, searched_vectors="standard"))

    assert with_likeness(plain, tenant, QUESTION, hits, timeout_ms=TIMEOUT_MS) == hits


def test_vectors_that_cannot_be_read_leave_the_words(sentences, tenant, monkeypatch) -> None:
    def fail(*_, **__):
        raise QueryFailedError("no")

    monkeypatch.setattr(likeness, "fetch_sentence_vectors", fail)
    hits = found(sentences, tenant)

    assert with_likeness(sentences, tenant, QUESTION, hits, timeout_ms=TIMEOUT_MS) == hits


def test_vectors_of_other_sentences_give_none(sentences, tenant) -> None:
    with sentences.database.owner() as connection:
        connection.execute("update brain.chunks set content = replace(content, 'cubos. ', 'cubos, ')")

    (hit,) = with_likeness(sentences, tenant, QUESTION, found(sentences, tenant), timeout_ms=TIMEOUT_MS)

    assert hit.likeness == ()


def test_an_answer_is_quoted_by_them(sentences, tenant) -> None:
    request = AnswerRequest(question=QUESTION, contract="command", user_hash="", is_recorded=False)

    *_, last = answer_events(with_settings(sentences, answer_evidence=0), tenant, request)

    assert isinstance(last, AnswerFinished)
    assert last.answer.sources[0].likeness
    assert last.answer.text.startswith(SOUP.removesuffix("."))
