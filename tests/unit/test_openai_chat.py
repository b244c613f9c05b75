"""What is OpenAI's own of the protocol; what both protocols have is in ``test_chat_answers`` and ``test_chat_streaming``."""

import logging
import threading
import time

import pytest
from ollama_server import FaultKind
from openai_server import OpenAIServer
from openai_server import openai_server as openai_server  # noqa: PLC0414 - a fixture, re-exported to pytest
from pydantic import SecretStr

from rag_core.chat import Message, build_chat
from rag_core.chat.providers.openai import OpenAIChat
from rag_core.errors import (
    ChatCancelledError,
    ChatError,
    ChatUnavailableError,
    ConfigurationError,
    PromptTooLongError,
)
from rag_core.resilience.cancellation import Cancellation
from rag_core.settings import read_settings

QUESTION = [Message(role="user", content="¿Llovió ayer?")]
ANSWER = "Sí, llovió toda la tarde en el huerto."
SCHEMA = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}
KEY = "sk-planted-4711"


@pytest.fixture
def server(openai_server: OpenAIServer) -> OpenAIServer:
    openai_server.serve("gemma")
    openai_server.reply = lambda _body: ANSWER
    return openai_server


@pytest.fixture
def chat(server: OpenAIServer) -> OpenAIChat:
    return OpenAIChat("gemma", url=server.url)


def asked(server: OpenAIServer) -> list[dict]:
    return server.bodies("/v1/chat/completions")


class TestRequests:
    def test_a_stream_is_asked_for_with_its_usage(self, server: OpenAIServer, chat: OpenAIChat) -> None:
        list(chat.stream(QUESTION, timeout_seconds=5, temperature=0.3, max_tokens=3))

        (body,) = asked(server)
        assert body == {
            "model": "gemma",
            "messages": [{"role": "user", "content": "¿Llovió ayer?"}],
            "stream": True,
            "temperature": 0.3,
            "max_tokens": 3,
            "stream_options": {"include_usage": True},
            "chat_template_kwargs": {"enable_thinking": False},
        }

    def test_only_servers_known_to_take_them_get_arguments_of_the_template(
        self, server: OpenAIServer, chat: OpenAIChat
    ) -> None:
        server.owner = "openai"

        chat.complete(QUESTION, timeout_seconds=5)

        assert "chat_template_kwargs" not in asked(server)[0]

    def test_json_is_asked_for_by_its_schema(self, server: OpenAIServer, chat: OpenAIChat) -> None:
        chat.complete(QUESTION, timeout_seconds=5, schema=SCHEMA)

        (body,) = asked(server)
        assert body["response_format"] == {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}
        assert body["messages"][-1]["content"] == "¿Llovió ayer?"

    def test_a_server_without_response_format_is_told_the_schema_in_words(
        self, server: OpenAIServer, chat: OpenAIChat
    ) -> None:
        server.refused_parameters = {"response_format": "This response_format type is unavailable now"}

        for _ in range(2):
            assert chat.complete(QUESTION, timeout_seconds=5, schema=SCHEMA) == ANSWER

        refused, *others = asked(server)
        assert "response_format" in refused
        assert len(others) == 2
        for body in others:
            assert "response_format" not in body
            assert body["messages"][-1]["content"].endswith('"required": ["score"]}')

    @pytest.mark.parametrize(
        ("parameter", "message"),
        [
            ("temperature", "Unsupported value: 'temperature' does not support 0.0 with this model."),
            ("stream_options", '[{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]'),
            ("chat_template_kwargs", "Unrecognized request argument supplied: chat_template_kwargs"),
        ],
    )
    def test_a_parameter_that_the_server_refuses_is_left_out_from_then_on(
        self, server: OpenAIServer, chat: OpenAIChat, parameter: str, message: str
    ) -> None:
        server.refused_parameters = {parameter: message}

        for _ in range(2):
            assert "".join(chat.stream(QUESTION, timeout_seconds=5)) == ANSWER

        assert [parameter in body for body in asked(server)] == [True, False, False]

    def test_a_parameter_is_sent_again_where_the_request_failed_without_it_too(
        self, server: OpenAIServer, chat: OpenAIChat
    ) -> None:
        server.refused_parameters = {
            "temperature": "temperature sensors are too hot",
            "messages": "Too hot still",
        }

        for _ in range(2):
            with pytest.raises(ChatError, match="Too hot still"):
                chat.complete(QUESTION, timeout_seconds=5)

        assert ["temperature" in body for body in asked(server)] == [True, False, True, False]

    def test_a_limit_of_tokens_has_another_name_for_reasoning_models(
        self, server: OpenAIServer, chat: OpenAIChat
    ) -> None:
        server.refused_parameters = {
            "max_tokens": "Unsupported parameter: use 'max_completion_tokens', not 'max_tokens'."
        }

        assert chat.complete(QUESTION, timeout_seconds=5, max_tokens=2) == "Sí, llovió"

        assert asked(server)[-1]["max_completion_tokens"] == 2


class TestStreams:
    @pytest.mark.parametrize("line_end", ["\n", "\r\n"])
    def test_comments_and_line_ends_of_both_kinds_are_read(
        self, server: OpenAIServer, chat: OpenAIChat, line_end: str
    ) -> None:
        server.line_end, server.has_comments = line_end, True

        assert "".join(chat.stream(QUESTION, timeout_seconds=5)) == ANSWER

    def test_a_separator_of_lines_inside_json_ends_no_line(self, server: OpenAIServer, chat: OpenAIChat) -> None:
        server.is_ascii = False
        server.reply = lambda _body: "uno\u2028dos\x85tres"

        assert "".join(chat.stream(QUESTION, timeout_seconds=5)) == "uno\u2028dos\ntres"

    @pytest.mark.parametrize(("has_done", "has_reason"), [(False, True), (True, False)])
    def test_the_end_is_told_by_a_reason_or_by_done(
        self, server: OpenAIServer, chat: OpenAIChat, has_done: bool, has_reason: bool
    ) -> None:
        server.has_done, server.has_finish_reason = has_done, has_reason

        assert "".join(chat.stream(QUESTION, timeout_seconds=5)) == ANSWER

    def test_a_server_that_answers_at_once_gives_one_bit(self, server: OpenAIServer, chat: OpenAIChat) -> None:
        server.is_always_whole = True

        assert list(chat.stream(QUESTION, timeout_seconds=5)) == [ANSWER]

    def test_a_prompt_found_too_long_in_the_middle_is_too_long(self, server: OpenAIServer, chat: OpenAIChat) -> None:
        message = "Trying to keep 6051 tokens, but the model is loaded with context length of only 4096 tokens"
        server.misbehave("error_midway", path=server.chat_path, message=message)

        with pytest.raises(PromptTooLongError, match="finds the messages too long: Trying to keep"):
            list(chat.stream(QUESTION, timeout_seconds=5))


class TestThoughts:
    def test_reasoning_is_not_the_answer(self, server: OpenAIServer, chat: OpenAIChat) -> None:
        server.thoughts = "Veamos. Llovió."

        assert chat.complete(QUESTION, timeout_seconds=5) == ANSWER
        assert "".join(chat.stream(QUESTION, timeout_seconds=5)) == ANSWER

    def test_reasoning_alone_is_an_error_that_says_so(self, server: OpenAIServer, chat: OpenAIChat) -> None:
        server.thoughts, server.reply = "Veamos.", lambda _body: ""

        with pytest.raises(ChatError, match="spent its answer on reasoning"):
            list(chat.stream(QUESTION, timeout_seconds=5, max_tokens=1))

    def test_an_unmarked_thought_is_an_error_once_and_held_back_then(
        self, server: OpenAIServer, chat: OpenAIChat
    ) -> None:
        server.reply = lambda _body: "a ver a ver\n</think>\n\nSí, llovió."

        with pytest.raises(ChatError, match="began its answer with its thoughts"):
            list(chat.stream(QUESTION, timeout_seconds=5))

        assert "".join(chat.stream(QUESTION, timeout_seconds=5)) == "Sí, llovió."


class TestKey:
    def test_it_is_sent_and_stands_in_no_message_representation_or_log(
        self, server: OpenAIServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        server.api_key = KEY
        settings = read_settings(chat_provider="openai", chat_url=server.url, chat_api_key=SecretStr(f" {KEY}\n"))
        chat = build_chat("gemma", settings)

        assert chat.complete(QUESTION, timeout_seconds=5) == ANSWER
        server.misbehave("status", path=server.chat_path, status=400, message=f"bad request by {KEY}")
        with pytest.raises(ChatError, match="bad request by …") as caught:
            chat.complete(QUESTION, timeout_seconds=5)

        assert KEY not in f"{caught.value} {settings!r} {chat!r} {vars(chat)} {caplog.text}"

    @pytest.mark.parametrize(("key", "found"), [("sk-other-1234", "does not accept the key"), (None, "wants a key")])
    def test_one_that_is_not_accepted_is_told_without_the_server_s_words(
        self, server: OpenAIServer, key: str | None, found: str
    ) -> None:
        server.api_key = KEY
        chat = OpenAIChat("gemma", url=server.url, api_key=SecretStr(key) if key else None)

        with pytest.raises(ChatError, match=rf"status 401: it {found}\. Set BRAIN_CHAT_API_KEY") as caught:
            next(chat.stream(QUESTION, timeout_seconds=5))

        assert not isinstance(caught.value, ChatUnavailableError)
        assert "Incorrect" not in str(caught.value)
        assert "BRAIN_CHAT_API_KEY" in (chat.find_fault(timeout_seconds=2) or "")

    def test_one_that_cannot_stand_in_a_header_is_refused_unseen(self) -> None:
        with pytest.raises(ConfigurationError, match="BRAIN_CHAT_API_KEY has characters") as caught:
            OpenAIChat("gemma", url="http://127.0.0.1:9", api_key=SecretStr("clave\nñ"))

        assert "clave" not in str(caught.value)

    def test_a_redirect_does_not_get_it(self, server: OpenAIServer) -> None:
        server.headers = {"Location": f"{server.url}/elsewhere"}
        server.misbehave("status", path=server.chat_path, status=307)

        with pytest.raises(ChatError, match="status 307, a redirect, which is not followed"):
            OpenAIChat("gemma", url=server.url, api_key=SecretStr(KEY)).complete(QUESTION, timeout_seconds=5)

        assert "/elsewhere" not in [request.path for request in server.requests]


class TestBusyServers:
    @pytest.mark.parametrize("status", [429, 503])
    def test_are_asked_again_after_the_time_they_name(
        self, server: OpenAIServer, chat: OpenAIChat, status: int
    ) -> None:
        server.headers = {"Retry-After": "0.2"}
        server.misbehave("status", path=server.chat_path, status=status, times=2, message="busy")
        began = time.monotonic()

        assert "".join(chat.stream(QUESTION, timeout_seconds=20)) == ANSWER

        assert time.monotonic() - began > 0.4
        assert len(asked(server)) == 3

    def test_are_not_waited_for_beyond_the_caller_s_time(self, server: OpenAIServer, chat: OpenAIChat) -> None:
        server.headers = {"Retry-After": "60"}
        server.misbehave("status", path=server.chat_path, status=429, message="slow down")
        began = time.monotonic()

        with pytest.raises(ChatUnavailableError, match=r"status 429: slow down\. Ask again later"):
            chat.complete(QUESTION, timeout_seconds=30)

        assert time.monotonic() - began < 10
        assert len(asked(server)) == 1

    def test_are_not_asked_again_for_a_quota_that_is_spent(self, server: OpenAIServer, chat: OpenAIChat) -> None:
        server.misbehave("status", path=server.chat_path, status=429, message="insufficient_quota: you have none left")

        with pytest.raises(ChatError, match="status 429"):
            chat.complete(QUESTION, timeout_seconds=30)

        assert len(asked(server)) == 1

    def test_a_cancellation_ends_the_pause(self, server: OpenAIServer, chat: OpenAIChat) -> None:
        server.headers = {"Retry-After": "50"}
        server.misbehave("status", path=server.chat_path, status=503, message="Loading model")
        cancellation = Cancellation()
        threading.Timer(0.5, cancellation.cancel).start()
        began = time.monotonic()

        with pytest.raises(ChatCancelledError):
            list(chat.stream(QUESTION, timeout_seconds=60, cancellation=cancellation))

        assert time.monotonic() - began < 10


class TestRefusals:
    @pytest.mark.parametrize(
        ("status", "message"),
        [
            (404, "The model `gemma` does not exist or you do not have access to it."),
            (400, "Model Not Exist"),
            (400, "Invalid model: gemma"),
            (404, "No models loaded. Please load a model in the developer page."),
        ],
    )
    def test_a_model_that_the_server_lacks_is_to_be_chosen(
        self, server: OpenAIServer, chat: OpenAIChat, status: int, message: str
    ) -> None:
        server.misbehave("status", path=server.chat_path, status=status, message=message)

        with pytest.raises(ChatError, match=r"Set BRAIN_CHAT_MODEL to a model of the server; .*/v1/models lists them"):
            chat.complete(QUESTION, timeout_seconds=5)

    def test_an_address_that_is_wrong_is_to_be_checked(self, server: OpenAIServer) -> None:
        with pytest.raises(ChatError, match=r"status 404: File Not Found\. Check BRAIN_CHAT_URL"):
            OpenAIChat("gemma", url=f"{server.url}/other/v1").complete(QUESTION, timeout_seconds=5)

    @pytest.mark.parametrize(
        "message",
        [
            "request (8024 tokens) exceeds the available context size (2048 tokens), try increasing it",
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
            "'max_tokens' is too large: 600. This model's maximum context length is 4096 tokens",
            "prompt is too long: 210000 tokens > 200000 maximum",
            "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
            "context_length_exceeded",
        ],
    )
    def test_a_prompt_is_too_long_in_every_server_s_words(
        self, server: OpenAIServer, chat: OpenAIChat, message: str
    ) -> None:
        server.misbehave("status", path=server.chat_path, status=400, message=message)

        with pytest.raises(PromptTooLongError):
            chat.complete(QUESTION, timeout_seconds=5, max_tokens=600)

    @pytest.mark.parametrize("kind", ["garbage", "not_an_object"])
    def test_what_is_no_answer_is_named_and_not_shown(
        self, server: OpenAIServer, chat: OpenAIChat, kind: FaultKind
    ) -> None:
        server.misbehave(kind, path=server.chat_path)

        with pytest.raises(ChatUnavailableError, match=r"no chat answer: (an HTML page|JSON of another shape)"):
            list(chat.stream(QUESTION, timeout_seconds=5))
