"""Passages found by the names that they share with the best ones."""

import dataclasses

import pytest
from retrievals import find

from rag_core.errors import DeadlineExceededError
from rag_core.retrieval.legs import OUT_OF_TIME
from rag_core.retrieval.linked import KEPT
from rag_core.storage import names as store
from rag_core.storage.names import find_names

QUESTION = "¿de qué pueblo es quien arregló la caldera del sótano?"
FILLING = (
    "El pueblo de los abuelos tiene una fuente.",
    "La caldera del sótano pierde presión otra vez.",
    "En el pueblo hay fiesta y se arregló el quiosco.",
    "Quien vaya al sótano que apague la luz.",
)


@pytest.fixture
def linked(make_note, index_notes) -> None:
    """Notes of which two share a name, and the second shares no word with the question."""
    make_note("Ayer Marisol Beltrán arregló la caldera del sótano.", external_id="caldera")
    make_note("Marisol Beltrán nació en Sepúlveda y canta con nosotros.", external_id="marisol")
    for number, text in enumerate(FILLING):
        make_note(text, external_id=f"otra{number}")
    index_notes()


def ids(found) -> list[str]:
    return [hit.external_id for hit in found.hits]


@pytest.mark.usefixtures("linked")
def test_the_note_on_the_one_who_is_named_is_found(engine, tenant) -> None:
    found = find(engine, tenant, QUESTION, strategy="hybrid")

    place = ids(found).index("marisol")
    assert ids(found)[0] == "caldera"
    assert place <= KEPT
    assert "names" in found.hits[place].ranks


@pytest.mark.usefixtures("linked")
def test_what_no_leg_found_is_found_by_its_name_alone(engine, tenant) -> None:
    found = find(engine, tenant, QUESTION, strategy="hybrid", hybridSearch={"threshold": 0.95})

    (linked,) = [hit for hit in found.hits if hit.external_id == "marisol"]
    assert linked.ranks == {"names": 1}
    assert linked.method == "graph"


@pytest.mark.usefixtures("linked")
def test_names_that_are_late_are_told_as_a_partial_search(engine, tenant, monkeypatch, caplog) -> None:
    def fail(*_, **__):
        raise DeadlineExceededError("the lookup took too long")

    monkeypatch.setattr("rag_core.retrieval.linked.find_names", fail)

    found = find(engine, tenant, QUESTION, strategy="hybrid")

    assert ids(found)[0] == "caldera"
    assert found.warnings == (OUT_OF_TIME,)
    assert [record.is_told for record in caplog.records if record.component == "names"] == [True]


@pytest.mark.usefixtures("linked")
@pytest.mark.parametrize("off", [{"graphRAG": {"enabled": False}}, {"strategy": "fulltext"}])
def test_names_are_not_followed_where_the_graph_is_off(engine, tenant, off) -> None:
    found = find(engine, tenant, QUESTION, **{"strategy": "hybrid", **off})

    assert not any("names" in hit.ranks for hit in found.hits)


@pytest.mark.usefixtures("linked")
def test_filters_hold_on_the_way(engine, tenant, database) -> None:
    found = find_names(database, tenant, ["Marisol Beltrán"], timeout_ms=5_000)
    filters = dataclasses.replace(store.NO_FILTERS, kinds=("document",))

    assert len(found[0]) == 2
    assert find_names(database, tenant, ["Marisol Beltrán"], filters=filters, timeout_ms=5_000) == [{}]


@pytest.mark.usefixtures("linked")
@pytest.mark.parametrize(("departments", "count"), [(["ventas"], 3), (["compras"], 2), ([], 2)])
def test_notes_of_other_departments_are_not_reached(database, tenant, make_note, departments, count) -> None:
    make_note("Marisol Beltrán pidió un aumento.", metadata={"visibility": "department", "department": "ventas"})

    (found,) = find_names(database.seen_by(departments), tenant, ["Marisol Beltrán"], timeout_ms=5_000)

    assert len(found) == count


@pytest.mark.usefixtures("linked")
@pytest.mark.parametrize("name", ["Beltrán Marisol", "Marisol Sepúlveda", "la", "Nadie"])
def test_a_name_is_found_by_its_words_one_after_another(database, tenant, name) -> None:
    assert find_names(database, tenant, [name], timeout_ms=5_000) == [{}]


def test_a_name_in_too_many_chunks_leads_nowhere(database, tenant, make_note, index_notes, monkeypatch) -> None:
    monkeypatch.setattr(store, "MOST_CHUNKS", 2)
    for number in range(3):
        make_note(f"Nota {number} de Marisol.")
    index_notes()

    assert find_names(database, tenant, ["Marisol"], timeout_ms=5_000) == [{}]
