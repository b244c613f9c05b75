"""Ollama's chat model beyond what both protocols have, which is in ``test_chat_answers`` and ``test_chat_streaming``."""

import subprocess
import sys

import pytest
from ollama_server import FaultKind, OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.chat import Message, build_chat
from rag_core.chat.providers.ollama import OllamaChat
from rag_core.errors import ChatError, ChatUnavailableError, ConfigurationError
from rag_core.settings import read_settings

QUESTION = [Message(role="system", content="Responde en español."), Message(role="user", content="¿Llovió ayer?")]
SCHEMA = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}


@pytest.fixture
def server(ollama_server: OllamaServer) -> OllamaServer:
    ollama_server.serve("llama3.2")
    return ollama_server


@pytest.fixture
def chat(server: OllamaServer) -> OllamaChat:
    return OllamaChat("llama3.2", host=server.url)


class TestRequests:
    def test_it_is_asked_the_same_way_every_time(self, server: OllamaServer, chat: OllamaChat) -> None:
        chat.complete(QUESTION, timeout_seconds=5, schema=SCHEMA, max_tokens=30)

        (body,) = server.bodies("/api/chat")
        assert body["options"] == {"temperature": 0, "num_ctx": 8192, "num_predict": 30}
        assert body["format"] == SCHEMA
        assert body["think"] is False
        assert body["stream"] is False
        assert body["keep_alive"] == "30m"

    def test_the_server_is_asked_for_a_stream_at_the_temperature_given(
        self, server: OllamaServer, chat: OllamaChat
    ) -> None:
        list(chat.stream(QUESTION, timeout_seconds=5, temperature=0.3, max_tokens=3))

        (body,) = server.bodies("/api/chat")
        assert (body["stream"], body["think"]) == (True, False)
        assert body["options"] == {"temperature": 0.3, "num_ctx": 8192, "num_predict": 3}

    def test_the_context_is_the_model_s_where_that_is_less(self, server: OllamaServer) -> None:
        server.serve("small", context_tokens=2048)
        server.serve("smaller", context_tokens=2048, parameters='stop "<|im_end|>"\nnum_ctx    1536')
        server.serve("large", context_tokens=131_072)

        for name in ("small", "smaller", "large"):
            OllamaChat(name, host=server.url).complete(QUESTION, timeout_seconds=5)

        assert [body["options"]["num_ctx"] for body in server.bodies("/api/chat")] == [2048, 1536, 8192]

    def test_it_asks_not_to_be_cut(self, server: OllamaServer, chat: OllamaChat) -> None:
        list(chat.stream(QUESTION, timeout_seconds=5))

        (body,) = server.bodies("/api/chat")
        assert (body["truncate"], body["shift"]) == (False, False)

    def test_a_template_that_opens_the_thought_has_the_answer_wait_for_its_end(self, server: OllamaServer) -> None:
        server.serve("deepseek-r1", template="{{ .Prompt }}<|Assistant|><think>\n{{ .Response }}")
        server.reply = lambda _body: "a ver a ver\n</think>\n\nSí, llovió."

        assert "".join(OllamaChat("deepseek-r1", host=server.url).stream(QUESTION, timeout_seconds=5)) == "Sí, llovió."


class TestRemedies:
    def test_a_refusal_is_none(self, server: OllamaServer) -> None:
        server.serve("nomic-embed-text", dimensions=16)
        chat = OllamaChat("nomic-embed-text", host=server.url)

        with pytest.raises(
            ChatError, match=r"status 400.*does not support chat.*`ollama show nomic-embed-text`"
        ) as caught:
            chat.complete(QUESTION, timeout_seconds=5)

        assert not isinstance(caught.value, ChatUnavailableError)

    def test_a_model_that_is_not_there_is_to_be_pulled_and_no_outage(self, server: OllamaServer) -> None:
        with pytest.raises(ChatError, match=r"status 404.*`ollama pull otro`") as caught:
            OllamaChat("otro", host=server.url).complete(QUESTION, timeout_seconds=5)

        assert not isinstance(caught.value, ChatUnavailableError)

    def test_a_stream_of_a_model_that_is_not_there_says_so_too(self, server: OllamaServer) -> None:
        with pytest.raises(ChatError, match="`ollama pull otro`") as caught:
            next(OllamaChat("otro", host=server.url).stream(QUESTION, timeout_seconds=5))

        assert not isinstance(caught.value, ChatUnavailableError)

    def test_a_server_that_is_not_there_is_to_be_started(self) -> None:
        chat = OllamaChat("llama3.2", host="http://127.0.0.1:9")

        with pytest.raises(ChatUnavailableError, match=r"127\.0\.0\.1:9.*`ollama serve`"):
            chat.complete(QUESTION, timeout_seconds=5)

    @pytest.mark.parametrize("kind", ["garbage", "not_an_object"])
    def test_an_answer_of_something_else_is_an_outage(
        self, server: OllamaServer, chat: OllamaChat, kind: FaultKind
    ) -> None:
        server.misbehave(kind, path="/api/chat")

        with pytest.raises(ChatUnavailableError, match=r"no chat answer.*Check that OLLAMA_HOST is an Ollama server"):
            chat.complete(QUESTION, timeout_seconds=5)


class TestBuilding:
    def test_a_name_gives_the_model_of_that_name(self, server: OllamaServer) -> None:
        chat = build_chat("llama3.2", read_settings(ollama_host=server.url))

        assert chat.complete(QUESTION, timeout_seconds=5) == "Respuesta: ¿Llovió ayer?"

    def test_the_package_and_the_engine_load_no_http_client_of_ollama(self) -> None:
        code = "import sys, rag_core.chat, rag_core.runtime.engine; sys.exit(int('ollama' in sys.modules))"

        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

    def test_a_host_that_is_no_address_is_named(self) -> None:
        with pytest.raises(ConfigurationError, match=r"OLLAMA_HOST=.*is no address"):
            build_chat("llama3.2", read_settings(ollama_host="http://[bad"))
