"""The Python client and the retrievers of LangChain and LlamaIndex, over a really served API and against its description."""

import dataclasses
import json
import runpy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from asked_notes import BOILER, NOTES, NOWHERE
from databases import cloned_database
from fastapi import FastAPI
from jsonschema import Draft202012Validator
from llama_index.core.schema import MetadataMode
from pydantic.alias_generators import to_camel
from served_answers import running

from rag_core.api.app import create_app
from rag_core.client import BrainClient, ClientError
from rag_core.client.client import ClientNote
from rag_core.client.langchain import BrainLangChainRetriever
from rag_core.client.llama_index import BrainLlamaIndexRetriever
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))
ELEVATOR = {"title": "Ascensor", "content": "El ascensor se paró por culpa de una gotera en el cuarto de máquinas."}


class Watched(httpx.BaseTransport):
    """Connections that keep what is sent and answered."""

    def __init__(self) -> None:
        self.exchanges: list[tuple[str, str, Any, Any]] = []
        self._sending = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._sending.handle_request(request)
        sent = json.loads(request.read() or b"null")
        self.exchanges.append((request.method, request.url.path, sent, json.loads(answer.read())))
        return answer


@pytest.fixture(scope="module")
def app(server: str, template: str) -> Iterator[FastAPI]:
    with cloned_database(server, template) as database_url:
        settings = read_settings(database_url=database_url, tenant=None, request_timeout_ms=10_000)
        with open_engine(settings) as engine:
            yield create_app(engine)


@pytest.fixture(scope="module")
def url(app: FastAPI) -> Iterator[str]:
    with running(app) as port:
        for note in (*NOTES, ELEVATOR):
            assert httpx.post(f"http://127.0.0.1:{port}/api/notes", json=note).status_code == 201
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def client(url: str) -> Iterator[BrainClient]:
    with BrainClient(url) as opened:
        yield opened


def described(document: Mapping[str, Any], method: str, path: str) -> Mapping[str, Any]:
    """Description of the route that a path is of."""
    found = [
        route
        for route in document["paths"]
        if len(route.split("/")) == len(path.split("/"))
        and all(
            part == own or part.startswith("{") for part, own in zip(route.split("/"), path.split("/"), strict=True)
        )
    ]
    operation: Mapping[str, Any] = document["paths"][found[0]][method.lower()]
    return operation


def check(document: Mapping[str, Any], schema: Mapping[str, Any], value: Any) -> None:
    Draft202012Validator({**schema, "components": document["components"]}).validate(value)


def test_all_that_the_client_sends_and_reads_is_described(app: FastAPI, url: str) -> None:
    watched, document = Watched(), app.openapi()
    with BrainClient(url, transport=watched) as client:
        client.search("caldera", filters={"tags": ["casa"]})
        client.ask(BOILER)
        note = client.read_note(client.create_note("El gato se llama Ovidio.", title="Gato", tags=["casa"]).id)

    assert len(watched.exchanges) == 4
    for method, path, sent, answered in watched.exchanges:
        operation = described(document, method, path)
        if sent is not None:
            check(document, operation["requestBody"]["content"]["application/json"]["schema"], sent)
        (good,) = [status for status in operation["responses"] if status.startswith("2")]
        check(document, operation["responses"][good]["content"]["application/json"]["schema"], answered)
    assert (note.content, note.title, note.metadata) == ("El gato se llama Ovidio.", "Gato", {"tags": ["casa"]})
    fields = {to_camel(field.name) for field in dataclasses.fields(ClientNote)}
    assert fields == set(document["components"]["schemas"]["NoteOut"]["properties"])


def test_a_search_and_an_answer_name_the_notes(client: BrainClient, url: str) -> None:
    (found,) = client.search(BOILER, top_k=1)
    answer = client.ask(BOILER)

    assert (found.title, found.text) == ("Caldera", NOTES[0]["content"])
    assert [cited.note_id for cited in answer.citations] == [found.note_id]
    assert httpx.get(answer.citations[0].url, headers={"Accept": "text/html"}).status_code == 200
    assert "180 euros" in answer.text
    assert client.ask(NOWHERE).refusal


def test_a_refusal_has_its_status_and_what_to_change(client: BrainClient) -> None:
    with pytest.raises(ClientError, match="no puede estar vac") as refused:
        client.search("")

    assert refused.value.status == 400


def test_an_api_that_does_not_run_is_told() -> None:
    with BrainClient("http://127.0.0.1:9") as client, pytest.raises(ClientError, match="brain serve") as refused:
        client.ask(BOILER)

    assert refused.value.status == 0


@pytest.mark.parametrize("is_cited_only", [False, True])
def test_langchain_and_llama_index_retrieve_what_the_client_finds(client: BrainClient, is_cited_only: bool) -> None:
    more = {"filters": {"tags": ["casa", "dinero"]}, "is_cited_only": is_cited_only}
    expected = client.passages(BOILER, top_k=2, **more)

    documents = BrainLangChainRetriever(client=client, top_k=2, **more).invoke(BOILER)
    nodes = BrainLlamaIndexRetriever(client, top_k=2, **more).retrieve(BOILER)

    assert expected
    assert [(one.id, one.page_content) for one in documents] == [(one.chunk_id, one.text) for one in expected]
    assert [document.metadata["source"] for document in documents] == [one.url for one in expected]
    assert [(one.node_id, one.get_content(MetadataMode.NONE)) for one in nodes] == [
        (one.chunk_id, one.text) for one in expected
    ]
    assert [node.score for node in nodes] == [one.score for one in expected]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_runs(
    url: str, example: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BRAIN_URL", url)

    runpy.run_path(str(example), run_name="__main__")

    assert "gotera" in capsys.readouterr().out
