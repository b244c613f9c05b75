"""Uploads that an earlier version of their parser read: parsed anew by themselves, with nothing lost."""

import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jobs_done import DoJobs
from test_api_documents import send, status_of, uploaded
from test_serving import free_port, served

from rag_core.evaluation.jobs.queue import JobRunner
from rag_core.folders import reading
from rag_core.model.document import ParsedDocument
from rag_core.parsing.recognising import parser_version
from rag_core.runtime.engine import Engine
from rag_core.uploads import ingestion

TEXT = "# Taller\n\nLas herramientas.\n\n| Cosa | Euros |\n| --- | --- |\n| broca | 42 |\n"
TODAY = parser_version("md")
KILLED = """
import os, signal, sys
from rag_core.evaluation.jobs.queue import JobRunner
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings
from rag_core.storage.jobs import claim_job
from rag_core.uploads import ingestion

setattr(ingestion, sys.argv[2], lambda *given, **named: os.kill(os.getpid(), signal.SIGKILL))
with open_engine(read_settings(database_url=sys.argv[1])) as engine, engine.database.owner() as owner:
    runner = JobRunner(engine.database, lambda: engine, poll_seconds=0)
    runner._do(claim_job(owner, worker=runner.worker, kinds=["ingestion"]))
"""


@pytest.fixture
def outdated(client: TestClient, do_jobs: DoJobs, monkeypatch: pytest.MonkeyPatch) -> str:
    """A document whose table was lost by the parser that read it."""
    parse = reading.markdown_document

    def without_tables(text: str, **given: Any) -> ParsedDocument:
        return parse(text.partition("|")[0], **given)

    with monkeypatch.context() as earlier:
        earlier.setattr(reading, "markdown_document", without_tables)
        earlier.setattr(reading, "parser_version", lambda _name: "md/0")
        document = uploaded(client, TEXT)
        do_jobs()
    assert "broca" not in note_of(client, document)["content"]
    return document


def note_of(client: TestClient, document: str) -> dict[str, Any]:
    return dict(client.get(f"/api/notes/{document}").json())


def edit(client: TestClient, document: str, **changed: Any) -> dict[str, Any]:
    """Change a note over HTTP; return what it is then."""
    note = note_of(client, document)
    kept = {name: note[name] for name in ("title", "content", "createdAt", "language", "metadata")}
    answer = client.put(f"/api/notes/{document}", json=kept | changed)
    assert answer.status_code == 200, answer.text
    return note_of(client, document)


def is_queued(engine: Engine) -> bool:
    with engine.database.owner() as owner:
        return ingestion.queue_outdated(owner)


def parser_of(engine: Engine) -> str:
    with engine.database.owner() as owner:
        return str(owner.execute("select parser from brain.documents").fetchall()[0][0])


def test_it_is_parsed_anew_once_a_server_runs(
    client: TestClient, engine: Engine, database_url: str, outdated: str
) -> None:
    with served(database_url, free_port()):
        end = time.monotonic() + 60
        while (parser_of(engine), status_of(client, outdated)["status"]) != (TODAY, "completed"):
            assert time.monotonic() < end
            time.sleep(0.1)

    blocks = client.get(f"/api/v2/documents/{outdated}/structure").json()["blocks"]
    assert [block["type"] for block in blocks] == ["heading", "paragraph", "table"]
    assert client.post("/api/retrieve", json={"query": "broca"}).json()["results"][0]["noteId"] == outdated
    assert not is_queued(engine)


def test_what_today_s_parser_read_is_left(client: TestClient, do_jobs: DoJobs, engine: Engine) -> None:
    uploaded(client, TEXT)
    do_jobs()

    assert not is_queued(engine)


def test_its_note_keeps_what_was_edited(client: TestClient, do_jobs: DoJobs, engine: Engine, outdated: str) -> None:
    facts = {"visibility": "private", "tags": ["obra"], "autor": "Marta"}
    edited = edit(client, outdated, title="Mi taller", language="de", createdAt="2021-05-04T00:00:00Z", metadata=facts)

    assert is_queued(engine)
    do_jobs()

    assert note_of(client, outdated) == edited | {"content": TEXT}
    with engine.database.owner() as owner:
        assert owner.execute("select departments, tags from brain.notes").fetchall() == [([], ["obra"])]


def test_a_note_whose_text_was_edited_is_left(client: TestClient, engine: Engine, outdated: str) -> None:
    edit(client, outdated, content="Otro texto.")

    assert not is_queued(engine)


def test_the_same_file_again_leaves_an_edited_text(client: TestClient, do_jobs: DoJobs) -> None:
    document = uploaded(client, TEXT)
    do_jobs()
    edited = edit(client, document, content="Otro texto.")

    answer = send(client, TEXT)
    do_jobs()

    assert answer.status_code == 409
    assert answer.json()["details"].startswith("der Text von a.md wurde bearbeitet; das Dokument löschen")
    assert note_of(client, document) == edited


@pytest.mark.parametrize(
    ("changed", "is_left"),
    [({"content": "Otro texto."}, True), ({"title": "Mi taller"}, False), ({"metadata": {"autor": "Marta"}}, False)],
    ids=["text", "title", "metadata"],
)
def test_an_edit_while_it_is_parsed_stays(
    client: TestClient,
    do_jobs: DoJobs,
    engine: Engine,
    outdated: str,
    monkeypatch: pytest.MonkeyPatch,
    changed: dict[str, Any],
    is_left: bool,
) -> None:
    parse, edits = ingestion._parsed, [changed]

    def parsed_and_edited(*given: Any) -> Any:
        read = parse(*given)
        if edits:
            edit(client, outdated, **edits.pop())
        return read

    monkeypatch.setattr(ingestion, "_parsed", parsed_and_edited)

    assert is_queued(engine)
    do_jobs()

    note = note_of(client, outdated)
    assert {name: note[name] for name in changed} == changed
    assert parser_of(engine) == ("md/0" if is_left else TODAY)
    assert ("broca" in note["content"]) is not is_left
    assert not is_queued(engine)


def test_one_that_is_edited_at_each_of_three_tries_is_left_for_another_day(
    client: TestClient, do_jobs: DoJobs, engine: Engine, outdated: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse, titles = ingestion._parsed, ["cuarto", "tercero", "segundo", "primero"]

    def parsed_and_edited(*given: Any) -> Any:
        read = parse(*given)
        edit(client, outdated, title=titles.pop())
        return read

    monkeypatch.setattr(ingestion, "_parsed", parsed_and_edited)

    assert is_queued(engine)
    do_jobs()

    assert titles == ["cuarto"]
    assert note_of(client, outdated)["title"] == "tercero"
    assert parser_of(engine) == "md/0"
    assert client.get(f"/api/v2/documents/{outdated}/status").json()["status"] == "completed"
    assert not is_queued(engine)


def test_what_cannot_be_parsed_any_more_stays_and_is_tried_a_day_later(
    client: TestClient, do_jobs: DoJobs, engine: Engine, outdated: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = note_of(client, outdated)
    with monkeypatch.context() as broken:
        broken.setattr(reading, "markdown_document", lambda *_given, **_named: 1 / 0)
        assert is_queued(engine)
        do_jobs()

    assert (note_of(client, outdated), status_of(client, outdated)["status"]) == (before, "completed")
    assert not is_queued(engine)
    with engine.database.owner() as owner:
        owner.execute("update brain.evaluation_jobs set finished_at = finished_at - interval '25 hours'")
    assert is_queued(engine)


@pytest.mark.parametrize(("moment", "state"), [("_parsed", "parsing"), ("_store", "parsing"), ("_record", "indexing")])
def test_a_server_that_is_killed_meanwhile_loses_nothing(
    client: TestClient, do_jobs: DoJobs, engine: Engine, database_url: str, outdated: str, moment: str, state: str
) -> None:
    before = note_of(client, outdated)
    assert is_queued(engine)

    ended = subprocess.run([sys.executable, "-c", KILLED, database_url, moment], check=False, env=os.environ)

    assert ended.returncode == -signal.SIGKILL
    assert (note_of(client, outdated), status_of(client, outdated)["status"]) == (before, state)
    assert client.post("/api/retrieve", json={"query": "herramientas"}).json()["results"]
    with engine.database.owner() as owner:
        owner.execute("update brain.evaluation_jobs set heartbeat_at = now() - interval '1 hour'")
        JobRunner(engine.database, lambda: engine, poll_seconds=0)._fail_lost(owner, "any")
    do_jobs()
    assert (parser_of(engine), note_of(client, outdated)["content"]) == (TODAY, TEXT)
