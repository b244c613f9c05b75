"""Uploads by keys of departments: theirs from the first moment, nobody else's, and no sign of what others have."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jobs_done import DoJobs
from keyed_api import Keyed

from rag_core.api.app import create_app
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings


@pytest.fixture
def engine(database_url: str, tmp_path: Path) -> Iterator[Engine]:
    settings = read_settings(
        database_url=database_url,
        home=tmp_path / "home",
        access="keys",
        request_timeout_ms=10_000,
        ingest_folders=str(tmp_path),
    )
    with open_engine(settings) as opened:
        yield opened


@pytest.fixture
def keyed(engine: Engine) -> Iterator[Keyed]:
    with TestClient(create_app(engine), base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield Keyed(client=client, database=engine.database)


def department(keyed: Keyed, *names: str) -> str:
    return keyed.key("read", "write", departments=names)


def send(keyed: Keyed, key: str, content: bytes, name: str = "a.md", **fields: str) -> Any:
    return keyed.client.post(
        "/api/v2/documents/upload",
        files={"file": (name, content)},
        data=fields,
        headers={"Authorization": f"Bearer {key}"},
    )


def uploaded(keyed: Keyed, key: str, content: bytes, name: str = "a.md") -> dict[str, Any]:
    answer = send(keyed, key, content, name)
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


def status_of(keyed: Keyed, key: str, document: str) -> Any:
    return keyed.ask("GET", f"/api/v2/documents/{document}/status", key=key)


def test_what_a_department_uploads_is_its_own(keyed: Keyed, do_jobs: DoJobs) -> None:
    sales, other, everything = department(keyed, "Ventas"), department(keyed, "compras"), keyed.key("read")

    document = uploaded(keyed, sales, b"El presupuesto de Zarzaparrilla")["documentId"]
    before = {key: status_of(keyed, key, document).status_code for key in (sales, other, everything)}
    do_jobs()

    after = {key: status_of(keyed, key, document).status_code for key in (sales, other, everything)}
    assert before == after == {sales: 200, other: 404, everything: 200}
    found = {
        key: keyed.ask("POST", "/api/retrieve", {"query": "Zarzaparrilla"}, key=key).json()["results"]
        for key in (sales, other, everything)
    }
    assert [len(found[key]) for key in (sales, other, everything)] == [1, 0, 1]
    assert (
        keyed.ask("GET", f"/api/v2/documents/{document}/original", key=sales).content
        == b"El presupuesto de Zarzaparrilla"
    )
    assert keyed.ask("GET", f"/api/v2/documents/{document}/original", key=other).status_code == 404


def test_a_file_does_not_give_a_department_s_upload_to_another(keyed: Keyed, do_jobs: DoJobs) -> None:
    purchases, sales = department(keyed, "compras"), department(keyed, "ventas")
    named = b"---\nvisibility: private\ndepartment: ventas\n---\nZarzaparrilla"

    document = uploaded(keyed, purchases, named)["documentId"]
    do_jobs()

    assert [status_of(keyed, key, document).status_code for key in (purchases, sales)] == [200, 404]
    found = {
        key: keyed.ask("POST", "/api/retrieve", {"query": "Zarzaparrilla"}, key=key).json()["results"]
        for key in (purchases, sales)
    }
    assert [len(found[key]) for key in (purchases, sales)] == [1, 0]


def test_a_department_sees_its_jobs_progress(keyed: Keyed, engine: Engine) -> None:
    sales, other = department(keyed, "ventas"), department(keyed, "compras")
    taken = uploaded(keyed, sales, b"Uno")
    with engine.database.owner() as owner:
        owner.execute("update brain.evaluation_jobs set state = 'running', stage = 'embedding', done = 1, total = 2")

    state = status_of(keyed, sales, taken["documentId"]).json()

    assert (state["status"], state["progress"]) == ("indexing", 70)
    job = f"/api/ingest/{taken['jobId']}"
    assert keyed.ask("GET", job, key=sales).json()["processedChunks"] == 1
    assert keyed.ask("GET", job, key=other).status_code == 404


def test_a_failed_upload_is_told_to_its_department_alone(keyed: Keyed, do_jobs: DoJobs) -> None:
    sales, other = department(keyed, "ventas"), department(keyed, "compras")
    document = uploaded(keyed, sales, b"%PDF-1.7\nbroken\n%%EOF\n", "a.pdf")["documentId"]

    do_jobs()

    assert status_of(keyed, sales, document).json()["status"] == "failed"
    assert status_of(keyed, other, document).status_code == 404


def test_a_name_that_others_have_is_not_met(keyed: Keyed, do_jobs: DoJobs) -> None:
    sales, other, everything = department(keyed, "ventas"), department(keyed, "compras"), keyed.key("read", "write")

    documents = {key: uploaded(keyed, key, b"Nomina")["documentId"] for key in (everything, sales, other)}
    do_jobs()

    names = [status_of(keyed, key, document).json()["name"] for key, document in documents.items()]
    assert names == ["a.md", "ventas/a.md", "compras/a.md"]


def test_a_document_for_everybody_is_not_theirs_to_delete(keyed: Keyed, do_jobs: DoJobs) -> None:
    sales, everything = department(keyed, "ventas"), keyed.key("read", "write")
    public, own = uploaded(keyed, everything, b"Uno")["documentId"], uploaded(keyed, sales, b"Dos")["documentId"]
    do_jobs()

    answers = [keyed.ask("DELETE", f"/api/v2/documents/{one}", key=sales).status_code for one in (public, own)]

    assert answers == [404, 204]
    assert status_of(keyed, everything, public).status_code == 200


@pytest.mark.parametrize("visibility", ["tenant", "private"])
def test_a_department_uploads_for_nobody_else(keyed: Keyed, visibility: str) -> None:
    answer = send(keyed, department(keyed, "ventas"), b"Uno", visibility=visibility)

    assert answer.status_code == 400


def test_two_departments_fetch_the_same_path_into_documents_of_their_own(
    keyed: Keyed, do_jobs: DoJobs, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("Uno", encoding="utf-8")
    keys = [department(keyed, "ventas"), department(keyed, "compras"), keyed.key("read", "write")]

    taken = [keyed.ask("POST", "/api/ingest", {"documentUrl": "a.md"}, key=key).json() for key in keys]
    do_jobs()

    assert len({one["documentId"] for one in taken}) == 3
    states = [keyed.ask("GET", f"/api/ingest/{taken[0]['jobId']}", key=key).status_code for key in keys]
    assert states == [200, 404, 200]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/notes", {"content": "x"}),
        ("PUT", "/api/notes/660e8400-e29b-41d4-a716-446655440001", {"content": "x"}),
        ("DELETE", "/api/notes/660e8400-e29b-41d4-a716-446655440001", None),
        ("POST", "/api/no-such", {}),
    ],
)
def test_a_department_changes_nothing_but_documents(keyed: Keyed, method: str, path: str, body: Any) -> None:
    assert keyed.ask(method, path, body, key=department(keyed, "ventas")).status_code == 403


def test_a_document_tells_the_key_that_sent_it_first(keyed: Keyed, do_jobs: DoJobs, tmp_path: Path) -> None:
    first, second = (keyed.key("read", "write", name=name) for name in ("Escáner del almacén", "Marta"))
    (tmp_path / "b.md").write_text("Dos", encoding="utf-8")
    sent = uploaded(keyed, first, b"Uno")["documentId"]
    fetched = keyed.ask("POST", "/api/ingest", {"documentUrl": "b.md"}, key=second).json()["documentId"]
    again = uploaded(keyed, second, b"Uno")["documentId"]
    do_jobs()

    told = {
        document: keyed.ask("GET", f"/api/v2/documents/{document}/structure", key=first).json()["metadata"][
            "uploadedBy"
        ]
        for document in (sent, fetched)
    }

    assert again == sent
    assert told == {sent: "Escáner del almacén", fetched: "Marta"}


def test_a_department_archives_its_own_alone(keyed: Keyed, do_jobs: DoJobs) -> None:
    sales, other, everything = department(keyed, "Ventas"), department(keyed, "compras"), keyed.key("read", "write")
    own = uploaded(keyed, sales, b"Uno")["documentId"]
    shared = uploaded(keyed, everything, b"Dos", "b.md")["documentId"]
    do_jobs()

    def changed(key: str, document: str, how: str = "archive") -> int:
        return int(keyed.ask("POST", f"/api/v2/documents/{document}/{how}", key=key).status_code)

    assert (changed(sales, shared), changed(other, own), changed(sales, own)) == (404, 404, 204)
    assert [status_of(keyed, key, own).status_code for key in (sales, other, everything)] == [200, 404, 200]
    assert (changed(other, own, "restore"), changed(sales, own, "restore")) == (404, 202)
    do_jobs()
    assert [status_of(keyed, key, own).status_code for key in (sales, other, everything)] == [200, 404, 200]
