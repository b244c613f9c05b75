"""The graph of an entity or a note, and the notes related to one."""

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rag_core.api.pages import related_notes

LINK = re.compile(r'<a href="([^"]+)" id="n[^"]+" aria-label="([^"]+)"')


def graph_of(client: TestClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.text


@pytest.fixture
def notes(add_note: Any) -> list[dict[str, Any]]:
    """Three notes: two share a person, two another one."""
    return [
        add_note("Cené con Birgit Lohmann y con Rosa Ferrer.", title="Cena"),
        add_note("Comí con Birgit Lohmann.", title="Comida"),
        add_note("Hablé con Rosa Ferrer y con Tomás Quintana.", createdAt="2025-03-04T10:00:00Z"),
    ]


def test_around_a_note_are_the_entities_it_names_and_the_notes_that_share_them(
    client: TestClient, notes: list[dict[str, Any]]
) -> None:
    page = graph_of(client, f"/grafo?nota={notes[0]['id']}")

    assert [name for _, name in LINK.findall(page)][:3] == [
        "Cena, nota",
        "Birgit Lohmann, persona",
        "Rosa Ferrer, persona",
    ]
    assert {name for _, name in LINK.findall(page)[3:]} == {"Comida, nota", "4 de marzo de 2025, nota"}
    assert page.count("<path ") == 4
    assert '<td>nota</td><td class="quiet">Birgit Lohmann</td>' in page


def test_around_an_entity_are_its_notes_and_what_they_name_too(client: TestClient, notes: list[dict[str, Any]]) -> None:
    around = dict(map(reversed, LINK.findall(graph_of(client, f"/grafo?nota={notes[0]['id']}"))))

    page = graph_of(client, around["Rosa Ferrer, persona"])

    found = [name for _, name in LINK.findall(page)]
    assert found[0] == "Rosa Ferrer, persona"
    assert set(found[1:]) == {
        "Cena, nota",
        "4 de marzo de 2025, nota",
        "Birgit Lohmann, persona",
        "Tomás Quintana, persona",
    }


def test_a_neighbourhood_is_bounded_and_shows_more_when_asked(client: TestClient, add_note: Any) -> None:
    made = [add_note(f"Comí con Birgit Lohmann, día {day}.", title=f"Comida {day}") for day in range(20)]
    address = dict(map(reversed, LINK.findall(graph_of(client, f"/grafo?nota={made[0]['id']}"))))[
        "Birgit Lohmann, persona"
    ]

    page = graph_of(client, address)
    more = re.search(r'<a href="([^"]+)">Mostrar más</a>', page)

    assert len(LINK.findall(page)) == 17
    assert more is not None
    assert len(LINK.findall(graph_of(client, more[1].replace("&amp;", "&")))) == 21


def test_without_an_entity_those_that_most_notes_name_are_listed(
    client: TestClient, notes: list[dict[str, Any]]
) -> None:
    page = graph_of(client, "/grafo")

    assert re.findall(r'<th scope="row"><a href="/grafo\?entidad=[^"]+">(.*?)</a>', page) == [
        "Birgit Lohmann",
        "Rosa Ferrer",
        "Tomás Quintana",
    ]


@pytest.mark.parametrize("wanted", ["entidad=nada", "nota=nada", "nota=00000000-0000-0000-0000-00000000000a"])
def test_what_there_is_not_has_no_graph(client: TestClient, wanted: str) -> None:
    assert client.get(f"/grafo?{wanted}").status_code == 404


def test_a_note_tells_what_it_shares_with_related_ones(client: TestClient, notes: list[dict[str, Any]]) -> None:
    page = client.get(f"/notas/{notes[1]['id']}", headers={"Accept-Language": "de"}).text

    related = page.partition("Verwandte Notizen</h2>")[2]
    assert re.findall(r'<a href="/notas/[^"]+">(.*?)</a> <span class="quiet">(.*?)</span>', related) == [
        ("Cena", "beide nennen: Birgit Lohmann")
    ]


def test_a_note_tells_which_one_says_something_alike(
    client: TestClient, add_note: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(related_notes, "knows_meaning", lambda _model: True)
    words = ("lunes", "pan", "nieve", "coche", "huerto", "tren", "cine", "gato", "playa")
    for word in words:
        add_note(f"hoy {word} y nada más que {word}.", title=word)
    add_note("la caldera vieja pierde agua por la junta.", title="Fuga")
    note = add_note("la caldera vieja pierde agua otra vez.", title="Caldera")

    page = client.get(f"/notas/{note['id']}").text

    assert re.findall(r'">(.*?)</a> <span class="quiet">dicen cosas parecidas</span>', page) == ["Fuga"]
