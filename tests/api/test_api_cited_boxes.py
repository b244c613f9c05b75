"""Passages of a PDF are cited by page and box, and the note's page shows that page with the box drawn."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from asked_notes import events_in
from asked_pages import asked
from fastapi.testclient import TestClient
from folders import Vault
from pdfs import PdfFile

from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine

LEADER = "Anna Weber leitet das Projekt Apollo."
PLACE = "Der Garten liegt am Stadtrand von Freiburg."
WINTER = "Der Winter war lang und kalt."
VISITORS = "Im Sommer kamen viele Besucher."
QUESTION = "Wer leitet das Projekt Apollo?"
GARDEN = "Wo liegt der Garten?"


def plan() -> bytes:
    """Two pages with two paragraphs each; the second page ends with the leader."""
    file = PdfFile()
    for lines in ((PLACE, VISITORS), (WINTER, LEADER)):
        file.page()
        file.text(72, 100, lines[0])
        file.text(72, 200, lines[1])
    return file.data()


@pytest.fixture
def note(client: TestClient, engine: Engine, tmp_path: Path) -> str:
    """The plan, imported from a folder."""
    vault = Vault(path=tmp_path, database=engine.database, tenant=TenantId("default"))
    vault.write("Plan.pdf", plan())
    vault.take()
    return str(client.get("/api/notes").json()["notes"][0]["id"])


def box_of(engine: Engine, words: str) -> list[float]:
    """The box of the block that holds the words."""
    with engine.database.owner() as owner:
        ((box,),) = owner.execute(
            "select box from brain.blocks b join brain.notes n using (tenant_id, note_id) "
            "where position(%s in substring(content from start_char + 1 for end_char - start_char)) > 0",
            (words,),
        ).fetchall()
    return list(box)


def cited(client: TestClient, path: str, question: str) -> dict[str, Any]:
    """The source that an answer cites."""
    body = {"query": question} if path == "/api/query" else {"messages": [{"role": "user", "content": question}]}
    citation: dict[str, Any] = client.post(path, json=body).json()["citations"][0]
    return citation


@pytest.mark.parametrize(
    ("path", "question", "page", "block", "words"),
    [
        ("/api/query", QUESTION, 2, 3, LEADER),
        ("/api/query", GARDEN, 1, 0, PLACE),
        ("/api/v2/rag/chat", GARDEN, 1, 0, PLACE),
        ("/api/v2/rag/chat", QUESTION, 2, 3, LEADER),
    ],
)
def test_a_citation_has_the_box_of_its_evidence_on_the_page_it_tells(
    client: TestClient, engine: Engine, note: str, path: str, question: str, page: int, block: int, words: str
) -> None:
    citation = cited(client, path, question)

    assert note in citation.values()
    assert (citation["page"], citation["pageUnit"], citation["block"]) == (page, "page", block)
    assert citation["box"] == box_of(engine, words)


def test_a_label_names_the_page_of_the_evidence_streamed_or_not(
    client: TestClient, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_core.retrieval.expansion.page_of_hit", lambda *_, **__: 1)
    body = {"messages": [{"role": "user", "content": QUESTION}]}

    whole = client.post("/api/v2/rag/chat", json=body).json()
    events = events_in(client.post("/api/v2/rag/chat", json={**body, "stream": True}).text)

    (found,) = (event["data"] for event in events if event["type"] == "sources")
    assert [source["page"] for source in found] == [1]
    assert whole["citations"][0]["mark"] == "[Quelle: Plan, Seite 2]"
    said = "".join(event["data"]["content"] for event in events if event["type"] == "message")
    assert said == events[-1]["data"]["answer"] == whole["answer"]


def test_auroranotes_citations_tell_page_and_box_too(client: TestClient, engine: Engine, note: str) -> None:
    (citation,) = client.post("/chat", json={"message": QUESTION}).json()["citations"]

    assert (citation["page"], citation["pageUnit"], citation["block"]) == (2, "page", 3)
    assert citation["box"] == box_of(engine, LEADER)


@pytest.mark.parametrize(
    ("path", "body"), [("/api/retrieve", {"query": "Apollo"}), ("/api/v2/rag/search", {"query": "Apollo"})]
)
def test_a_hit_has_the_box_of_its_passage_on_the_page_that_says_what_was_asked(
    client: TestClient, engine: Engine, note: str, path: str, body: dict[str, Any]
) -> None:
    place = client.post(path, json=body).json()["results"][0]["metadata"]

    first, last = box_of(engine, WINTER), box_of(engine, LEADER)
    assert (place["page"], place["pageUnit"], place["block"]) == (2, "page", 2)
    assert place["box"] == [min(first[0], last[0]), first[1], max(first[2], last[2]), last[3]]


def test_an_answer_leads_to_the_note_with_the_page_that_it_cites(client: TestClient, engine: Engine, note: str) -> None:
    answer = asked(client, QUESTION)
    address = unescape(re.findall(rf'href="(/notas/{note}\?[^"]*cita=[^"]*)"', answer)[0])

    shown = client.get(address).text

    box = ",".join(f"{edge:.2f}" for edge in box_of(engine, LEADER))
    assert '<span class="place">página 2</span>' in answer
    assert re.search(r'<mark id="pasaje">[^<]*<b>|<mark id="pasaje">Anna Weber', shown)
    assert pictures(shown) == [f"/api/v2/documents/{note}/pages/2?width=900&box={box.replace(',', '%2C')}"]
    assert 'alt="Página 2 de 2 del original, con el pasaje recuadrado"' in shown
    assert client.get(pictures(shown)[0]).headers["content-type"] == "image/png"


@pytest.mark.parametrize(("query", "page"), [("Apollo", 2), ("Garten", 1)])
def test_a_hit_leads_to_the_page_that_says_what_was_asked(client: TestClient, note: str, query: str, page: int) -> None:
    found = client.get("/", params={"q": query}).text
    address = unescape(re.findall(rf'href="(/notas/{note}\?[^"]*fragmento=[^"]*)"', found)[0])

    shown = client.get(address).text

    assert f'<span class="place">página {page}</span>' in shown
    (picture,) = pictures(shown)
    assert picture.startswith(f"/api/v2/documents/{note}/pages/{page}?width=900&box=")


def test_other_pages_of_the_original_are_turned_to_without_losing_the_passage(client: TestClient, note: str) -> None:
    address = unescape(re.findall(rf'href="(/notas/{note}\?[^"]*cita=[^"]*)"', asked(client, QUESTION))[0])
    before = unescape(re.findall(r'href="([^"]*)" rel="prev"', client.get(address).text)[0])

    shown = client.get(before).text

    assert 'rel="prev"' not in shown
    assert 'rel="next"' in shown
    assert pictures(shown) == [f"/api/v2/documents/{note}/pages/1?width=900"]
    assert 'id="pasaje"' in shown


@pytest.mark.parametrize(
    ("page", "expected"), [("", 1), ("2", 2), ("3", 1), ("0", 1), ("x", 1), ("²", 1), ("9" * 30, 1)]
)
def test_without_a_passage_the_page_asked_for_is_shown_or_the_first(
    client: TestClient, note: str, page: str, expected: int
) -> None:
    shown = client.get(f"/notas/{note}", params={"pagina": page}).text

    assert pictures(shown) == [f"/api/v2/documents/{note}/pages/{expected}?width=900"]


@pytest.mark.parametrize(
    ("language", "told"), [("de", "Seite 1 von 2 des Originals"), ("en", "Page 1 of 2 of the original")]
)
def test_the_original_is_told_of_in_the_readers_language(
    client: TestClient, note: str, language: str, told: str
) -> None:
    assert f'alt="{told}"' in client.get(f"/notas/{note}", headers={"Accept-Language": language}).text


def test_a_note_without_pages_shows_no_original(client: TestClient, add_note: Any) -> None:
    shown = client.get(f"/notas/{add_note('Hola')['id']}").text

    assert pictures(shown) == []
    assert "#original" not in shown


def pictures(page: str) -> list[str]:
    """Addresses of the pictures of a page's originals."""
    return [unescape(found) for found in re.findall(r'<img src="([^"]*)" alt="[^"]*" loading="lazy"', page)]
