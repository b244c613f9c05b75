"""The page of an entity, and the entities of a note on the note's page."""

import html
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient


def page_of(client: TestClient, note: dict[str, Any], name: str) -> str:
    """The page that the note's page links to under a name."""
    shown = client.get(f"/notas/{note['id']}").text
    address = re.search(rf'<a href="(/entidad/[0-9a-f-]+)">{re.escape(name)}</a>', shown)
    assert address is not None
    return client.get(address[1]).text


@pytest.fixture
def notes(add_note: Any) -> list[dict[str, Any]]:
    """Two notes that name a person, one of them with another."""
    return [
        add_note("Llueve. Cené con Birgit Lohmann y con Rosa Ferrer. Nada más.", title="Cena"),
        add_note("Comí con Birgit Lohmann.", title="Comida"),
    ]


def test_an_entity_has_the_notes_that_name_it_and_who_is_beside_it(
    client: TestClient, notes: list[dict[str, Any]]
) -> None:
    page = page_of(client, notes[1], "Birgit Lohmann")

    assert "<h1>Birgit Lohmann</h1>" in page
    assert "<span>persona</span><span>2 notas</span><span>2 menciones</span>" in page
    assert "Cené con <mark>Birgit Lohmann</mark> y con Rosa Ferrer.</a>" in page
    assert set(re.findall(r'<h2><a href="/notas/[^"]+">(.*?)</a>', page)) == {"Cena", "Comida"}
    assert re.findall(r'<a href="/entidad/[^"]+">(.*?)</a> \((.*?)\)', page) == [("Rosa Ferrer", "persona")]


def test_a_mention_links_to_its_place_in_the_note(client: TestClient, notes: list[dict[str, Any]]) -> None:
    page = page_of(client, notes[0], "Rosa Ferrer")

    address = html.unescape(re.findall(r'<a href="(/notas/[^"]+\?cita=[^"]+)#pasaje">', page)[0])

    assert 'id="pasaje">Rosa Ferrer</mark>' in client.get(address).text


def test_a_mention_is_shown_in_its_whole_sentence_without_the_marks_of_headings(
    client: TestClient, add_note: Any
) -> None:
    note = add_note("# Cena con Rosa Ferrer\n\nVino el Sr. Prats con Rosa Ferrer. Nada más.", title="Cena")

    page = page_of(client, note, "Rosa Ferrer")

    assert re.findall(r"#pasaje\">(.*?)</a></li>", page) == [
        "Cena con <mark>Rosa Ferrer</mark>",
        "Vino el Sr. Prats con <mark>Rosa Ferrer</mark>.",
    ]


def test_a_relation_is_told_from_both_ends_with_the_sentence_that_says_so(client: TestClient, add_note: Any) -> None:
    note = add_note("Llueve. Birgit Lohmann trabaja en Renfe. Nada más.", title="Trenes")

    person, firm = page_of(client, note, "Birgit Lohmann"), page_of(client, note, "Renfe")

    assert re.search(r'<li>trabaja en <a href="/entidad/[^"]+">Renfe</a>: ', person)
    assert re.search(r'<li>da trabajo a <a href="/entidad/[^"]+">Birgit Lohmann</a>: ', firm)
    address = html.unescape(re.findall(r'<a href="(/notas/[^"]+)#pasaje" title="Trenes"><q', person)[0])
    assert 'id="pasaje">Birgit Lohmann trabaja en Renfe.</mark>' in client.get(address).text


@pytest.mark.parametrize("wanted", ["00000000-0000-0000-0000-00000000000a", "nada"])
def test_what_no_note_names_has_no_page(client: TestClient, wanted: str) -> None:
    answer = client.get(f"/entidad/{wanted}")

    assert answer.status_code == 404
    assert "Ninguna nota nombra esa entidad" in answer.text


def test_the_page_is_in_the_readers_language(client: TestClient, notes: list[dict[str, Any]]) -> None:
    shown = client.get(f"/notas/{notes[1]['id']}").text
    address = re.findall(r'<a href="(/entidad/[^"]+)">', shown)[0]

    german = client.get(address, headers={"Accept-Language": "de"}).text

    assert "<span>Person</span><span>2 Notizen</span>" in german
    assert "In denselben Notizen" in german
