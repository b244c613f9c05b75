"""Documents that the server fetches: queued at once, told by their job, left alone where nothing changed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from jobs_done import DoJobs
from pdfs import PdfFile

from rag_core.errors import DocumentFailedError
from rag_core.evaluation.jobs.queue import JobProgress
from rag_core.parsing.working import DocumentParser
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.uploads import ingestion
from rag_core.uploads.fetching import FetchedFile


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    return made


@pytest.fixture
def engine(database_url: str, folder: Path) -> Iterator[Engine]:
    settings = read_settings(
        database_url=database_url, request_timeout_ms=10_000, ingest_folders=str(folder), ingest_hosts="docs.example"
    )
    with open_engine(settings, pool_size=4) as opened:
        yield opened


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[FetchedFile | Exception], None]:
    """Let the next fetches give a file, or fail."""

    def serve(answer: FetchedFile | Exception) -> None:
        def fetch(*_: Any) -> FetchedFile:
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(ingestion, "fetch_document", fetch)

    return serve


def ask(client: TestClient, url: str | Path, **more: Any) -> Any:
    return client.post("/api/ingest", json={"documentUrl": str(url), **more})


def queued(client: TestClient, url: str | Path, **more: Any) -> dict[str, Any]:
    answer = ask(client, url, **more)
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


def state_of(client: TestClient, job: str, **headers: str) -> dict[str, Any]:
    answer = client.get(f"/api/ingest/{job}", headers=headers)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def note_of(client: TestClient, document: str) -> dict[str, Any]:
    return dict(client.get(f"/api/notes/{document}").json())


def test_a_document_is_queued_then_complete_then_found(client: TestClient, folder: Path, do_jobs: DoJobs) -> None:
    (folder / "taller.md").write_text("# Taller\n\nEl destornillador está en el cajón.", encoding="utf-8")
    taken = queued(client, folder / "taller.md", title="Mi taller", metadata={"tags": ["casa"]})
    before = state_of(client, taken["jobId"])

    do_jobs()

    document = taken["documentId"]
    assert taken == {"jobId": taken["jobId"], "documentId": document, "status": "queued", "estimatedChunks": None}
    assert before == {
        "jobId": taken["jobId"],
        "documentId": document,
        "status": "queued",
        "progress": 0,
        "totalChunks": None,
        "processedChunks": None,
        "errorMessage": None,
    }
    after = state_of(client, taken["jobId"])
    assert (after["status"], after["progress"], after["totalChunks"], after["processedChunks"]) == (
        "complete",
        100,
        1,
        1,
    )
    note = note_of(client, document)
    assert (note["title"], note["externalId"], note["source"]) == ("Mi taller", "taller.md", "uploads")
    (hit,) = client.post("/api/retrieve", json={"query": "destornillador", "filters": {"tags": ["casa"]}}).json()[
        "results"
    ]
    assert hit["noteId"] == document


def test_the_same_file_again_is_left_as_it_is(
    client: TestClient, folder: Path, do_jobs: DoJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.md").write_text("Uno", encoding="utf-8")
    first = queued(client, folder / "a.md", title="A")
    do_jobs()
    parsed: list[object] = []
    monkeypatch.setattr(ingestion, "_parsed", lambda *given: parsed.append(given))

    again = queued(client, folder / "a.md", title="A")
    do_jobs()

    assert (again["documentId"], again["estimatedChunks"]) == (first["documentId"], 1)
    assert state_of(client, again["jobId"])["status"] == "complete"
    assert client.get(f"/api/v2/documents/{first['documentId']}/status").json()["status"] == "completed"
    assert parsed == []


def test_the_same_file_again_leaves_an_edited_text(client: TestClient, folder: Path, do_jobs: DoJobs) -> None:
    (folder / "a.md").write_text("Uno", encoding="utf-8")
    document = queued(client, folder / "a.md")["documentId"]
    do_jobs()
    assert client.put(f"/api/notes/{document}", json={"content": "Corregido"}).status_code == 200

    queued(client, folder / "a.md", title="A")
    do_jobs()

    assert note_of(client, document)["content"] == "Corregido"
    assert client.get(f"/api/v2/documents/{document}/status").json()["status"] == "completed"


def test_a_file_that_changed_is_the_same_document_made_anew(
    client: TestClient, folder: Path, do_jobs: DoJobs, engine: Engine
) -> None:
    file = folder / "a.md"
    file.write_text("Uno", encoding="utf-8")
    first = queued(client, file)
    do_jobs()
    file.write_text("Dos", encoding="utf-8")

    again = queued(client, file)
    do_jobs()

    assert again["documentId"] == first["documentId"]
    assert note_of(client, first["documentId"])["content"] == "Dos"
    with engine.database.owner() as connection:
        assert connection.execute("select content from brain.originals").fetchall() == [(b"Dos",)]


def test_another_title_is_taken_though_the_file_is_the_same(client: TestClient, folder: Path, do_jobs: DoJobs) -> None:
    (folder / "a.md").write_text("Uno", encoding="utf-8")
    first = queued(client, folder / "a.md", title="A")
    do_jobs()

    queued(client, folder / "a.md", title="B")
    do_jobs()

    assert note_of(client, first["documentId"])["title"] == "B"


def test_two_paths_of_one_name_are_two_documents(client: TestClient, folder: Path, do_jobs: DoJobs) -> None:
    for part in ("x", "y"):
        (folder / part).mkdir()
        (folder / part / "a.md").write_text("Uno", encoding="utf-8")

    first, second = queued(client, "x/a.md"), queued(client, "y/a.md")
    do_jobs()

    assert [note_of(client, one["documentId"])["externalId"] for one in (first, second)] == ["a.md", "a (2).md"]


def test_what_is_fetched_may_have_no_suffix(
    client: TestClient, do_jobs: DoJobs, serve: Callable[[FetchedFile], None]
) -> None:
    serve(FetchedFile(name="guide", suffix=".html", content=b"<h1>Guide</h1><p>A screwdriver."))

    taken = queued(client, "https://docs.example/guide")
    do_jobs()

    assert state_of(client, taken["jobId"])["status"] == "complete"
    assert note_of(client, taken["documentId"])["content"] == "# Guide\n\nA screwdriver."


def test_a_fetch_that_fails_leaves_the_note_as_it_was(
    client: TestClient, do_jobs: DoJobs, serve: Callable[[FetchedFile | Exception], None], engine: Engine
) -> None:
    serve(FetchedFile(name="a.md", suffix="", content=b"Uno"))
    first = queued(client, "https://docs.example/a.md")
    do_jobs()
    serve(DocumentFailedError("docs.example answers 500; check the address"))

    again = queued(client, "https://docs.example/a.md")
    do_jobs()

    failed = state_of(client, again["jobId"])
    assert (failed["status"], failed["errorMessage"]) == ("failed", "docs.example answers 500; check the address")
    assert state_of(client, first["jobId"])["status"] == "complete"
    assert note_of(client, first["documentId"])["content"] == "Uno"
    with engine.database.owner() as connection:
        assert connection.execute("select content from brain.originals").fetchall() == [(b"Uno",)]


def test_a_change_that_cannot_be_parsed_leaves_the_note_as_it_was(
    client: TestClient, do_jobs: DoJobs, serve: Callable[[FetchedFile], None]
) -> None:
    serve(FetchedFile(name="a.md", suffix="", content=b"Uno"))
    first = queued(client, "https://docs.example/a.md")
    do_jobs()
    serve(FetchedFile(name="a.md", suffix="", content=b"\0\1"))

    again = queued(client, "https://docs.example/a.md")
    do_jobs()

    assert state_of(client, again["jobId"])["status"] == "failed"
    assert note_of(client, first["documentId"])["content"] == "Uno"


def test_the_format_that_is_asked_for_must_be_that_of_the_content(
    client: TestClient, folder: Path, do_jobs: DoJobs
) -> None:
    file = PdfFile()
    file.page()
    file.text(72, 72, "Hola")
    (folder / "a.txt").write_bytes(file.data())
    (folder / "b.txt").write_text("# No heading", encoding="utf-8")

    wrong, right = queued(client, "a.txt", format="markdown"), queued(client, "b.txt", format="text")
    do_jobs()

    assert state_of(client, wrong["jobId"])["errorMessage"].startswith("the file is pdf, not md; leave the format out")
    assert state_of(client, right["jobId"])["status"] == "complete"


def test_progress_is_told_by_pages_then_by_chunks(
    client: TestClient, folder: Path, do_jobs: DoJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = PdfFile()
    for number in range(4):
        file.page()
        for line in range(40):
            file.text(72, 72 + 16 * line, f"Página {number}, línea {line}: el huerto se riega los martes y los jueves.")
    (folder / "a.pdf").write_bytes(file.data())
    job = queued(client, "a.pdf")["jobId"]
    monkeypatch.setattr("rag_core.evaluation.jobs.queue.REPORT_SECONDS", 0.0)
    seen: list[tuple[Any, ...]] = []
    report = JobProgress.report

    def reported(progress: JobProgress, stage: str, done: int, total: int | None = None) -> None:
        report(progress, stage, done, total)
        state = state_of(client, job)
        seen.append((stage, state["status"], state["progress"], state["processedChunks"], state["totalChunks"]))

    monkeypatch.setattr(JobProgress, "report", reported)
    monkeypatch.setattr("rag_core.indexing.one_note.EMBED_CHUNKS", 2)

    do_jobs()

    total = state_of(client, job)["totalChunks"]
    assert total > 2
    assert [one[2] for one in seen if one[0] == "parsing"] == [5, 13, 22, 31, 40]
    assert [one[0] for one in seen if one[0] not in {"parsing", "embedding"}] == ["fetching", "chunking", "extracting"]
    embedding = [one for one in seen if one[0] == "embedding"]
    assert [one[3] for one in embedding] == [*range(0, total, 2), total]
    assert {(one[1], one[4]) for one in embedding} == {("embedding", total)}
    assert [one[2] for one in seen] == sorted(one[2] for one in seen)


def test_the_current_step_of_a_document_is_its_jobs(
    client: TestClient, folder: Path, do_jobs: DoJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.md").write_text("El huerto se riega los martes.", encoding="utf-8")
    document = queued(client, "a.md")["documentId"]
    steps: list[str] = []
    report = JobProgress.report

    def told() -> str:
        return str(client.get(f"/api/v2/documents/{document}/status").json()["currentStep"])

    def reported(progress: JobProgress, *given: Any) -> None:
        report(progress, *given)
        steps.append(told())

    monkeypatch.setattr(JobProgress, "report", reported)

    before = told()
    do_jobs()

    assert list(dict.fromkeys(steps)) == ["fetching", "parsing", "chunking", "embedding", "extracting"]
    assert (before, told()) == ("queued", "completed")


def test_uploads_are_told_by_their_job_too(client: TestClient, do_jobs: DoJobs) -> None:
    taken = client.post("/api/v2/documents/upload", files={"file": ("a.md", b"Uno")}).json()

    do_jobs()

    assert state_of(client, taken["jobId"])["documentId"] == taken["documentId"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"documentUrl": "https://evil.example/a.pdf"}, "add it to BRAIN_INGEST_HOSTS"),
        ({"documentUrl": "/etc/passwd"}, "not below a folder of BRAIN_INGEST_FOLDERS"),
        ({"documentUrl": "../secret"}, "not below a folder of BRAIN_INGEST_FOLDERS"),
        ({"documentUrl": ""}, "documentUrl"),
        ({}, "documentUrl"),
        ({"documentUrl": "a.md", "format": "docx"}, "format"),
        ({"documentUrl": "a.md", "metadata": {"visibility": "nobody"}}, "visibility"),
        ({"documentUrl": "a.md", "title": "x" * 600}, "title"),
    ],
)
def test_what_is_not_allowed_is_refused_at_once(
    client: TestClient, engine: Engine, body: dict[str, Any], said: str
) -> None:
    answer = client.post("/api/ingest", json=body)

    assert answer.status_code == 400
    assert said in answer.json()["details"]
    with engine.database.owner() as connection:
        assert connection.execute("select count(*) from brain.documents").fetchone() == (0,)


@pytest.mark.parametrize(
    ("language", "said"), [("es", "no se descargan documentos de"), ("de", "werden keine Dokumente geholt")]
)
def test_messages_are_in_the_clients_language(client: TestClient, language: str, said: str) -> None:
    answer = client.post(
        "/api/ingest", json={"documentUrl": "https://evil.example/a"}, headers={"Accept-Language": language}
    )

    assert said in answer.json()["details"]


def test_an_unknown_job_is_told(client: TestClient) -> None:
    assert client.get(f"/api/ingest/{uuid4()}").status_code == 404


def test_a_document_that_is_deleted_while_it_is_parsed_is_not_stored(
    client: TestClient, folder: Path, do_jobs: DoJobs, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.md").write_text("Uno", encoding="utf-8")
    document, entered = queued(client, "a.md")["documentId"], DocumentParser.__enter__

    def deleting(parser: DocumentParser) -> DocumentParser:
        assert client.delete(f"/api/v2/documents/{document}").status_code == 204
        return entered(parser)

    monkeypatch.setattr(DocumentParser, "__enter__", deleting)

    do_jobs()

    with engine.database.owner() as connection:
        for table in ("notes", "originals", "documents"):
            assert connection.execute(f"select count(*) from brain.{table}").fetchone() == (0,), table


def test_a_document_that_is_archived_comes_back_from_its_original(
    client: TestClient, do_jobs: DoJobs, serve: Callable[[FetchedFile | Exception], None]
) -> None:
    serve(FetchedFile(name="guide", suffix=".html", content=b"<h1>Guide</h1><p>A screwdriver."))
    document = queued(client, "https://docs.example/guide", title="My guide", metadata={"tags": ["home"]})["documentId"]
    do_jobs()
    before = note_of(client, document)
    serve(DocumentFailedError("docs.example cannot be reached or breaks off; try again later"))
    assert client.post(f"/api/v2/documents/{document}/archive").status_code == 204

    client.post(f"/api/v2/documents/{document}/restore")
    do_jobs()

    after = note_of(client, document)
    assert {**after, "createdAt": before["createdAt"]} == before
    assert (after["title"], after["content"]) == ("My guide", "# Guide\n\nA screwdriver.")
