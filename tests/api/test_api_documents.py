"""Uploads: taken at once, parsed by a job, told by state and structure, given back as they came."""

import io
import re
from typing import Any
from uuid import uuid4

import openpyxl
import pytest
from fastapi.testclient import TestClient
from jobs_done import DoJobs

from rag_core.evaluation.jobs.queue import JobRunner
from rag_core.runtime.engine import Engine
from rag_core.storage.jobs import claim_job
from rag_core.uploads import ingestion

UPLOAD = "/api/v2/documents/upload"


def workbook(*words: str) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(("Cosa", "Euros"))
    for place, word in enumerate(words):
        sheet.append((word, place))
    saved = io.BytesIO()
    book.save(saved)
    return saved.getvalue()


def send(client: TestClient, content: bytes | str, name: str = "a.md", **fields: str) -> Any:
    data = content.encode() if isinstance(content, str) else content
    return client.post(UPLOAD, files={"file": (name, data)}, data=fields)


def uploaded(client: TestClient, content: bytes | str, name: str = "a.md", **fields: str) -> str:
    answer = send(client, content, name, **fields)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["documentId"])


def status_of(client: TestClient, document: str) -> dict[str, Any]:
    answer = client.get(f"/api/v2/documents/{document}/status")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_an_upload_is_queued_then_parsed_then_found(client: TestClient, do_jobs: DoJobs) -> None:
    document = uploaded(client, workbook("destornillador"), "Taller.xlsx")
    before = status_of(client, document)

    do_jobs()

    after = status_of(client, document)
    assert (before["status"], before["progress"], before["parserUsed"]) == ("queued", 0, None)
    assert (after["status"], after["progress"], after["parserUsed"], after["pages"]) == ("completed", 100, "native", 1)
    (hit,) = client.post("/api/retrieve", json={"query": "destornillador"}).json()["results"]
    assert (hit["noteId"], hit["externalId"], hit["source"]) == (document, "Taller.xlsx", "uploads")
    assert hit["metadata"]["page"] == 1


def test_documents_are_found_by_their_kind(client: TestClient, do_jobs: DoJobs) -> None:
    uploaded(client, "Compré un taladro.", "a.md")
    do_jobs()

    found = client.post("/api/retrieve", json={"query": "taladro", "filters": {"kinds": ["document"]}}).json()

    assert [hit["externalId"] for hit in found["results"]] == ["a.md"]


def test_the_same_file_again_is_the_same_document(client: TestClient, do_jobs: DoJobs) -> None:
    first = uploaded(client, "Uno")
    do_jobs()

    assert uploaded(client, "Uno") == first


def test_another_file_of_the_same_name_gets_a_number(client: TestClient, do_jobs: DoJobs) -> None:
    first, second = uploaded(client, "Uno", "a_b.md"), uploaded(client, "Dos", "a_b.md")
    do_jobs()

    assert [status_of(client, one)["name"] for one in (first, second)] == ["a_b.md", "a_b (2).md"]
    assert uploaded(client, "Dos", "a_b.md") == second


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/a.md", "a.md"),
        ("C:\\notas\\a.md", "a.md"),
        (f"{'x' * 300}.md", f"{'x' * 197}.md"),
    ],
)
def test_a_name_is_kept_without_folders(client: TestClient, name: str, kept: str) -> None:
    assert status_of(client, uploaded(client, "Uno", name))["name"] == kept


@pytest.mark.parametrize(
    ("content", "name", "status", "said"),
    [
        (b"\0\1\2", "a.exe", 415, "die Datei ist eine .exe-Datei und wird nicht angenommen"),
        (b"PK\3\4", "a.zip", 415, "die Datei ist ein ZIP-Archiv und wird nicht angenommen"),
        (b"", "a.md", 415, "die Datei ist leer"),
        (b"\0\1\2", "a.pdf", 415, "beschädigt"),
    ],
)
def test_what_cannot_be_taken_is_refused_at_once(
    client: TestClient, content: bytes, name: str, status: int, said: str
) -> None:
    answer = send(client, content, name)

    assert answer.status_code == status
    assert said in answer.json()["details"]


def test_a_file_that_is_too_large_is_refused(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    monkeypatch.setattr("rag_core.uploads.receiving.parsing_limits", lambda settings: _limits(2))

    answer = send(client, "Uno dos tres")

    assert answer.status_code == 413
    assert "BRAIN_DOCUMENT_MAX_MB" in answer.json()["details"]


def _limits(max_bytes: int) -> Any:
    from rag_core.parsing import ParsingLimits

    return ParsingLimits(max_bytes=max_bytes)


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"classification": "a\0"}, 400),
        ({"parseOptions": '{"apiKey": "x"}'}, 400),
        ({"parseOptions": "{}"}, 202),
        ({"visibility": "nadie"}, 400),
        ({"visibility": "private"}, 202),
    ],
)
def test_fields_are_checked(client: TestClient, fields: dict[str, str], status: int) -> None:
    assert send(client, "Uno", **fields).status_code == status


def test_without_a_file_the_request_is_refused(client: TestClient) -> None:
    assert client.post(UPLOAD, files={"other": ("a.md", b"Uno")}).status_code == 400


def test_a_file_that_cannot_be_parsed_has_failed_with_its_reason(client: TestClient, do_jobs: DoJobs) -> None:
    document = uploaded(client, b"%PDF-1.7\nbroken\n%%EOF\n", "a.pdf")

    do_jobs()

    state = status_of(client, document)
    assert state["status"] == "failed"
    assert "lässt sich nicht als PDF öffnen" in state["error"]


def test_a_document_has_a_structure(client: TestClient, do_jobs: DoJobs) -> None:
    text = "# Uno\n\nHola.\n\n## Dos\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"
    document = uploaded(client, text)
    do_jobs()

    structure = client.get(f"/api/v2/documents/{document}/structure").json()

    content = client.get(f"/api/notes/{document}").json()["content"]
    assert [(section["title"], section["level"]) for section in structure["sections"]] == [("Uno", 1), ("Dos", 2)]
    assert [block["type"] for block in structure["blocks"]] == ["heading", "paragraph", "heading", "table"]
    assert [content[block["start"] : block["end"]] for block in structure["blocks"]][1] == "Hola."
    assert structure["sections"][0]["end"] == len(content)
    assert [block["tableData"] for block in structure["blocks"]] == [
        *(None, None, None),
        {"headers": ["a", "b"], "rows": [["1", "2"]]},
    ]
    assert structure["chunks"][0]["method"] == "hierarchical"
    assert structure["parserMetadata"]["parserUsed"] == "native"
    assert {(chunk["startPage"], chunk["endPage"]) for chunk in structure["chunks"]} == {(None, None)}


def test_each_chunk_tells_the_pages_it_begins_and_ends_on(client: TestClient, do_jobs: DoJobs) -> None:
    book = openpyxl.Workbook()
    for name in ("Enero", "Febrero"):
        sheet = book.create_sheet(name)
        sheet.append(("Cosa", "Euros"))
        for number in range(30):
            sheet.append((f"{name} {number}", number))
    book.remove(book["Sheet"])
    saved = io.BytesIO()
    book.save(saved)
    document = uploaded(client, saved.getvalue(), "Cuentas.xlsx")
    do_jobs()

    chunks = client.get(f"/api/v2/documents/{document}/structure").json()["chunks"]

    content = client.get(f"/api/notes/{document}").json()["content"]
    pages = [(chunk["startPage"], chunk["endPage"]) for chunk in chunks]
    february = content.rindex("\n", 0, content.index("Febrero"))
    assert pages == [(1, 1) if chunk["start"] < february else (2, 2) for chunk in chunks]
    assert len(set(pages)) == 2


def test_the_original_comes_back_as_it_was(client: TestClient, do_jobs: DoJobs) -> None:
    content = workbook("ñandú")
    document = uploaded(client, content, "Año 1.xlsx")
    do_jobs()

    answer = client.get(f"/api/v2/documents/{document}/original")

    assert answer.content == content
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''A%C3%B1o%201.xlsx"


def test_a_deleted_document_leaves_nothing(client: TestClient, do_jobs: DoJobs, engine: Engine) -> None:
    document = uploaded(client, workbook("tornillo"), "a.xlsx")
    do_jobs()

    assert client.delete(f"/api/notes/{document}").status_code == 204

    assert client.get(f"/api/v2/documents/{document}/status").status_code == 404
    with engine.database.owner() as connection:
        for table in ("originals", "documents", "blocks"):
            assert connection.execute(f"select count(*) from brain.{table}").fetchone() == (0,), table


@pytest.mark.parametrize("part", ["status", "structure", "original"])
def test_an_unknown_document_is_told(client: TestClient, part: str) -> None:
    assert client.get(f"/api/v2/documents/{uuid4()}/{part}").status_code == 404


def test_a_private_document_stays_so_when_it_is_sent_again(client: TestClient, do_jobs: DoJobs, engine: Engine) -> None:
    for fields in ({"visibility": "private"}, {}):
        uploaded(client, "Uno", "nomina.md", **fields)
        do_jobs()

    with engine.database.owner() as connection:
        assert connection.execute("select departments from brain.notes").fetchall() == [([],)]


def test_a_document_that_was_refused_can_be_deleted(client: TestClient, do_jobs: DoJobs, engine: Engine) -> None:
    document = uploaded(client, b"%PDF-1.7\nbroken\n%%EOF\n", "a.pdf")
    do_jobs()

    assert client.delete(f"/api/v2/documents/{document}").status_code == 204

    with engine.database.owner() as connection:
        assert connection.execute("select count(*) from brain.originals").fetchone() == (0,)


def test_a_document_that_is_deleted_while_it_waits_is_not_stored(
    client: TestClient, do_jobs: DoJobs, engine: Engine
) -> None:
    document = uploaded(client, "Uno")
    assert client.delete(f"/api/v2/documents/{document}").status_code == 204

    do_jobs()

    with engine.database.owner() as connection:
        assert connection.execute("select count(*) from brain.notes").fetchone() == (0,)
        assert connection.execute("select state from brain.evaluation_jobs").fetchall() == [("cancelled",)]


def test_a_document_that_is_deleted_while_it_is_parsed_is_not_stored(
    client: TestClient, do_jobs: DoJobs, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, parsed = uploaded(client, "Uno"), ingestion._parsed

    def parsed_and_deleted(*given: Any) -> Any:
        assert client.delete(f"/api/v2/documents/{document}").status_code == 204
        return parsed(*given)

    monkeypatch.setattr(ingestion, "_parsed", parsed_and_deleted)

    do_jobs()

    with engine.database.owner() as connection:
        assert connection.execute("select count(*) from brain.notes").fetchone() == (0,)
        assert connection.execute("select state from brain.evaluation_jobs").fetchall() == [("cancelled",)]


def test_a_file_that_is_sent_again_is_parsed_once(client: TestClient, do_jobs: DoJobs, engine: Engine) -> None:
    document, _again = uploaded(client, "Uno"), uploaded(client, "Uno")

    do_jobs()

    assert status_of(client, document)["status"] == "completed"
    with engine.database.owner() as connection:
        jobs = connection.execute("select state, attempts from brain.evaluation_jobs order by state").fetchall()
    assert jobs == [("cancelled", 0), ("completed", 1)]


def test_a_job_that_keeps_killing_its_server_fails(client: TestClient, engine: Engine) -> None:
    document = uploaded(client, "Uno")
    runner = JobRunner(engine.database, lambda: engine, poll_seconds=0)
    with engine.database.owner() as owner:
        for _ in range(3):
            assert claim_job(owner, worker="killed", kinds=["ingestion"]) is not None
            owner.execute("update brain.evaluation_jobs set heartbeat_at = now() - interval '1 hour'")
            runner._fail_lost(owner, "any")

    assert status_of(client, document)["status"] == "failed"


def test_the_pages_of_evaluations_leave_uploads_out(client: TestClient) -> None:
    uploaded(client, "Uno")

    assert client.get("/evaluation").status_code == 200


def test_a_job_whose_server_was_killed_is_done_again(client: TestClient, do_jobs: DoJobs, engine: Engine) -> None:
    document = uploaded(client, "Uno")
    with engine.database.owner() as owner:
        assert claim_job(owner, worker="killed", kinds=["ingestion"]) is not None
        owner.execute("update brain.evaluation_jobs set heartbeat_at = now() - interval '1 hour'")
        assert status_of(client, document)["status"] == "parsing"
        JobRunner(engine.database, lambda: engine, poll_seconds=0)._fail_lost(owner, "any")

    do_jobs()

    assert status_of(client, document)["status"] == "completed"


def test_a_documents_page_shows_its_markdown_and_the_passage(client: TestClient, do_jobs: DoJobs) -> None:
    uploaded(client, "# Taller\n\n| Cosa | Euros |\n| --- | --- |\n| broca | 12 |\n", "a.md")
    do_jobs()
    (hit,) = client.post("/api/retrieve", json={"query": "broca"}).json()["results"]

    page = client.get(f"/notas/{hit['noteId']}?fragmento={hit['chunkId']}&q=broca").text

    assert '<h2 id="t-taller"><mark id="pasaje">' in page
    assert "<td><mark><b>broca</b></mark></td>" in page


class TestFieldsOfFrontMatter:
    NOTE = "---\nautor: Marta <Ruiz>\nestado: en curso\ntags: [obra]\n---\nEmpieza en marzo."

    def test_they_stand_above_the_text_once(self, client: TestClient, do_jobs: DoJobs) -> None:
        uploaded(client, self.NOTE, "a.md")
        do_jobs()
        (hit,) = client.post("/api/retrieve", json={"query": "Marta"}).json()["results"]

        page = client.get(f"/notas/{hit['noteId']}?fragmento={hit['chunkId']}&q=marzo").text

        fields = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page)
        assert fields == [("autor", "Marta &lt;Ruiz&gt;"), ("estado", "en curso")]
        assert "en curso" not in page.partition("</dl>")[2]

    def test_one_that_is_cited_is_marked_in_the_text(self, client: TestClient, do_jobs: DoJobs) -> None:
        uploaded(client, self.NOTE, "a.md")
        do_jobs()
        (hit,) = client.post("/api/retrieve", json={"query": "Marta"}).json()["results"]
        start = hit["content"].index("estado")

        page = client.get(f"/notas/{hit['noteId']}", params={"cita": f"{start}-{start + 16}"}).text

        assert '<mark id="pasaje">estado: en curso</mark>' in page


class TestPage:
    def test_it_takes_several_files_without_javascript(self, client: TestClient, do_jobs: DoJobs) -> None:
        files = [("archivos", ("a.md", b"Uno")), ("archivos", ("b.md", b"Dos"))]
        answer = client.post("/documentos", files=files, follow_redirects=False)
        do_jobs()

        assert (answer.status_code, answer.headers["location"]) == (303, "/documentos")
        page = client.get("/documentos").text
        assert page.count("listo") == 2
        assert "/original" in page

    def test_each_file_that_is_refused_is_told_with_its_reason(self, client: TestClient) -> None:
        files = [("archivos", ("a.exe", b"\0")), ("archivos", ("b.md", b"Dos"))]

        page = client.post("/documentos", files=files).text

        assert "a.exe: es un archivo .exe, que no se acepta" in page
        assert "b.md" in page
        assert "en espera" in page

    def test_without_a_file_it_says_so(self, client: TestClient) -> None:
        page = client.post("/documentos", files={"archivos": ("", b"")}).text

        assert "No se ha elegido ningún archivo." in page

    def test_it_speaks_the_readers_language(self, client: TestClient) -> None:
        client.post("/documentos", files={"archivos": ("a.exe", b"\0")})

        page = client.get("/documentos", headers={"Accept-Language": "de"}).text

        assert "Dateien wählen oder hier ablegen" in page

    def test_a_document_is_deleted_by_a_button(self, client: TestClient, do_jobs: DoJobs) -> None:
        document = uploaded(client, "Uno")
        do_jobs()

        page = client.post(f"/documentos/{document}/borrar").text

        assert "Todavía no has subido ningún documento." in page
