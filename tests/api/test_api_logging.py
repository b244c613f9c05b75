"""Every failure of a request is in the log, and neither the query nor the note is."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from asked_notes import BOILER, Scripted, served_notes
from databases import _connect
from fastapi.testclient import TestClient

from rag_core.errors import (
    BusyError,
    DatabaseUnavailableError,
    DeadlineExceededError,
    EmbeddingError,
    QueryFailedError,
    RetrievalFailedError,
)
from rag_core.experiments import live_query
from rag_core.runtime.engine import Engine
from rag_core.telemetry.logs import configure_logging

MARKER = "Zarzaparrilla"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    root, ours = logging.getLogger(), logging.getLogger("brain")
    before = root.handlers[:], root.level, ours.level
    stream = io.StringIO()
    configure_logging(level="DEBUG", stream=stream)
    yield stream
    root.handlers[:], root.level, ours.level = before


def records(log: io.StringIO, *, of_requests: bool = False) -> list[dict[str, Any]]:
    written = [json.loads(line) for line in log.getvalue().splitlines()]
    return [record for record in written if (record["event"] == "request") == of_requests]


@pytest.mark.parametrize(
    ("error", "status", "has_stack"),
    [
        (DatabaseUnavailableError(MARKER), 503, False),
        (BusyError(MARKER), 503, False),
        (DeadlineExceededError(MARKER), 504, False),
        (RetrievalFailedError(MARKER), 500, True),
        (QueryFailedError(MARKER), 500, True),
        (EmbeddingError(MARKER), 500, True),
        (ValueError(MARKER), 500, True),
        (RuntimeError({"texts": [MARKER]}), 500, True),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_a_failed_search_is_one_record_without_the_query(
    client: TestClient,
    log: io.StringIO,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
    has_stack: bool,
) -> None:
    def fail(*_positional: object, **_named: object) -> None:
        raise error from psycopg_like()

    monkeypatch.setattr(live_query, "retrieve", fail)

    answer = client.post("/api/retrieve", json={"query": f"¿Dónde está {MARKER}?"})

    (record,) = records(log)
    assert answer.status_code == status
    assert MARKER not in answer.text
    assert MARKER not in log.getvalue()
    assert record["level"] == ("warning" if isinstance(error, BusyError) else "error")
    assert record["event"] == "failed"
    assert record["component"] == "api POST /api/retrieve"
    assert record["error"] == type(error).__name__
    assert ("stack" in record) == has_stack


def psycopg_like() -> Exception:
    return ValueError(f"invalid input: {MARKER}")


def test_a_note_that_cannot_be_stored_leaves_no_text_in_the_log(
    client: TestClient, database_url: str, log: io.StringIO
) -> None:
    with _connect(database_url) as connection:
        connection.execute("alter table brain.notes add constraint no_title check (title is null)")

    answer = client.post("/api/notes", json={"content": f"Sobre {MARKER}.", "title": MARKER, "externalId": MARKER})

    (record,) = records(log)
    assert answer.status_code == 500
    assert MARKER not in answer.text
    assert MARKER not in log.getvalue()
    assert record["sqlstate"] == "23514"
    assert record["causes"] == ["CheckViolation"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/retrieve", {"query": MARKER, "config": {MARKER: MARKER}}),
        ("POST", "/api/retrieve", {"query": MARKER * 1000}),
        ("POST", "/api/notes", {"content": "", "title": MARKER}),
        ("GET", f"/api/notes/{MARKER}", None),
        ("GET", f"/{MARKER}?q={MARKER}", None),
        ("GET", f"/?q={MARKER}", None),
    ],
)
def test_a_request_that_is_refused_or_answered_leaves_none_of_its_words_in_the_log(
    client: TestClient, log: io.StringIO, method: str, path: str, body: dict[str, Any] | None
) -> None:
    client.request(method, path, json=body)

    assert MARKER not in log.getvalue()
    assert records(log) == []


def test_a_request_is_one_line_with_its_route_status_and_time(client: TestClient, log: io.StringIO) -> None:
    client.get(f"/api/notes/{MARKER}", headers={"X-API-Key": MARKER})

    (line,) = records(log, of_requests=True)
    assert {name: line[name] for name in ("level", "route", "status")} == {
        "level": "info",
        "route": "GET /api/notes/{note_id}",
        "status": 400,
    }
    assert line["ms"] > 0
    assert len(line["user"]) == 16
    assert set(line) == {"level", "event", "timestamp", "component", "route", "status", "ms", "user"}


def test_a_defect_is_logged_with_the_status_its_caller_got(
    client: TestClient, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_positional: object, **_named: object) -> None:
        raise ValueError(MARKER)

    monkeypatch.setattr(live_query, "retrieve", fail)

    client.post("/api/retrieve", json={"query": "nada"})

    (line,) = records(log, of_requests=True)
    assert line["status"] == 500


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/static/style.css", "/openapi.json"])
def test_what_is_open_to_everybody_is_not_logged(client: TestClient, log: io.StringIO, path: str) -> None:
    client.get(path)

    assert log.getvalue() == ""


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", f"/api/notes/{MARKER}", {"Host": f"{MARKER}.example"}, 400),
        ("GET", "/healthz", {"Host": f"{MARKER}.example"}, 400),
        ("POST", "/api/notes", {"Origin": f"http://{MARKER}.example"}, 403),
        ("POST", "/entrar", {"Origin": f"http://{MARKER}.example"}, 403),
        ("GET", f"/?q={MARKER}", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ("POST", f"/api/{MARKER}", {"Content-Type": "text/plain", "Content-Length": "1"}, 415),
    ],
)
def test_what_is_refused_before_a_route_is_looked_for_is_one_line_too(
    client: TestClient, log: io.StringIO, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    assert client.request(method, path, headers=headers).status_code == status

    (line,) = records(log, of_requests=True)
    assert (line["route"], line["status"]) == (f"{method} ?", status)
    assert MARKER not in log.getvalue()


def test_a_failed_request_is_counted_by_its_class(
    client: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_positional: object, **_named: object) -> None:
        raise DatabaseUnavailableError("gone")

    monkeypatch.setattr(live_query, "retrieve", fail)

    client.post("/api/retrieve", json={"query": "nada"})

    assert engine.metrics.requests.errors == {"DatabaseUnavailableError": 1}


def test_removed_citations_are_one_record_and_counted(server: str, template: str, log: io.StringIO) -> None:
    bits = [f"El técnico cobró 180 euros [1][7]. {MARKER} vino el lunes [8, 1]. "]
    with served_notes(server, template, chat=Scripted(bits=bits)) as client:
        answer = client.post("/chat", json={"message": BOILER}).json()
        requests = client.get("/api/performance").json()["requests"]

    (record,) = [record for record in records(log) if record["event"] == "removed_citations"]
    assert (record["component"], record["level"], record["removed"]) == ("citations", "warning", 2)
    assert (record["query_id"], record["answerer"]) == (answer["meta"]["queryId"], "generated:scripted@3")
    assert MARKER not in log.getvalue()
    assert "180" not in log.getvalue()
    assert requests["removedCitations"] == 2


def test_an_answer_whose_citations_all_exist_is_not_logged(server: str, template: str, log: io.StringIO) -> None:
    bits = ["El técnico cobró 180 euros [1]. "]
    with served_notes(server, template, chat=Scripted(bits=bits)) as client:
        client.post("/chat", json={"message": BOILER})
        requests = client.get("/api/performance").json()["requests"]

    assert [record for record in records(log) if record["event"] == "removed_citations"] == []
    assert requests["removedCitations"] == 0


def test_the_routing_of_a_search_is_in_its_request_without_its_words(client: TestClient, log: io.StringIO) -> None:
    client.post("/api/v2/rag/search", json={"query": f"Wer ist der Chef von {MARKER} Weber?", "strategy": "hybrid"})

    (record,) = records(log, of_requests=True)
    assert MARKER not in log.getvalue()
    routing = {name: record[name] for name in ("query_type", "is_multi_hop", "entities_found")}
    assert routing == {"query_type": "relational", "is_multi_hop": False, "entities_found": 1}
    assert record["suggested_strategy"] == "hybrid_with_graph_refinement"
    assert record["routed_strategy"] == "hybrid"
