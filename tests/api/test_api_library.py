"""The list of all notes: newest first, a page at a time, with the numbers that a further condition leaves."""

import html
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from rag_core.api.pages import library
from rag_core.errors import DeadlineExceededError

ENGLISH = {"Accept-Language": "en"}


@pytest.fixture
def notes(add_note: Any) -> None:
    """Four notes of two sources and two years, and one without a known date."""
    add_note("Nochevieja", title="A", createdAt="2024-12-31T23:30:00+01:00", source="diario")
    add_note("Enero", title="B", createdAt="2025-01-02", source="diario", metadata={"tags": ["Casa", "trabajo/x"]})
    add_note("Enero también", title="C", createdAt="2025-01-31", source="cartas", metadata={"tags": ["casa"]})
    add_note("Marzo", title="D", createdAt="2025-03-01", source="diario")
    add_note("Sin fecha", title="Z", createdAt="9999-12-31T00:00:00Z", source="diario")


def titles(page: str) -> list[str]:
    return re.findall(r'<span class="title">(.*?)</span>', page)


def facet(page: str, name: str) -> dict[str, tuple[str, str]]:
    """The choices of a facet: their numbers and addresses by their labels."""
    found = re.search(rf'<nav class="facet" aria-label="{name}">(.*?)</nav>', page, re.DOTALL)
    choices = re.findall(r'href="(.*?)">(.*?) <span class="quiet">(.*?)</span>', found[1] if found else "")
    return {label: (count, html.unescape(address)) for address, label, count in choices}


def test_all_notes_are_listed_newest_first_with_counts(client: TestClient, notes: None) -> None:
    page = client.get("/notas").text

    assert titles(page) == ["Z", "D", "C", "B", "A"]
    assert "5 notas" in page
    assert {label: count for label, (count, _) in facet(page, "Fuente").items()} == {"diario": "4", "cartas": "1"}
    assert {label: count for label, (count, _) in facet(page, "Etiquetas").items()} == {"Casa": "2", "trabajo/x": "1"}
    assert {label: count for label, (count, _) in facet(page, "Año").items()} == {"2025": "3", "2024": "1"}
    assert facet(page, "Clase") == {}


def test_a_choice_leads_to_the_notes_it_counts(client: TestClient, notes: None) -> None:
    page = client.get("/notas").text

    def listed(name: str, choice: str) -> list[str]:
        return titles(client.get(facet(page, name)[choice][1]).text)

    assert listed("Fuente", "cartas") == ["C"]
    assert listed("Etiquetas", "Casa") == ["C", "B"]
    assert listed("Año", "2024") == ["A"]
    narrowed = client.get(facet(page, "Etiquetas")["Casa"][1]).text
    assert {label: count for label, (count, _) in facet(narrowed, "Fuente").items()} == {"cartas": "1", "diario": "1"}


def test_a_year_is_drawn_by_months_that_lead_to_their_notes(client: TestClient, notes: None) -> None:
    page = client.get("/notas", headers=ENGLISH).text

    assert "Notes by month in 2025" in page
    bars = re.findall(r'<a href="([^"]+)" aria-label="([^"]+)"><title>', page)
    assert [told for _, told in bars] == ["January: 2 notes", "March: 1 note"]
    assert titles(client.get(html.unescape(bars[0][0])).text) == ["C", "B"]
    assert re.findall(r">(\w+)</a></th><td>(\d+)</td>", page) == [("January", "2"), ("March", "1")]


def test_pages_follow_one_another_without_a_gap(
    client: TestClient, notes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "PAGE_NOTES", 2)
    page, found = client.get("/notas?fuente=diario").text, []

    for _ in range(2):
        found += titles(page)
        older = re.findall(r'<a href="([^"]+)" rel="next">', page)
        page = client.get(html.unescape(older[0])).text if older else ""

    assert found == ["Z", "D", "B", "A"]
    assert page == ""


@pytest.mark.parametrize("cursor", ["nada", "2025-01-01~x", "2025-01-01T00:00:00~00000000-0000-4000-8000-000000000000"])
def test_what_is_no_place_in_the_list_is_its_beginning(client: TestClient, notes: None, cursor: str) -> None:
    assert len(titles(client.get("/notas", params={"antes": cursor}).text)) == 5


def test_a_condition_that_cannot_be_read_is_told(client: TestClient, notes: None) -> None:
    page = client.get("/notas?desde=ayer").text

    assert 'role="alert"' in page
    assert "«ayer» no es una fecha" in html.unescape(page)


def test_without_notes_it_says_how_to_import(client: TestClient) -> None:
    assert "brain import" in client.get("/notas").text


def test_notes_that_cannot_be_counted_in_time_are_listed(
    client: TestClient, notes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*_asked: Any, **_more: Any) -> None:
        raise DeadlineExceededError("too slow")

    monkeypatch.setattr(library, "fetch_library_counts", slow)

    page = client.get("/notas").text

    assert len(titles(page)) == 5
    assert "Son demasiadas para contarlas ahora." in page
