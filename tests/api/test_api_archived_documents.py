"""Archived documents: out of every search, graph and structure at once, their originals kept, and back by a job."""

import re
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from fastapi.testclient import TestClient
from jobs_done import DoJobs
from test_api_documents import uploaded

from rag_core.runtime.engine import Engine

TEXT = "# Cocina\n\nEl café de la noche provoca insomnio.\n\n| Cosa | Euros |\n| --- | --- |\n| cafetera | 42 |\n"
QUESTION = {"query": "¿Qué provoca insomnio?"}
LEFT = (
    "notes",
    "chunks",
    "embeddings",
    "blocks",
    "postings",
    "relations",
    "mentions",
    "entities",
    "note_enrichments",
)


@pytest.fixture
def document(client: TestClient, do_jobs: DoJobs) -> str:
    """A document with a cause and a table, for its sender alone."""
    sent = uploaded(client, TEXT, "Cocina.md", visibility="private", classification="intern")
    do_jobs()
    return sent


def change(client: TestClient, document: str, how: str) -> int:
    return client.post(f"/api/v2/documents/{document}/{how}").status_code


def state_of(client: TestClient, document: str) -> str:
    return str(client.get(f"/api/v2/documents/{document}/status").json()["status"])


def found(client: TestClient) -> dict[str, Any]:
    """What each kind of search has, by words, meaning, tables and causes."""
    retrieved = {
        strategy: client.post("/api/retrieve", json={**QUESTION, "strategy": strategy}).json()["results"]
        for strategy in ("fulltext", "semantic", "hybrid+rerank")
    }
    routed = client.post(
        "/api/v2/rag/search", json={**QUESTION, "searchTables": True, "includeGraphRefinement": True}
    ).json()
    return {**retrieved, "tables": routed["tables"], "graph": routed["graphContext"]}


def rows(engine: Engine) -> dict[str, int]:
    with engine.database.owner() as owner:
        return {
            table: owner.execute(f"select count(*) from brain.{table}").fetchall()[0][0]
            for table in (*LEFT, "originals", "documents")
        }


def test_it_leaves_everything_at_once_and_its_original_stays(client: TestClient, document: str, engine: Engine) -> None:
    before, stored = found(client), rows(engine)
    assert all(before.values()), before
    assert all(stored.values()), stored

    assert change(client, document, "archive") == 204

    assert not any(found(client).values())
    assert rows(engine) == {**dict.fromkeys(LEFT, 0), "originals": 1, "documents": 1}
    assert state_of(client, document) == "archived"
    for part in ("structure", "graph", "original", "pages/1"):
        assert client.get(f"/api/v2/documents/{document}/{part}").status_code == 404, part
    assert client.get(f"/api/notes/{document}").status_code == 404


@pytest.mark.parametrize("is_sent_again", [False, True])
def test_it_comes_back_as_it_was(
    client: TestClient, document: str, do_jobs: DoJobs, engine: Engine, is_sent_again: bool
) -> None:
    before, stored = client.get(f"/api/v2/documents/{document}/structure").json(), rows(engine)
    change(client, document, "archive")

    if is_sent_again:
        assert uploaded(client, TEXT, "Cocina.md", visibility="private", classification="intern") == document
    else:
        assert change(client, document, "restore") == 202
    waiting = state_of(client, document)
    do_jobs()

    assert (waiting, state_of(client, document)) == ("queued", "completed")
    assert all(found(client).values())
    after = client.get(f"/api/v2/documents/{document}/structure").json()
    assert {**after, "chunks": [], "metadata": after["metadata"]} == {**before, "chunks": []}
    assert rows(engine) == stored


@pytest.mark.parametrize("is_sent_again", [False, True])
def test_it_comes_back_for_whom_it_was_when_it_was_archived(
    client: TestClient, do_jobs: DoJobs, engine: Engine, is_sent_again: bool
) -> None:
    document = uploaded(client, TEXT, "Abierto.md")
    do_jobs()
    changed = client.put(f"/api/notes/{document}", json={"content": TEXT, "metadata": {"visibility": "private"}})
    assert changed.status_code == 200, changed.text
    change(client, document, "archive")

    if is_sent_again:
        uploaded(client, TEXT, "Abierto.md")
    else:
        change(client, document, "restore")
    do_jobs()

    with engine.database.owner() as owner:
        assert owner.execute("select departments, metadata->>'visibility' from brain.notes").fetchall() == [
            ([], "private")
        ]
        assert owner.execute("select archived_metadata from brain.documents").fetchall() == [(None,)]


def test_an_edited_document_is_cut_as_documents_are(client: TestClient, document: str, engine: Engine) -> None:
    changed = client.put(f"/api/notes/{document}", json={"content": f"{TEXT}\n\nOtra frase."})

    assert changed.status_code == 200, changed.text
    with engine.database.owner() as owner:
        assert owner.execute("select distinct chunking_method from brain.chunks").fetchall() == [("hierarchical",)]


def test_what_is_not_active_is_not_archived_and_what_is_active_not_restored(client: TestClient, document: str) -> None:
    waiting = uploaded(client, "Otro", "b.md")

    assert change(client, waiting, "archive") == 409
    assert change(client, document, "restore") == 409
    assert change(client, document, "archive") == 204
    assert change(client, document, "archive") == 409
    assert [change(client, str(uuid4()), how) for how in ("archive", "restore")] == [404, 404]
    assert state_of(client, waiting) == "queued"


def test_a_job_that_was_asked_for_before_does_not_bring_it_back(
    client: TestClient, document: str, do_jobs: DoJobs, engine: Engine
) -> None:
    uploaded(client, TEXT, "Cocina.md")
    with engine.database.owner() as owner:  # as the job before that one leaves it
        owner.execute("update brain.documents set status = 'imported'")

    assert change(client, document, "archive") == 204
    do_jobs()

    assert state_of(client, document) == "archived"
    assert rows(engine)["notes"] == 0
    with engine.database.owner() as owner:
        ended = owner.execute("select state, error from brain.evaluation_jobs order by created_at").fetchall()
    assert ended[-1] == ("failed", "the upload Cocina.md was deleted, archived or sent again")


@pytest.mark.parametrize(
    ("before", "after"), [("archived", "imported"), ("archived", "failed"), ("failed", "archived")]
)
def test_the_database_knows_no_other_way(
    client: TestClient, document: str, engine: Engine, before: str, after: str
) -> None:
    set_status = "update brain.documents set status = %s, note_id = null, error = case when %s = 'failed' then 'x' end"
    with engine.database.owner() as owner:
        owner.execute(set_status, (before, before))
        with pytest.raises(psycopg.errors.CheckViolation, match=f"does not go from {before} to {after}"):
            owner.execute(set_status, (after, after))


def test_the_page_archives_and_restores(client: TestClient, document: str, do_jobs: DoJobs) -> None:
    def buttons() -> list[str]:
        return re.findall(r'aria-label="(\w+ Cocina.md)"', client.get("/documentos").text)

    def press(how: str) -> int:
        answer = client.post(f"/documentos/{document}/{how}", follow_redirects=False)
        return int(answer.status_code)

    assert buttons() == ["Archivar Cocina.md", "Borrar Cocina.md"]
    assert (press("archivar"), press("archivar")) == (303, 409)
    assert buttons() == ["Recuperar Cocina.md", "Borrar Cocina.md"]
    assert "archivado" in client.get("/documentos").text
    assert (press("recuperar"), press("recuperar")) == (303, 409)
    do_jobs()
    assert buttons() == ["Archivar Cocina.md", "Borrar Cocina.md"]
    assert client.post("/documentos/nadie/archivar").status_code == 404


def test_an_archived_document_can_be_deleted(client: TestClient, document: str, engine: Engine) -> None:
    change(client, document, "archive")

    assert client.delete(f"/api/v2/documents/{document}").status_code == 204

    assert set(rows(engine).values()) == {0}
