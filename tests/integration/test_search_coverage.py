"""How much of a query the best note covers: its BM25 score over the highest that the query allows."""

from math import log

import pytest

from rag_core.storage.search import search_fulltext

K1 = 1.2


def idf(documents: int, frequency: int) -> float:
    return log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def search(engine, tenant, text: str):
    return search_fulltext(engine.database, tenant, text, limit=10, timeout_ms=10_000)


def test_words_that_no_note_has_count_in_the_highest_score(engine, tenant, make_note) -> None:
    make_note("El gato duerme.", language="es")
    make_note("Llueve en la sierra.", language="es")

    found = search(engine, tenant, "gato dragón")

    highest = (K1 + 1) * (idf(2, 1) + idf(2, 0))
    assert found.coverage == pytest.approx(found.ranking[0][1] / highest)


def test_a_query_in_another_language_is_covered_less_than_one_in_the_notes(engine, tenant, make_note) -> None:
    make_note("Con Marta en el mercado: tomates, queso y aceitunas.", language="es")
    make_note("Llueve en la sierra.", language="es")

    own = search(engine, tenant, "¿Qué compré con Marta en el mercado?").coverage
    foreign = search(engine, tenant, "What cheese did Marta buy at the market?").coverage

    assert 0 < foreign < own / 2


def test_the_language_of_the_best_note_counts_in_a_tenant_of_several(engine, tenant, make_note) -> None:
    make_note("El gato duerme.", language="es")
    make_note("Llueve en la sierra.", language="es")
    alone = search(engine, tenant, "gato").coverage

    make_note("It rains.", language="en")

    assert search(engine, tenant, "gato").coverage == pytest.approx(alone)


def test_nothing_found_covers_nothing(engine, tenant, make_note) -> None:
    make_note("El gato duerme.", language="es")

    assert search(engine, tenant, "dragón").coverage == 0
    assert search(engine, tenant, "de la").coverage == 0
