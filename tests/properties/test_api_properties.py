"""Properties of every answer of the API, to good requests and to bad ones (properties 34 and 36 to 38)."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, get_args
from uuid import UUID

import httpx
import pytest
from api.api_answers import assert_spanish
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.configurations import INVALID_CONFIGURATIONS, outside
from properties.corpora import Corpus, queries_about
from properties.strategies import sentences

from rag_core import errors
from rag_core.api.app import create_app
from rag_core.experiments import live_query
from rag_core.model.note import note_id_for
from rag_core.model.retrieval import Strategy
from rag_core.runtime.engine import DEFAULT_TENANT

EXAMPLES = settings(max_examples=100)
JSON = {"Content-Type": "application/json"}
SPANISH = re.compile(
    r"\b(el|la|los|las|un|una|no|de|se|es|que|debe|falta|valor|campo|como|esta|está|ya|existe)\b", re.IGNORECASE
)
CONTRACT = {"chunkId", "noteId", "content", "expandedContent", "score", "metadata"}

NOTE_ID = note_id_for(DEFAULT_TENANT, "api", "n1")
NOTE = {
    "content": "Hoy llovió.",
    "title": "Diario",
    "source": "api",
    "externalId": "n1",
    "metadata": {"tags": ["lluvia"]},
}
GOLDEN = {
    "query": "¿Llovió?",
    "relevantNoteIds": [str(NOTE_ID)],
    "expectedAnswer": "Sí.",
    "category": "factual",
    "difficulty": 2,
    "tags": [],
}
BODIES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/api/retrieve", {"query": "lluvia", "topK": 3, "strategy": "hybrid"}),
    ("POST", "/api/retrieve", {"query": "lluvia", "config": {}}),
    ("POST", "/api/retrieve/evaluate", {"config": {}, "category": "factual"}),
    ("POST", "/api/golden-dataset", GOLDEN),
    ("PUT", "/api/golden-dataset/{golden}", GOLDEN),
    ("POST", "/api/golden-dataset/import", {"set": "default", "queries": [{"query": "¿?", "relevantIds": ["n1"]}]}),
    ("POST", "/api/notes", NOTE),
    ("PUT", "/api/notes/{note}", NOTE),
]
"""Every route that takes a body, and one it would take; there are a note and a golden query to be replaced."""
NEEDED = {"query", "content", "relevantNoteIds", "expectedAnswer", "category", "difficulty", "queries"}
WRONG: dict[str, st.SearchStrategy[Any]] = {
    "query": st.integers() | st.lists(st.text()) | st.sampled_from(("", " \n", "a\0b", "x" * 10_001)),
    "topK": outside(1, 50) | st.text() | st.booleans() | st.floats(1.1, 1.9),
    "strategy": sentences() | st.integers(),
    "config": INVALID_CONFIGURATIONS | st.lists(st.integers()) | sentences(),
    "category": sentences(),
    "relevantNoteIds": st.just([]) | st.lists(sentences(), min_size=1, max_size=2) | st.integers() | st.none(),
    "expectedAnswer": st.sampled_from(("", " ")) | st.integers() | st.none(),
    "difficulty": outside(1, 5) | st.booleans() | st.text() | st.none(),
    "tags": sentences() | st.lists(st.integers(), min_size=1),
    "set": sentences(),
    "queries": st.just([]) | st.lists(st.integers(), min_size=1) | sentences() | st.just([{"query": ""}]),
    "content": st.sampled_from(("", " \n\t", "a\0b")) | st.integers() | st.none(),
    "title": st.integers() | st.just("x" * 600),
    "source": st.integers() | st.sampled_from((" ", "x" * 600)),
    "externalId": st.integers() | st.sampled_from((" ", "x" * 600)),
    "metadata": st.lists(st.integers()) | sentences() | st.just({"a": "\0"}),
}


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request, and the status it deserves."""

    method: str
    path: str
    status: int
    content: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    def send(self, client: TestClient, ids: dict[str, str]) -> httpx.Response:
        """Ask, with the ids of what is there where the path has a place for one."""
        return client.request(self.method, self.path.format(**ids), content=self.content, headers=self.headers)


def written(method: str, path: str, body: Any, status: int = 400) -> Request:
    """A request with a JSON body."""
    return Request(method=method, path=path, status=status, content=json.dumps(body).encode(), headers=JSON)


def without(body: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != name}


@st.composite
def wrong_bodies(draw: st.DrawFn) -> Request:
    """A body that has one field of a wrong value, lacks one, has one too many, or is no object."""
    method, path, body = draw(st.sampled_from(BODIES))
    spoiled = [st.builds(lambda value, name=name: body | {name: value}, WRONG[name]) for name in body]
    spoiled += [st.just(without(body, name)) for name in body if name in NEEDED and not path.endswith("/evaluate")]
    if method == "PUT" and "source" in body:
        spoiled.append(st.just(body | {"source": "otra"}))  # a note stays where it is; a new one may be anywhere
    spoiled.append(st.builds(lambda name: body | {f"{name}_": 1}, sentences()))
    spoiled.append(st.integers() | sentences() | st.none() | st.booleans() | st.lists(st.integers(), min_size=1))
    return written(method, path, draw(st.one_of(spoiled)))


@st.composite
def no_json(draw: st.DrawFn) -> Request:
    """A body that says it is JSON."""
    method, path, _ = draw(st.sampled_from(BODIES))
    start = draw(st.sampled_from((b"{", b'{"query": ', b"[1,", b"{'query': 'x'}", b"nada", b'"\xff"', b"")))
    return Request(method=method, path=path, status=400, content=start, headers=JSON)


WRONG_PARAMETERS = st.one_of(
    st.builds(lambda limit: f"/api/notes?limit={limit}", outside(1, 200) | st.sampled_from(("x", "1.5", ""))),
    st.builds(lambda limit: f"/api/retrieve/metrics?limit={limit}", outside(1, 50)),
    st.builds(lambda word: f"/api/notes?before={word}", st.sampled_from(("ayer", "2025-01-01", "~", "x~y"))),
    st.builds(lambda word: f"/api/notes/{word}", st.sampled_from(("n1", "1", "660e8400", "no-es", "ñandú"))),
    st.builds(lambda word: f"/api/golden-dataset/{word}", st.sampled_from(("g1", "1", "660e8400", "no-es"))),
).map(lambda path: Request(method="GET", path=path, status=400))
"""Parameters out of bounds or of a wrong type."""
WRONG_HOSTS = st.sampled_from(("evil.example", "192.168.1.5:8000", "")).map(
    lambda host: Request(method="GET", path="/api/notes", status=400, headers={"Host": host})
)
INVALID = wrong_bodies() | no_json() | WRONG_PARAMETERS | WRONG_HOSTS

WORDS = st.sampled_from(("nada", "notes", "retrieve", "v2", "x", "ñ", "golden", "metrics", "%20", "docs"))
NOWHERE = st.lists(WORDS, min_size=1, max_size=3).map(lambda words: "/" + "/".join(["api", "nada", *words]))
ABSENT = st.one_of(
    NOWHERE.map(lambda path: Request(method="GET", path=path, status=404)),
    st.builds(
        lambda method, kind, name: Request(method=method, path=f"/api/{kind}/{name}", status=404),
        st.sampled_from(("GET", "DELETE")),
        st.sampled_from(("notes", "golden-dataset")),
        st.uuids(),
    ),
    st.builds(lambda name: written("PUT", f"/api/notes/{name}", NOTE, 404), st.uuids()),
    st.builds(lambda name: written("PUT", f"/api/golden-dataset/{name}", GOLDEN, 404), st.uuids()),
    st.uuids().map(
        lambda name: written(
            "POST", "/api/golden-dataset", GOLDEN | {"query": "¿Y?", "relevantNoteIds": [str(name)]}, 404
        )
    ),
    st.uuids().map(lambda name: Request(method="GET", path=f"/notas/{name}", status=404)),
)
TAKEN = st.sampled_from(
    (
        written("POST", "/api/notes", NOTE, 409),
        written("POST", "/api/golden-dataset", GOLDEN | {"query": " ¿LLOVIÓ? "}, 409),
    )
)
SERVED = {
    "/api/retrieve": {"POST"},
    "/api/retrieve/evaluate": {"POST"},
    "/api/retrieve/metrics": {"GET"},
    "/api/golden-dataset": {"GET", "POST"},
    "/api/golden-dataset/export": {"GET", "PUT", "DELETE", "POST"},  # the others are those of /{query_id}
    "/api/notes": {"GET", "POST"},
    f"/api/notes/{UUID(int=1)}": {"GET", "PUT", "DELETE"},
    "/healthz": {"GET"},
    "/readyz": {"GET"},
    "/": {"GET"},
}
NOT_SERVED = [
    Request(method=method, path=path, status=405)
    for path, methods in SERVED.items()
    for method in sorted({"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"} - methods)
]
FORMS = st.builds(
    lambda route, kind, content: Request(
        method=route[0],
        path=route[1],
        status=415,
        content=content,
        headers={"Content-Type": kind},
    ),
    st.sampled_from(BODIES),
    st.sampled_from(("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "")),
    st.binary(min_size=1, max_size=20),
)
REFUSED = INVALID | ABSENT | TAKEN | st.sampled_from(NOT_SERVED) | FORMS


@pytest.fixture(scope="module")
def client(engine) -> Iterator[TestClient]:
    """The API over one note, as a program on this machine asks it."""
    with TestClient(create_app(engine), base_url="http://127.0.0.1", raise_server_exceptions=False) as opened:
        opened.post("/api/notes", json=NOTE)
        yield opened


@pytest.fixture(scope="module")
def ids(client: TestClient) -> dict[str, str]:
    """The note's id, and that of a golden query on it."""
    golden = client.post("/api/golden-dataset", json=GOLDEN).json()["id"]
    return {"note": str(NOTE_ID), "golden": golden}


def state_of(client: TestClient, ids: dict[str, str]) -> list[Any]:
    """All that the API has stored."""
    return [client.get("/api/notes").json(), client.get("/api/golden-dataset").json(), ids]


@pytest.fixture(scope="module")
def served(engine, library) -> list[tuple[Corpus, TestClient]]:
    """The API over the notes of some corpora."""
    return [
        (corpus, TestClient(create_app(of_tenant(engine, corpus)), base_url="http://127.0.0.1"))
        for corpus in library[:4]
    ]


def of_tenant(engine, corpus: Corpus):
    return replace(engine, settings=engine.settings.model_copy(update={"tenant": corpus.tenant}))


def told(answer: httpx.Response, status: int) -> None:
    details = assert_spanish(answer, status)
    assert SPANISH.search(details), details


@pytest.mark.property(36)
@settings(max_examples=100)
@given(request=REFUSED)
def test_every_refusal_is_told_in_spanish(client, ids, request: Request) -> None:
    answer = request.send(client, ids)

    told(answer, request.status)


@pytest.mark.property(36)
def test_a_body_that_is_too_large_is_told_in_spanish(client, ids) -> None:
    body = json.dumps({"content": "x" * (10 * 1024 * 1024)}).encode()

    for method, path, _ in BODIES:
        answer = Request(method=method, path=path, status=413, content=body, headers=JSON).send(client, ids)

        told(answer, 413)


@pytest.mark.property(36)
@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, errors.InvalidInputError)
    ],
)
def test_every_failure_inside_is_told_in_spanish(
    client, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    def fail(*_args: object, **_more: object) -> None:
        raise kind("the pool is closed, or should not be")

    monkeypatch.setattr(live_query, "retrieve", fail)

    answer = client.post("/api/retrieve", json={"query": "lluvia"})

    assert 400 <= answer.status_code < 600
    told(answer, answer.status_code)


@pytest.mark.property(37)
@EXAMPLES
@given(data=st.data(), top_k=st.integers(1, 20), strategy=st.sampled_from(get_args(Strategy)))
def test_every_result_has_what_the_contract_names(served, data, top_k, strategy) -> None:
    corpus, client = data.draw(st.sampled_from(served))
    query = data.draw(queries_about(list(corpus.notes.values())))

    answer = client.post("/api/retrieve", json={"query": query, "topK": top_k, "strategy": strategy})

    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert set(body) == {"results", "metadata"}
    assert len(body["results"]) <= top_k
    notes_of = {str(chunk.chunk_id): note for note, held in corpus.chunks.items() for chunk in held}
    for result in body["results"]:
        assert set(result) >= CONTRACT
        assert result["noteId"] == str(notes_of[result["chunkId"]])
        assert result["content"] in corpus.notes[UUID(result["noteId"])].content
        assert 0 <= result["score"] <= 1
        bounds = result["metadata"]["matchedChunkBounds"]
        assert result["expandedContent"][bounds["start"] : bounds["end"]] == result["content"]
        assert isinstance(result["metadata"]["chunkIndex"], int)
        assert not [name for name in (*result, *result["metadata"], *body["metadata"]) if "_" in name]


@pytest.mark.property(38)
@settings(max_examples=100)
@given(request=INVALID)
def test_an_invalid_request_is_answered_with_400_in_spanish_and_changes_nothing(client, ids, request: Request) -> None:
    before = state_of(client, ids)

    answer = request.send(client, ids)

    told(answer, 400)
    assert state_of(client, ids) == before


@pytest.mark.property(34)
@pytest.mark.property(38)
@EXAMPLES
@given(data=st.data(), invalid=INVALID_CONFIGURATIONS)
def test_an_invalid_configuration_is_refused_and_the_next_search_is_as_before(served, data, invalid) -> None:
    corpus, client = data.draw(st.sampled_from(served))
    search = {"query": data.draw(queries_about(list(corpus.notes.values())))}
    before = client.post("/api/retrieve", json=search).json()["results"]

    refused = written("POST", "/api/retrieve", {**search, "config": invalid}).send(client, {})

    told(refused, 400)
    assert client.post("/api/retrieve", json=search).json()["results"] == before
