"""The demo's golden questions, asked over every protocol: each cites the notes that `brain ask` cites."""

import itertools
import json
from collections.abc import Iterator

import anyio
import httpx
import pytest
from databases import cloned_database
from filling import index_stale
from mcp import Client
from openai import OpenAI
from served_answers import running

from rag_core.api.app import create_app
from rag_core.client import BrainClient
from rag_core.client.langchain import BrainLangChainRetriever
from rag_core.client.llama_index import BrainLlamaIndexRetriever
from rag_core.model.note import TenantId
from rag_core.notes.importing import import_lines
from rag_core.operation.demo_corpus import demo_file
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.terminal.asking import ask_events
from rag_core.terminal.requests import TerminalQuestion

DEMO = TenantId("demo")
ASKED = 12


@pytest.fixture(scope="module")
def diary(server: str, template: str) -> Iterator[Engine]:
    """An engine on the demo's notes, indexed."""
    with cloned_database(server, template) as database_url:
        settings = read_settings(database_url=database_url, tenant=DEMO, request_timeout_ms=10_000)
        with open_engine(settings) as engine, demo_file("notes.jsonl").open("rb") as lines:
            import_lines(
                engine.database,
                DEMO,
                lines,
                source="demo",
                language=None,
                zone=settings.zone,
                max_characters=settings.max_note_characters,
            )
            index_stale(engine, DEMO)
            yield engine


@pytest.mark.slow
def test_every_client_cites_what_brain_ask_cites(diary: Engine) -> None:
    with demo_file("golden.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line)["query"] for line in itertools.islice(lines, ASKED)]
    expected = {question: asked_in_terminal(diary, question) for question in questions}

    with running(create_app(diary)) as port:
        url = f"http://127.0.0.1:{port}"
        client, openai = BrainClient(url), OpenAI(api_key="none", base_url=f"{url}/v1", max_retries=0)
        langchain = BrainLangChainRetriever(client=client, is_cited_only=True)
        llama_index = BrainLlamaIndexRetriever(client, is_cited_only=True)
        found = {
            "openai": {question: asked_of_openai(openai, question) for question in questions},
            "langchain": {one: [found.metadata["note_id"] for found in langchain.invoke(one)] for one in questions},
            "llama_index": {
                one: [found.metadata["note_id"] for found in llama_index.retrieve(one)] for one in questions
            },
            "mcp": anyio.run(asked_over_mcp, f"{url}/mcp", questions),
        }

    assert sum(bool(cited) for cited in expected.values()) >= ASKED // 2
    assert found == dict.fromkeys(found, expected)


def asked_in_terminal(engine: Engine, question: str) -> list[str]:
    (event,) = ask_events(engine, TerminalQuestion(question=question, is_json=True))
    return [cited["noteId"] for cited in event["document"]["citations"]]


def asked_of_openai(client: OpenAI, question: str) -> list[str]:
    answered = client.chat.completions.create(
        model="brain-sync", messages=[{"role": "user", "content": question}], timeout=httpx.Timeout(30)
    )
    return [cited["noteId"] for cited in answered.model_extra["citations"]]


async def asked_over_mcp(url: str, questions: list[str]) -> dict[str, list[str]]:
    async with Client(url) as client:
        return {
            question: [
                cited["id"]
                for cited in (await client.call_tool("ask", {"question": question})).structured_content["citations"]
            ]
            for question in questions
        }
