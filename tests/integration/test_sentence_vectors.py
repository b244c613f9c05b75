"""A model that searches sentences: its standard vectors hold one a sentence, and the nearest one counts with the context's."""

from dataclasses import replace

import numpy as np
import pytest
from filling import index_stale

from rag_core.indexing.inputs import vector_texts
from rag_core.model.chunk import ChunkText
from rag_core.model.retrieval import Filters
from rag_core.model_change.backfill import backfill_model
from rag_core.runtime.engine import with_model
from rag_core.storage.checks import run_check
from rag_core.storage.documents import fetch_chunk_spans
from rag_core.storage.notes import find_notes
from rag_core.storage.search import search_semantic
from rag_core.storage.vector_index import ensure_vector_index

CAR = "Vendido el coche viejo por dos mil novecientos euros a un chico de Sevilla que vino con su padre a por él el sábado."
RAIN = "Llovió toda la tarde y el tejado del cobertizo aguantó por fin, así que no hizo falta sacar los cubos."
SOUP = (
    "Las lentejas de la abuela llevan laurel, pimentón dulce y un chorreón de vinagre al final, con el fuego apagado."
)
NOTES = {"coche": f"{CAR} {RAIN}", "sopa": f"{SOUP} {RAIN}", "todo": f"{RAIN} {SOUP} {CAR}", "corta": "Hay lentejas."}
"""Texts of whole sentences longer than those that are joined."""
QUERY = "las lentejas de la abuela con laurel"


@pytest.fixture
def sentences(engine, tenant, make_note):
    """An engine whose active model searches sentences, with notes that are indexed."""
    for name, text in NOTES.items():
        make_note(text, external_id=name)
    with engine.database.owner() as connection:
        connection.execute("update brain.embedding_models set searched_vectors = 'sentences' where state = 'active'")
    model = replace(engine.model, searched_vectors="sentences")
    served = with_model(engine, model)
    index_stale(served, tenant)
    return served


def search(engine, tenant, *, searched="sentences", few=5_000, limit=10):
    vector = engine.embedder.embed([QUERY], role="query")[0]
    found = search_semantic(
        engine.database,
        tenant,
        vector,
        model=engine.model,
        searched=searched,
        limit=limit,
        timeout_ms=20_000,
        exact_scan_chunks=few,
    )
    return found, vector


def expected(engine, vector):
    """Both similarities of each chunk, computed from its texts anew."""
    with engine.database.owner() as connection:
        rows = connection.execute("select chunk_id, content, context, title, language from brain.chunks").fetchall()
    likeness = {}
    for chunk, content, context, title, language in rows:
        text = ChunkText(content=content, context=context, title=title, language=language, chunking_method="sentence")
        likeness[chunk] = [
            float((engine.embedder.embed(list(texts), role="document") @ vector).max())
            for texts in (vector_texts(engine.model, kind, text) for kind in ("standard", "contextual"))
        ]
    return likeness


def test_density_is_the_mean_cosine_of_neighbouring_sentences(sentences, tenant) -> None:
    car, rain, soup = sentences.embedder.embed([CAR, RAIN, SOUP], role="document")

    with sentences.database.transaction(tenant) as connection:
        found = {
            name: [
                chunk.semantic_density for chunk in fetch_chunk_spans(connection, tenant, note, model=sentences.model)
            ]
            for name, note in find_notes(connection, tenant, NOTES).items()
        }

    assert found == {
        "coche": [pytest.approx(car @ rain, abs=1e-5)],
        "sopa": [pytest.approx(soup @ rain, abs=1e-5)],
        "todo": [pytest.approx((rain @ soup + soup @ car) / 2, abs=1e-5)],
        "corta": [None],
    }


def test_each_chunk_has_as_many_vectors_as_sentences(sentences, tenant) -> None:
    with sentences.database.owner() as connection:
        sizes = dict(
            connection.execute(
                "select n.external_id, vector_dims(e.vector) from brain.embeddings e join brain.chunks c using (chunk_id)"
                " join brain.notes n using (note_id) where e.kind = 'standard'"
            ).fetchall()
        )

    counts = {name: size / sentences.model.dimensions for name, size in sizes.items()}
    assert counts == {"coche": 2, "sopa": 2, "todo": 3, "corta": 1}
    assert run_check(sentences.database, tenant, "check_vectors", model=sentences.model).violations == 0


def test_a_vector_of_another_length_is_found_by_the_check(sentences, tenant) -> None:
    with sentences.database.owner() as connection:
        connection.execute(
            "update brain.embeddings set vector = subvector(vector, 1, 100) where kind = 'standard' and chunk_id in"
            " (select chunk_id from brain.chunks join brain.notes using (note_id) where external_id = 'coche')"
        )
        connection.execute("update brain.embeddings set vector = vector || vector where kind = 'contextual'")

    found = run_check(sentences.database, tenant, "check_vectors", model=sentences.model)

    assert found.violations == 1 + len(NOTES)


@pytest.mark.parametrize("few", [5_000, 0])
def test_the_mean_of_nearest_sentence_and_context_counts_with_and_without_an_index(sentences, tenant, few: int) -> None:
    ensure_vector_index(sentences.database, sentences.model, exact_scan_chunks=0)

    found, vector = search(sentences, tenant, few=few)

    likeness = {chunk: np.mean(both) for chunk, both in expected(sentences, vector).items()}
    assert dict(found) == pytest.approx(likeness, abs=1e-5)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_searched_by_the_standard_vectors_alone_the_nearest_sentence_counts(sentences, tenant) -> None:
    found, vector = search(sentences, tenant, searched="standard", few=0)

    assert dict(found) == pytest.approx(
        {chunk: both[0] for chunk, both in expected(sentences, vector).items()}, abs=1e-5
    )


def test_what_a_backfill_stores_is_what_indexing_stores(sentences, tenant) -> None:
    with sentences.database.owner() as connection:
        indexed = connection.execute("select * from brain.embeddings order by chunk_id, kind").fetchall()
        connection.execute("delete from brain.embeddings")

    report = backfill_model(sentences.database, tenant, None, sentences.model, sentences.embedder)

    with sentences.database.owner() as connection:
        assert connection.execute("select * from brain.embeddings order by chunk_id, kind").fetchall() == indexed
    assert (report.embedded, report.failed) == (len(indexed) - report.reused, 0)


@pytest.mark.parametrize("few", [5_000, 0])
def test_notes_in_another_language_are_as_near_as_their_meaning(engine, tenant, make_note, index_notes, few) -> None:
    for name, language in (("es", "es"), ("en", "en")):
        make_note(f"{SOUP} {name}", external_id=name, language=language)
    index_notes()
    ensure_vector_index(engine.database, engine.model, exact_scan_chunks=0)
    vector = engine.embedder.embed([QUERY], role="query")[0]

    def found(**given):
        hits = search_semantic(
            engine.database,
            tenant,
            vector,
            model=engine.model,
            searched="contextual",
            limit=10,
            timeout_ms=20_000,
            exact_scan_chunks=few,
            **given,
        )
        with engine.database.owner() as connection:
            spoken = dict(connection.execute("select chunk_id, language from brain.chunks").fetchall())
        return {spoken[chunk]: score for chunk, score in hits}

    plain, lifted = found(), found(language="es", language_gap=0.25)

    assert lifted == pytest.approx({"es": plain["es"], "en": plain["en"] + 0.25})
    assert list(lifted) == ["en", "es"]
    assert found(language="es", language_gap=0.25, filters=Filters(languages=("es",))) == {
        "es": pytest.approx(plain["es"])
    }


def test_where_all_notes_are_of_one_language_nothing_is_added(sentences, tenant) -> None:
    plain, vector = search(sentences, tenant)

    lifted = search_semantic(
        sentences.database,
        tenant,
        vector,
        model=sentences.model,
        searched="sentences",
        limit=10,
        timeout_ms=20_000,
        language="en",
        language_gap=0.25,
    )

    assert lifted == plain
