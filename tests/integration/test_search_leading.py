"""Long posting lists are not read from end to end, and the scores are those of reading them."""

import pytest

from rag_core.storage import search
from rag_core.storage.search import search_fulltext

QUERY = "¿cuántas gaviotas siento en el puerto por la mañana?"


@pytest.fixture
def notes(make_note, index_notes) -> None:
    for number in range(30):
        make_note(f"Por la mañana hay barcos en el puerto, y el número {number} zarpa.")
    make_note("Tres gaviotas en el puerto por la mañana.", external_id="gaviotas")
    make_note("Sentí que las gaviotas se iban.", external_id="sentí")
    index_notes()


def found(engine, tenant, limit=10):
    return search_fulltext(engine.database, tenant, QUERY, limit=limit, timeout_ms=10_000).ranking


@pytest.mark.parametrize("most_postings", [0, 3, 40])
def test_what_the_rare_words_find_has_the_scores_of_all_words(
    engine, tenant, notes, monkeypatch, most_postings
) -> None:
    whole = dict(found(engine, tenant, limit=50))

    monkeypatch.setattr(search, "MOST_POSTINGS", most_postings)
    monkeypatch.setattr(search, "LED_PER_RESULT", 1)
    led = found(engine, tenant)

    assert len(led) >= 2
    assert {chunk: pytest.approx(whole[chunk]) for chunk, _ in led} == dict(led)
    assert [chunk for chunk, _ in led[:2]] == list(whole)[:2]


def test_the_best_few_are_completed_by_the_other_words(engine, tenant, notes, monkeypatch) -> None:
    monkeypatch.setattr(search, "MOST_POSTINGS", 0)
    monkeypatch.setattr(search, "LED_PER_RESULT", 1)

    (best,) = found(engine, tenant, limit=1)

    assert best[1] > 0
