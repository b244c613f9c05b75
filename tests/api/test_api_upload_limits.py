"""Limits of a tenant's uploads: bytes and files when they are taken, pages once they are parsed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from jobs_done import DoJobs
from test_api_documents import send, status_of, uploaded, workbook

from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings


@pytest.fixture
def engine(database_url: str, tmp_path: Path) -> Iterator[Engine]:
    settings = read_settings(
        database_url=database_url,
        request_timeout_ms=10_000,
        ingest_folders=str(tmp_path),
        uploads_max_mb=1,
        document_max_mb=1,
        uploads_max_files=2,
        uploads_max_pages=1,
    )
    with open_engine(settings, pool_size=4) as opened:
        yield opened


def test_bytes_have_a_limit_and_what_is_replaced_does_not_count(client: TestClient) -> None:
    taken = [send(client, "x" * 999_000, "a.txt").status_code for _ in range(2)]
    refused = send(client, "y" * 2_000, "b.txt")

    assert taken == [202, 202]
    assert (refused.status_code, refused.json()["details"]) == (
        409,
        "default hat Uploads von 1 MB, so viele wie möglich; welche löschen oder BRAIN_UPLOADS_MAX_MB erhöhen",
    )


def test_files_have_a_limit_until_one_is_deleted(client: TestClient) -> None:
    first, _, again = uploaded(client, "Uno", "a.md"), uploaded(client, "Dos", "b.md"), uploaded(client, "Uno", "a.md")

    refused = send(client, "Tres", "c.md")

    assert first == again
    assert (refused.status_code, refused.json()["details"]) == (
        409,
        "default hat 2 Uploads, so viele wie möglich; welche löschen oder BRAIN_UPLOADS_MAX_FILES erhöhen",
    )
    assert client.delete(f"/api/v2/documents/{first}").status_code == 204
    assert send(client, "Tres", "c.md").status_code == 202


def test_files_that_are_fetched_count_too(client: TestClient, tmp_path: Path) -> None:
    urls = [str(tmp_path / f"{name}.md") for name in ("a", "b", "a", "c")]

    answers = [client.post("/api/ingest", json={"documentUrl": url}) for url in urls]

    assert [answer.status_code for answer in answers] == [202, 202, 202, 409]
    assert "BRAIN_UPLOADS_MAX_FILES" in answers[-1].json()["details"]


def test_pages_have_a_limit_and_a_file_without_any_is_taken(client: TestClient, do_jobs: DoJobs) -> None:
    first = uploaded(client, workbook("sierra"), "a.xlsx")
    do_jobs()
    beyond = uploaded(client, workbook("broca"), "b.xlsx")
    do_jobs()

    refused = status_of(client, beyond)
    assert status_of(client, first)["status"] == "completed"
    assert (refused["status"], refused["error"]) == (
        "failed",
        "die Uploads von default hätten mehr als 1 Seiten; welche löschen oder BRAIN_UPLOADS_MAX_PAGES erhöhen",
    )
    assert client.get(f"/api/notes/{beyond}").status_code == 404
    for document in (first, beyond):
        assert client.delete(f"/api/v2/documents/{document}").status_code == 204
    third = uploaded(client, workbook("broca"), "b.xlsx")
    words = uploaded(client, "Palabras", "c.md")
    do_jobs()
    assert [status_of(client, document)["status"] for document in (third, words)] == ["completed", "completed"]


@pytest.mark.parametrize(
    ("path", "field", "accepted", "said"),
    [
        ("/api/v2/documents/upload", "file", "*/*", '"details":"Die Dateien sind zusammen größer als 1 MB; '),
        ("/documentos", "archivos", "*/*", '"details":"Los archivos superan juntos el máximo de 1 MB; '),
        ("/documentos", "archivos", "text/html", "Los archivos superan juntos el máximo de 1 MB; "),
    ],
)
def test_a_request_that_is_too_large_is_told_the_limit_of_files(
    client: TestClient, path: str, field: str, accepted: str, said: str
) -> None:
    content = bytes(12_000_000)

    answer = client.post(path, files={field: ("a.md", content)}, headers={"Accept": accepted})

    assert answer.status_code == 413
    assert said in answer.text
    assert "BRAIN_DOCUMENT_MAX_MB" in answer.text
    assert answer.text.startswith("<!") is (accepted == "text/html")
