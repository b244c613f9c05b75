"""`brain mcp`: the tools over stdin and stdout, with the official client; read only unless a key says otherwise."""

import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from command_line import BRAIN, Brain, printed_json
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from rag_core.cli.mcp import _access_of, _told
from rag_core.mcp.server import build_server
from rag_core.runtime.engine import Engine

QUESTION = "¿Qué tarta hubo en el cumpleaños de Rosa?"
CAKE = "En el cumpleaños de Rosa hubo una tarta de limón."


@pytest.fixture
def birthday(make_note: Any, index_notes: Any) -> None:
    """Two notes, indexed."""
    make_note(CAKE, external_id="cumple", title="Fiesta de Rosa")
    make_note("Planté tomates en el huerto.", external_id="huerto")
    index_notes()


@pytest.mark.usefixtures("birthday")
def test_an_assistant_searches_asks_reads_and_with_a_key_writes(
    brain: Brain, database_url: str, tmp_path: Path
) -> None:
    created = printed_json(brain("key", "create", "asistente", "--scope", "read", "--scope", "write", "--json"))
    given = {"DATABASE_URL": database_url, "BRAIN_HOME": str(tmp_path / "home"), "BRAIN_MCP_KEY": created["key"]}
    given |= {"PYTHONPATH": os.environ.get("PYTHONPATH", ""), "BRAIN_EMBEDDING_PROVIDER": "hashing"}
    started = StdioServerParameters(command=sys.executable, args=[*BRAIN[1:], "mcp"], env=given, cwd=tmp_path)

    async def work() -> Any:
        async with Client(stdio_client(started), read_timeout_seconds=60) as client:
            found = (await client.call_tool("search", {"query": "tarta de limón"})).structured_content
            assert found["results"][0]["title"] == "Fiesta de Rosa"
            answered = (await client.call_tool("ask", {"question": QUESTION})).structured_content
            assert "tarta de limón [N1]" in answered["answer"]
            read = await client.read_resource(answered["citations"][0]["uri"])
            assert read.contents[0].text == CAKE
            made = await client.call_tool("create_note", {"content": "El gato se llama Ovidio.", "tags": ["casa"]})
            return (await client.call_tool("get_note", {"id": made.structured_content["id"]})).structured_content

    note = anyio.run(work)

    assert (note["content"], note["source"], note["metadata"]) == (
        "El gato se llama Ovidio.",
        "mcp",
        {"tags": ["casa"]},
    )


@pytest.mark.usefixtures("birthday")
def test_without_a_key_nothing_is_changed(engine: Engine) -> None:
    async def work() -> None:
        async with Client(build_server(_access_of(engine), _told)) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            assert tools == ["search", "get_note", "ask", "list_sources"]
            refused = await client.call_tool("create_note", {"content": "x"})
            assert refused.is_error

    anyio.run(work)


def test_a_key_that_opens_nothing_ends_the_command(brain: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_MCP_KEY", "brain_no_key")

    done = brain("mcp")

    assert done.exit_code == 1
    assert "API key" in done.stderr


def test_a_defect_is_logged_and_its_words_are_not_told(caplog: pytest.LogCaptureFixture) -> None:
    told = _told(ValueError("secreto"))

    assert "secreto" not in told
    assert [record.levelname for record in caplog.records] == ["ERROR"]
