"""A NUL character, or half a surrogate pair, in any text of any route is refused in the route's language: nothing can store it."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from api_answers import assert_spanish
from fastapi.dependencies.models import Dependant
from fastapi.testclient import TestClient

NOWHERE = "00000000-0000-4000-8000-000000000000"
JSON = {"Content-Type": "application/json"}
BROWSER = {"Accept": "text/html"}
CLEANED = {"/chat": "message", "/api/query": "query", "/api/v2/rag/search": "query"}
"""Where a question stands that is asked without what nothing can store."""
LENIENT = "/v1/chat/completions"
"""Ignores what it does not know, as OpenAI's clients expect; its texts are cleaned like the other questions."""
FORBIDDEN = {"nul": "a\0b", "surrogate": "a\ud800b"}


@pytest.fixture
def bodies(client: TestClient, add_note) -> dict[tuple[str, str], Any]:
    """For every route that takes a body one that it takes, or refuses for what is stored, not for the body."""
    note = add_note("Mañana viajo a Valparaíso con Lucía.", externalId="n1")["id"]
    spans = [{"start": 15, "end": 25, "quote": "Valparaíso"}]
    golden = {
        "query": "¿A dónde?",
        "relevantNoteIds": [note],
        "relevance": [{"noteId": note, "grade": 2, "spans": spans}],
        "expectedAnswer": "A Valparaíso",
        "category": "factual",
        "difficulty": 2,
    }
    stored = client.post("/api/golden-dataset", json=golden).json()["id"]
    people = {"tags": ["x"], "keyFacts": ["x"], "forbiddenContent": ["x"], "createdBy": "x", "verifiedBy": "x"}
    golden_v2 = {
        "query": "Wohin?",
        "expectedAnswer": "Nach Valparaíso",
        "relevantDocumentIds": ["n1"],
        "relevantChunkIds": [],
        "category": "factual",
        "difficulty": "easy",
        **{name: people[name] for name in people if name != "tags"},
    }
    stored_v2 = client.post("/api/v2/evaluation/golden-dataset", json=golden_v2).json()["id"]
    line = {"query": "¿Y?", "relevantIds": ["n1"], "relevance": [{"id": "n1", "spans": spans}], **people}
    note_body = {"content": "x", "title": "x", "source": "api", "language": "es", "metadata": {"a": "x"}}
    run = {"datasetId": "default", "config": {}, "category": "factual"}
    return {
        ("POST", "/api/retrieve"): {"query": "x", "config": {}, "filters": {"sources": ["x"], "tags": ["x"]}},
        ("POST", "/api/retrieve/evaluate"): {"config": {}, "category": "factual"},
        ("POST", "/api/golden-dataset"): golden | people,
        ("PUT", f"/api/golden-dataset/{stored}"): golden | people,
        ("POST", "/api/golden-dataset/import"): {"set": "default", "vocabulary": "brain_sync", "queries": [line]},
        ("POST", "/api/notes"): note_body | {"externalId": "n2"},
        ("PUT", f"/api/notes/{note}"): note_body | {"externalId": "n1"},
        ("POST", "/chat"): {"message": "¿A dónde viajo mañana?"},
        ("POST", "/api/ingest"): {"documentUrl": "https://example.org/a.pdf", "title": "x", "metadata": {"a": "x"}},
        ("POST", "/api/query"): {"query": "¿A dónde viajo mañana?", "topicFilter": "viajes"},
        ("POST", "/api/v2/rag/search"): {
            "query": "Wohin reise ich?",
            "filters": {"topics": ["x"], "departments": ["x"]},
        },
        ("POST", "/api/v2/rag/chat"): {"messages": [{"role": "user", "content": "Wohin reise ich?"}], "model": "x"},
        ("POST", "/api/feedback"): {"queryId": NOWHERE, "rating": 5, "comment": "x"},
        ("POST", "/api/experiments/feedback"): {"queryId": NOWHERE, "noteId": NOWHERE, "kind": "open"},
        ("POST", "/api/v2/evaluation/run"): run,
        ("POST", "/api/v2/evaluation/tuning"): {"datasetId": "default", "parts": ["fusion"]},
        ("POST", "/api/v2/evaluation/embedding-benchmark"): {"models": ["hashing"], "datasets": ["default"]},
        ("POST", "/api/v2/evaluation/golden-dataset"): golden_v2,
        ("PUT", f"/api/v2/evaluation/golden-dataset/{stored_v2}"): golden_v2,
    }


def spoiled(value: Any, bad: str) -> Iterator[Any]:
    """The value with one of its texts, or of the keys of its objects, replaced."""
    if isinstance(value, str):
        yield bad
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from ([*value[:at], other, *value[at + 1 :]] for other in spoiled(item, bad))
    elif isinstance(value, dict):
        yield {**value, bad: "x"}
        for name, item in value.items():
            yield from ({**value, name: other} for other in spoiled(item, bad))


_IDENTIFIERS = {"/api/v2/": "Kennung", "/api/ing": "identifier"}


def told(answer: httpx.Response, path: str) -> str:
    """The details of a refusal, in the language of the route."""
    if path.startswith("/api/ingest"):
        assert (answer.status_code, answer.json()["error"]) == (400, "Invalid parameters"), answer.text
        return str(answer.json()["details"])
    if path.startswith("/v1/"):
        assert answer.status_code == 400, answer.text
        return str(answer.json()["error"]["message"])
    if not path.startswith("/api/v2/"):
        return assert_spanish(answer, 400, "Parámetros inválidos")
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"] == "Ungültige Parameter"
    return str(answer.json()["details"])


def parameters(dependant: Dependant) -> Iterator[str]:
    """The parameters that a route reads from the address, and what it depends on."""
    yield from (parameter.alias for parameter in dependant.query_params)
    for other in dependant.dependencies:
        yield from parameters(other)


def send(client: TestClient, method: str, path: str, body: Any = None) -> httpx.Response:
    content = b"" if body is None else json.dumps(body).encode()
    return client.request(method, path, content=content, headers=JSON if content else {})


@pytest.mark.parametrize("bad", FORBIDDEN.values(), ids=FORBIDDEN)
def test_in_a_body(client: TestClient, bodies: dict[tuple[str, str], Any], bad: str) -> None:
    described = client.get("/openapi.json").json()["paths"]
    with_body = [
        (method.upper(), path)
        for path, operations in described.items()
        for method in operations
        if path != LENIENT and "application/json" in operations[method].get("requestBody", {}).get("content", {})
    ]

    for (method, path), body in bodies.items():
        cleaned = CLEANED.get(path)
        for wrong in spoiled({name: value for name, value in body.items() if name != cleaned}, bad):
            if cleaned is not None:
                wrong[cleaned] = body[cleaned]
            assert told(send(client, method, path, wrong), path), ascii(wrong)

    assert len(bodies) == len(with_body), with_body
    for (method, path), body in bodies.items():
        taken = send(client, method, path, body)
        # With too few questions, and of no allowed host: bodies that can be read.
        refused_otherwise = path.endswith(("/tuning", "/ingest"))
        assert taken.status_code != 400 or refused_otherwise, (path, taken.text)


@pytest.mark.parametrize("bad", FORBIDDEN.values(), ids=FORBIDDEN)
def test_in_a_question_it_is_left_out(client: TestClient, bodies: dict[tuple[str, str], Any], bad: str) -> None:
    for path, field in CLEANED.items():
        body = bodies["POST", path]

        asked = send(client, "POST", path, body | {field: body[field] + bad})

        assert asked.status_code == 200, (path, asked.text)
    message = {"role": "user", "content": f"¿A dónde viajo mañana?{bad}"}
    asked = send(client, "POST", LENIENT, {"model": "brain-sync", "messages": [message], "user": bad, bad: bad})
    assert asked.status_code == 200, asked.text


def test_in_an_address(refusing: TestClient) -> None:
    described = refusing.get("/openapi.json").json()["paths"]
    asked = 0

    for path, operations in described.items():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", []):
                name = parameter["name"]
                is_part = parameter["in"] == "path"
                whole = path.replace(f"{{{name}}}", "%00") if is_part else f"{path}?{name}=a%00b"
                asked += 1
                said = told(send(refusing, method.upper(), whole.replace("{query_id}", NOWHERE)), path)
                subject = _IDENTIFIERS.get(path[:8], "identificador") if is_part else ""
                assert subject in said

    assert asked > 20


def test_in_the_address_of_a_page(refusing: TestClient) -> None:
    asked = []

    for route in refusing.app.state.routes:
        if route.include_in_schema:
            continue
        names = list(parameters(route.dependant))
        parts = [parameter.name for parameter in route.dependant.path_params]
        plain = route.path.format(**dict.fromkeys(parts, NOWHERE))
        asked += [(route, f"{plain}?{name}=a%00b") for name in names]
        asked += [(route, route.path.format(**{**dict.fromkeys(parts, NOWHERE), part: "%00"})) for part in parts]

    for route, address in asked:
        answer = refusing.request(next(iter(route.methods)), address, headers=BROWSER)
        assert answer.headers["Content-Type"].startswith("text/html"), address
        if route.path == "/":  # it says so beside its form
            assert answer.status_code == 200
        else:
            assert (answer.status_code, "hay un carácter nulo" in answer.text) == (400, True), address
    assert {"/", "/evaluation", "/evaluation/experiments/{experiment_id}"} <= {route.path for route, _ in asked}


def test_a_query_among_good_ones_is_listed_and_the_others_are_taken(client: TestClient, add_note) -> None:
    add_note("Mañana viajo a Valparaíso con Lucía.", externalId="n1")
    bad = "a\ud800b"
    queries = [
        {"query": "¿A dónde?", "relevantIds": ["n1"]},
        {"query": "¿Y?", "relevantIds": ["n1"], bad: 1},
        {"query": "¿Y?", "relevance": [{"id": "n1", "spans": [{"quote": bad}]}]},
        {"query": "¿Y?", "relevantIds": [bad]},
    ]

    answer = send(client, "POST", "/api/golden-dataset/import", {"queries": queries})

    assert (answer.status_code, answer.json()["imported"]) == (200, 1)
    assert [one["line"] for one in answer.json()["rejected"]] == [2, 3, 4]


@pytest.mark.parametrize("path", ["/%00", "/static/%00", "/static/a%00.css", "/api/nada%00", "/api/v2/%00"])
def test_in_an_address_that_nobody_serves(refusing: TestClient, path: str) -> None:
    assert refusing.get(path).status_code in {400, 404}


@pytest.mark.parametrize("path", ["/?q=%ED%A0%80", "/api/golden-dataset?set=%FF", "/evaluation/experiments/%FF"])
def test_octets_that_are_no_utf8_are_read_as_unknown_characters(refusing: TestClient, path: str) -> None:
    assert refusing.get(path).status_code in {200, 404}
