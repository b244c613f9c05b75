"""However absurd a request to the routes of evaluation is: no defect, no English on a Spanish route, no Spanish on a German one."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx
import pytest
from api.api_answers import ENGLISH
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_core.api.app import create_app

JSON = {"Content-Type": "application/json"}
BROWSER = {"Accept": "text/html"}
NOBODYS = str(UUID(int=7))
GOLDEN = "/api/golden-dataset"
GOLDEN_V2 = "/api/v2/evaluation/golden-dataset"
RUN, TUNING = "/api/v2/evaluation/run", "/api/v2/evaluation/tuning"
BENCHMARK = "/api/v2/evaluation/embedding-benchmark"
SPANISH = re.compile(
    r"\b(el|la|los|las|un|una|no|de|se|es|que|debe|falta|campo|está|existe|valor|dirección)\b", re.IGNORECASE
)
GERMAN = re.compile(
    r"\b(der|die|das|ein|eine|kein|keine|ist|nicht|muss|darf|zu|gibt|fehlt|steht|unbekanntes|Frage|enthält|erwartet|Adresse)\b",
    re.IGNORECASE,
)
ONLY_SPANISH = re.compile(r"\b(debe|falta|está|existe|los|las|una|campo|consulta|nota)\b", re.IGNORECASE)
ANSWERED = {200, 201, 202, 204, 400, 404, 405, 409, 413, 429}
JOBS_FULL = 429

LETTERS = st.characters(codec=None, exclude_categories=())
WORDS = st.one_of(
    st.text(LETTERS, max_size=20),
    st.sampled_from(
        ("", " ", "\0", "a\0b", "\ud800", "\ufeff", "x" * 2_000, "{note}", "%s", "default", "rag-v2", "n1")
    ),
    st.uuids().map(str),
)
NUMBERS = st.one_of(
    st.integers(-(2**70), 2**70),
    st.sampled_from((0, -1, 2**31, 2**63, 10**400)),
    st.floats(),
    st.sampled_from((float("nan"), float("inf"), -0.0, 1e308)),
)
JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


def bodies(note: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Every route of evaluation that takes a body, and one it would take."""
    spans = [{"start": 4, "end": 10, "quote": "llovió"}]
    more = {"keyFacts": ["sí"], "forbiddenContent": ["no"], "createdBy": "Eva", "verifiedBy": "Ana"}
    golden = {
        "query": "¿Llovió hoy?",
        "relevantNoteIds": [note],
        "relevance": [{"noteId": note, "grade": 2, "spans": spans}],
        "expectedAnswer": "Sí.",
        "category": "factual",
        "difficulty": 2,
        "tags": ["lluvia"],
        **more,
    }
    golden_v2 = {
        "query": "Hat es geregnet?",
        "expectedAnswer": "Ja.",
        "relevantDocumentIds": ["n1"],
        "relevantChunkIds": [],
        "category": "factual",
        "difficulty": "easy",
        **more,
    }
    line = {
        "id": "g1",
        "query": "¿Y ayer?",
        "relevantIds": ["n1"],
        "relevance": [{"id": "n1", "grade": 3, "spans": spans}],
        "relevantChunkIds": [],
        "expectedAnswer": "No.",
        "category": "factual",
        "difficulty": 1,
        "verifiedAt": "2025-03-01",
        "createdAt": "2025-03-01",
        "updatedAt": "2025-03-01",
        **more,
    }
    config = {"rerankerEnabled": False, "reranking": {"enabled": True}, "topK": {"final": 3}}
    return {
        ("POST", GOLDEN): golden,
        ("PUT", f"{GOLDEN}/{{golden}}"): golden,
        ("POST", f"{GOLDEN}/import"): {"set": "default", "vocabulary": "brain_sync", "version": 1, "queries": [line]},
        ("POST", GOLDEN_V2): golden_v2,
        ("PUT", f"{GOLDEN_V2}/{{golden_v2}}"): golden_v2,
        ("POST", "/api/retrieve/evaluate"): {"config": {"topK": {"final": 3}}, "category": "factual"},
        ("POST", RUN): {"datasetId": "default", "config": config, "category": "factual", "concurrency": 2},
        ("POST", BENCHMARK): {"models": ["hashing"], "datasets": ["default"]},
        ("POST", TUNING): {"datasetId": "default", "minutes": 1.0, "parts": ["fusion"]},
        ("POST", "/api/experiments/feedback"): {"queryId": NOBODYS, "noteId": note, "kind": "helpful"},
    }


ADDRESSES = (
    f"GET {GOLDEN}?set={{0}}",
    f"GET {GOLDEN}/{{0}}",
    f"DELETE {GOLDEN}/{{0}}",
    f"GET {GOLDEN}/statistics?set={{0}}",
    f"POST {GOLDEN}/export?set={{0}}",
    f"GET {GOLDEN_V2}?datasetId={{0}}",
    f"DELETE {GOLDEN_V2}/{{0}}?datasetId={{1}}",
    "GET /api/retrieve/metrics?limit={0}&configHash={1}",
    "GET /api/retrieve/compare?baseline={0}&candidate={1}",
    "GET /api/retrieve/compare?config1={0}&config2={1}&common={0}",
    "GET /api/v2/evaluation/compare?baseline={0}&candidate={1}",
    "GET /api/v2/evaluation/compare?config1={0}&config2={1}",
    "GET /api/v2/evaluation/history?limit={0}",
    "GET /api/v2/evaluation/runs/{0}",
    "POST /api/v2/evaluation/runs/{0}/cancel",
    f"GET {BENCHMARK}/{{0}}",
    f"POST {BENCHMARK}/{{0}}/cancel",
    f"GET {TUNING}/{{0}}",
    "GET /api/configuration?limit={0}",
    "GET /api/experiments/{0}",
)
PAGES = (
    "GET /evaluation?conjunto={0}&dias={1}",
    "GET /evaluation/runs/{0}?categoria={1}&solo={1}",
    "GET /evaluation/runs/{2}?categoria={0}&solo={1}",
    "GET /evaluation/runs/{2}/queries/{0}?baseline={1}",
    "GET /evaluation/compare?baseline={0}&candidate={1}&common={1}",
    "GET /evaluation/compare?baseline={2}&candidate={0}",
    "GET /evaluation/tuning/{0}",
    "GET /evaluation/benchmarks/{0}",
    "GET /evaluation/experiments/{0}",
    "POST /opinion/{0}/{1}?nota={0}&volver={1}",
    "GET /notas/{0}?consulta={1}",
)
PARTS = st.one_of(
    WORDS.map(lambda text: quote(text.encode(errors="surrogatepass"), safe="")),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(("9" * 5_000, "%ED%A0%80", "%FF%FE", "%2e%2e%2f", "..", "²", "1e5", "nan", "true", "-0", NOBODYS)),
)


@pytest.fixture(scope="module")
def client(engine) -> Iterator[TestClient]:
    """The API over one note, as a program on this machine asks it."""
    with TestClient(create_app(engine), base_url="http://127.0.0.1", raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def ids(client: TestClient) -> dict[str, str]:
    """A note, a golden query on it in either vocabulary, and a run."""
    note = client.post("/api/notes", json={"content": "Hoy llovió.", "externalId": "n1"}).json()["id"]
    valid = bodies(note)
    golden = client.post(GOLDEN, json=valid["POST", GOLDEN])
    golden_v2 = client.post(GOLDEN_V2, json=valid["POST", GOLDEN_V2])
    run = client.post("/api/retrieve/evaluate", json={})
    return {
        "note": note,
        "golden": golden.json()["id"],
        "golden_v2": golden_v2.json()["id"],
        "run": run.json()["evaluationId"],
    }


@st.composite
def absurd(draw: st.DrawFn, body: Any) -> Any:
    """The body with some of its values, however deep, replaced by junk, or its keys."""
    if draw(st.integers(0, 5)) == 0:
        return draw(JUNK)
    if isinstance(body, dict):
        names = draw(st.sets(st.sampled_from(sorted(body)), max_size=2)) if body else set()
        changed = {name: draw(absurd(value)) if name in names else value for name, value in body.items()}
        return changed | draw(st.dictionaries(WORDS, JUNK, max_size=1) if draw(st.integers(0, 5)) == 0 else st.just({}))
    if isinstance(body, list) and body:
        return [draw(absurd(body[0])), *body[1:]]
    return draw(JUNK)


def written(body: Any) -> bytes:
    """As JSON, with NaN and with half surrogate pairs as octets or as escapes."""
    return json.dumps(body).encode()


def assert_answered(answer: httpx.Response, path: str) -> None:
    """An answer that is no defect; a refusal is told in the language of the route."""
    assert answer.status_code in ANSWERED, (answer.status_code, answer.text)
    if answer.status_code < 400 or answer.headers["Content-Type"].startswith("text/html"):
        return
    body = answer.json()
    assert set(body) == {"error", "details"}
    told = re.sub(r"«[^»]*»|„[^“]*“|'[^']*'", "", body["details"])
    if path.startswith("/api/v2/"):
        assert not ONLY_SPANISH.search(body["error"]), body
        assert GERMAN.search(told) or answer.status_code == JOBS_FULL, body
    else:
        assert SPANISH.search(told), body
    said = f"{body['error']} {told}".lower()
    assert [word for word in ENGLISH if word in said] == [], body


@pytest.mark.property(36)
@settings(max_examples=100)
@given(data=st.data())
def test_an_absurd_body_is_no_defect(client, ids, data) -> None:
    (method, path), body = data.draw(st.sampled_from(sorted(bodies(ids["note"]).items(), key=lambda item: item[0])))
    sent = written(data.draw(absurd(body)))

    answer = client.request(method, path.format(**ids), content=sent, headers=JSON)

    assert_answered(answer, path)


@pytest.mark.property(36)
@settings(max_examples=100)
@given(address=st.sampled_from(ADDRESSES), one=PARTS, other=PARTS)
def test_an_absurd_address_is_no_defect(client, ids, address: str, one: str, other: str) -> None:
    method, _, path = address.partition(" ")

    answer = client.request(method, path.format(one, other))

    assert_answered(answer, path)


@pytest.mark.property(36)
@settings(max_examples=100)
@given(address=st.sampled_from(PAGES), one=PARTS, other=PARTS, is_browser=st.booleans())
def test_an_absurd_address_of_a_page_is_no_defect(client, ids, address, one, other, is_browser) -> None:
    method, _, path = address.partition(" ")

    answer = client.request(method, path.format(one, other, ids["run"]), headers=BROWSER if is_browser else {})

    assert_answered(answer, path)
    if is_browser:
        assert answer.headers["Content-Type"].startswith("text/html")
        assert '<html lang="es"' in answer.text
