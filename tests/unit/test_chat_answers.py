"""Answers of a chat model at once, in both protocols, by a real HTTP server that can misbehave."""

import pytest
from ollama_server import FaultKind, OllamaServer
from openai_server import chat_on
from openai_server import chat_server as chat_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.chat import ChatModel, Message
from rag_core.errors import ChatError, ChatUnavailableError

QUESTION = [Message(role="system", content="Responde en español."), Message(role="user", content="¿Llovió ayer?")]
SCHEMA = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}


@pytest.fixture
def server(chat_server: OllamaServer) -> OllamaServer:
    chat_server.serve("llama3.2")
    return chat_server


@pytest.fixture
def chat(server: OllamaServer) -> ChatModel:
    return chat_on(server, "llama3.2")


class TestAnswers:
    def test_the_text_comes_back_without_white_space_around_it(self, server: OllamaServer, chat: ChatModel) -> None:
        server.reply = lambda _body: "\n Sí, llovió.\n"

        assert chat.complete(QUESTION, timeout_seconds=5) == "Sí, llovió."

    def test_the_messages_are_sent_in_order_with_their_roles(self, server: OllamaServer, chat: ChatModel) -> None:
        chat.complete(QUESTION, timeout_seconds=5)

        assert server.bodies(server.chat_path)[0]["messages"] == [
            {"role": "system", "content": "Responde en español."},
            {"role": "user", "content": "¿Llovió ayer?"},
        ]

    @pytest.mark.parametrize(
        ("reply", "expected"),
        [
            ("<think>Veamos.\n\nLlovió.</think>\n\nSí.", "Sí."),
            ("\n<think></think>Sí.", "Sí."),
            ("Veamos: llovió.\n</think>\n\nSí.", "Sí."),
            ("Se escribe <think> y </think> así.", "Se escribe <think> y </think> así."),
            ("Sí.\n<think>", "Sí.\n<think>"),
            ("Veamos.\r\n \t</think> \r\nSí.", "Sí."),
            ("\n" * 200_000 + "Sí.", "Sí."),
            ("Veamos.\n" * 50_000 + "\n" * 200_000 + "</think>\nSí.", "Sí."),
        ],
    )
    def test_what_the_model_thought_aloud_is_left_out(
        self, server: OllamaServer, chat: ChatModel, reply: str, expected: str
    ) -> None:
        server.reply = lambda _body: reply

        assert chat.complete(QUESTION, timeout_seconds=5) == expected

    @pytest.mark.parametrize(
        "reply",
        [
            '{"score": 0.5}',
            '```json\n{"score": 0.5}\n```',
            '```\n{"score": 0.5}\n```\n',
            '<think>a</think>{"score": 0.5}',
            "```json \n" + "\n" * 100_000 + '{"score": 0.5}' + "\n" * 100_000 + "\t```",
        ],
    )
    def test_json_comes_without_a_fence_around_it(self, server: OllamaServer, chat: ChatModel, reply: str) -> None:
        server.reply = lambda _body: reply

        assert chat.complete(QUESTION, timeout_seconds=5, schema=SCHEMA) == '{"score": 0.5}'

    def test_a_fence_that_is_not_closed_is_no_fence(self, server: OllamaServer, chat: ChatModel) -> None:
        server.reply = lambda _body: "```json" + "\n" * 100_000 + "x"

        assert chat.complete(QUESTION, timeout_seconds=5, schema=SCHEMA).startswith("```json\n")

    def test_a_tag_inside_json_ends_no_thought(self, server: OllamaServer, chat: ChatModel) -> None:
        server.reply = lambda _body: '{"a": "\n</think>\n"}'

        assert chat.complete(QUESTION, timeout_seconds=5, schema=SCHEMA) == '{"a": "\n</think>\n"}'


class TestLength:
    def test_a_text_ends_where_the_caller_wants_it_to(self, server: OllamaServer, chat: ChatModel) -> None:
        server.reply = lambda _body: "uno dos tres cuatro"

        assert chat.complete(QUESTION, timeout_seconds=5, max_tokens=2) == "uno dos"

    def test_json_that_is_cut_is_an_error(self, server: OllamaServer, chat: ChatModel) -> None:
        server.reply = lambda _body: '{"score": 0.5, "why": "porque sí"}'

        with pytest.raises(ChatError, match="stopped in the middle of its answer, after 2 tokens"):
            chat.complete(QUESTION, timeout_seconds=5, schema=SCHEMA, max_tokens=2)

    def test_thoughts_that_take_all_the_tokens_leave_an_empty_answer(
        self, server: OllamaServer, chat: ChatModel
    ) -> None:
        server.reply = lambda _body: "<think>a ver a ver a ver</think> Sí."

        with pytest.raises(ChatError, match="gave an empty answer"):
            chat.complete(QUESTION, timeout_seconds=5, max_tokens=3)

    def test_messages_longer_than_the_context_are_refused_before_the_server_cuts_them(
        self, server: OllamaServer
    ) -> None:
        chat = chat_on(server, "llama3.2", context_tokens=100)

        with pytest.raises(ChatError, match=r"by estimate 135 tokens, and 50 are left .* at most 100 together"):
            chat.complete([Message(role="user", content="x" * 400)], timeout_seconds=5, max_tokens=50)

        assert server.bodies(server.chat_path) == []


class TestFailures:
    @pytest.mark.parametrize("kind", ["drop", "truncate"])
    def test_a_lost_connection_is_an_outage_and_not_tried_again(
        self, server: OllamaServer, chat: ChatModel, kind: FaultKind
    ) -> None:
        server.misbehave(kind, path=server.chat_path)

        with pytest.raises(ChatUnavailableError, match="broke off"):
            chat.complete(QUESTION, timeout_seconds=5)

        assert len(server.bodies(server.chat_path)) == 1

    @pytest.mark.parametrize("kind", ["garbage", "not_an_object"])
    def test_an_answer_of_something_else_is_an_outage(
        self, server: OllamaServer, chat: ChatModel, kind: FaultKind
    ) -> None:
        server.misbehave(kind, path=server.chat_path)

        with pytest.raises(
            ChatUnavailableError, match=r"no chat answer.*Check that (OLLAMA_HOST|BRAIN_CHAT_URL) is an? "
        ):
            chat.complete(QUESTION, timeout_seconds=5)

    def test_a_failing_server_is_an_outage(self, server: OllamaServer, chat: ChatModel) -> None:
        server.misbehave("status", path=server.chat_path, status=500, message="llama runner process has terminated")

        with pytest.raises(ChatUnavailableError, match="status 500: llama runner process has terminated"):
            chat.complete(QUESTION, timeout_seconds=5)

    def test_a_refusal_is_no_outage(self, server: OllamaServer) -> None:
        server.serve("nomic-embed-text", dimensions=16)

        with pytest.raises(ChatError, match=r"status 400.*does not support chat") as caught:
            chat_on(server, "nomic-embed-text").complete(QUESTION, timeout_seconds=5)

        assert not isinstance(caught.value, ChatUnavailableError)

    def test_a_model_that_is_not_there_is_no_outage(self, server: OllamaServer) -> None:
        with pytest.raises(ChatError, match="status 404") as caught:
            next(chat_on(server, "otro").stream(QUESTION, timeout_seconds=5))

        assert not isinstance(caught.value, ChatUnavailableError)

    @pytest.mark.parametrize("reply", ["", " \n", "<think>a ver</think>\n"])
    def test_an_empty_answer_is_an_error(self, server: OllamaServer, chat: ChatModel, reply: str) -> None:
        server.reply = lambda _body: reply

        with pytest.raises(ChatError, match="gave an empty answer"):
            chat.complete(QUESTION, timeout_seconds=5)

    def test_a_stalled_server_has_the_callers_time(self, server: OllamaServer, chat: ChatModel) -> None:
        server.misbehave("stall", path=server.chat_path, seconds=30)

        with pytest.raises(ChatError, match=r"did not answer within 0\.2 s"):
            chat.complete(QUESTION, timeout_seconds=0.2)

    @pytest.mark.parametrize(("seconds", "is_outage"), [(0.2, False), (1.0, True)])
    def test_a_time_out_is_an_outage_when_the_call_had_a_second(
        self, server: OllamaServer, chat: ChatModel, seconds: float, is_outage: bool
    ) -> None:
        server.misbehave("stall", path=server.chat_path, seconds=30)

        with pytest.raises(ChatError) as caught:
            chat.complete(QUESTION, timeout_seconds=seconds)

        assert isinstance(caught.value, ChatUnavailableError) is is_outage

    def test_no_caller_has_more_time_than_the_model(self, server: OllamaServer) -> None:
        server.misbehave("stall", path=server.chat_path, seconds=30)

        with pytest.raises(ChatError, match=r"did not answer within 0\.2 s"):
            chat_on(server, "llama3.2", timeout_seconds=0.2).complete(QUESTION, timeout_seconds=600)
