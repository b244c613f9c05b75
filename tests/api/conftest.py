"""The API over a database of the test's own, asked as a client on this machine would."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from databases import cloned_database
from fastapi.testclient import TestClient
from filling import engine_on
from jobs_done import DoJobs, do_waiting
from kept_parsers import KeptWorker, end_kept_parsers

from rag_core.api.app import create_app
from rag_core.parsing import working
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.database import Database

AddNote = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _kept_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "_Worker", KeptWorker)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End the processes that parse after the last of these tests."""
    if nextitem is None or nextitem.path.parent != item.path.parent:
        end_kept_parsers()


@pytest.fixture
def engine(database: Database) -> Iterator[Engine]:
    """The open resources; a search may take long on a busy machine."""
    with engine_on(database, request_timeout_ms=10_000) as opened:
        yield opened


@pytest.fixture
def client(engine: Engine) -> Iterator[TestClient]:
    """A client on this machine; a defect is answered, not raised."""
    with TestClient(create_app(engine), base_url="http://127.0.0.1", raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture
def do_jobs(engine: Engine) -> DoJobs:
    """Do the jobs of uploads that wait, in this thread."""
    return partial(do_waiting, engine)


@pytest.fixture(scope="session")
def refusing(server: str, template: str) -> Iterator[TestClient]:
    """A client for requests that are refused and change nothing; one for all of them, because there are many."""
    with cloned_database(server, template) as database_url:
        settings = read_settings(database_url=database_url, tenant=None, request_timeout_ms=10_000)
        with (
            open_engine(settings) as engine,
            TestClient(create_app(engine), base_url="http://127.0.0.1", raise_server_exceptions=False) as opened,
        ):
            yield opened
            assert opened.get("/api/notes").json()["notes"] == []


@pytest.fixture
def add_note(client: TestClient) -> AddNote:
    """Store a note through the API."""

    def add(content: str, **more: Any) -> dict[str, Any]:
        answer = client.post("/api/notes", json={"content": content, **more})
        assert answer.status_code == 201, answer.text
        return dict(answer.json())

    return add
