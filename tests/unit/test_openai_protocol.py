"""How addresses, events, answers, lists of models and refusals of OpenAI's protocol are read."""

import pytest
from ollama_server import FaultKind
from openai_server import OpenAIServer
from openai_server import openai_server as openai_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.chat import CHAT_PROVIDERS, build_chat
from rag_core.chat.openai_protocol import (
    MAX_EVENT_BYTES,
    NoAnswerError,
    RefusedError,
    ReplyPart,
    base_address,
    listed_model,
    parse_models,
    parse_part,
    parse_refusal,
    read_events,
)
from rag_core.errors import ConfigurationError
from rag_core.model.addresses import leaves_machine
from rag_core.settings import Settings, read_settings


class TestAddresses:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1"),
            ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1"),
            ("http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1"),
            ("https://openrouter.ai/api", "https://openrouter.ai/api/v1"),
            ("https://example.org/v1beta/openai", "https://example.org/v1beta/openai"),
            ("https://example.org/inference/chat/completions", "https://example.org/inference"),
            (" http://[::1]:1234 ", "http://[::1]:1234/v1"),
        ],
    )
    def test_a_version_is_added_where_the_path_names_none(self, given: str, expected: str) -> None:
        assert base_address(given) == expected

    @pytest.mark.parametrize(
        "given",
        [
            "",
            "127.0.0.1:8080",
            "ftp://a/v1",
            "http://[bad",
            "http://a:99999",
            "http://127.0.0..1:9/v1",
            f"http://{'a' * 64}.com",
            "https://ex….com",
            "https://user:geheim@a/v1",
            "http://a/v1?key=geheim",
        ],
    )
    def test_what_is_no_plain_address_is_refused_unseen(self, given: str) -> None:
        with pytest.raises(ConfigurationError, match="BRAIN_CHAT_URL is no plain http or https address") as caught:
            base_address(given)

        assert "geheim" not in str(caught.value)

    def test_the_provider_needs_one(self) -> None:
        with pytest.raises(ConfigurationError, match="BRAIN_CHAT_PROVIDER=openai needs BRAIN_CHAT_URL"):
            build_chat("gemma", read_settings(chat_provider="openai"))

    @pytest.mark.parametrize(
        ("address", "expected"),
        [
            ("http://127.0.0.1:8080/v1", False),
            ("http://localhost:1234", False),
            ("http://[::1]:8080", False),
            ("127.0.0.1:11434", False),
            ("http://192.168.1.5:8080", True),
            ("https://api.example.org/v1", True),
            ("http://127.0.0.1.example.org", True),
            ("http://127.0.0.1@example.org", True),
            ("http://0.0.0.0:8080", False),
            ("http://[::]:8080", False),
            ("http://[::ffff:127.0.0.1]:8080", False),
            ("http://[::ffff:0.0.0.0]", False),
            ("http://[::ffff:10.0.0.5]", True),
            ("http://localhost.:1234", False),
            ("http://model.localhost", False),
            ("http://notlocalhost", True),
            ("", True),
        ],
    )
    def test_only_this_machine_s_own_addresses_stay_on_it(self, address: str, expected: bool) -> None:
        assert leaves_machine(address) is expected

    @pytest.mark.parametrize(
        ("settings", "address"),
        [
            (read_settings(chat_provider="openai", chat_url="https://example.org"), "https://example.org/v1"),
            (read_settings(ollama_host="http://10.0.0.5:11434"), "http://10.0.0.5:11434"),
        ],
    )
    def test_each_provider_names_the_one_that_texts_are_sent_to(self, settings: Settings, address: str) -> None:
        assert CHAT_PROVIDERS.get(settings.chat_provider).find_address(settings) == address


class TestEvents:
    def test_they_are_the_same_however_the_bytes_fall(self) -> None:
        stream = ': hello\r\n\r\ndata: {"a":\r\ndata: 1}\r\n\r\nid: 7\nevent: error\ndata:ñ\n\n:\n\nerror: x\n\ndata: [DONE]\n\n'
        expected = [("", '{"a":\n1}'), ("error", "ñ"), ("error", "x"), ("", "[DONE]")]

        assert list(read_events([stream.encode()])) == expected
        assert list(read_events(bytes([byte]) for byte in stream.encode())) == expected

    def test_the_last_needs_no_empty_line(self) -> None:
        assert list(read_events([b"data: a\n"])) == [("", "a")]

    def test_one_that_never_ends_is_an_error(self) -> None:
        with pytest.raises(NoAnswerError, match="more than 1,000,000 bytes"):
            list(read_events(b"data: " + b"x" * 1000 for _ in range(MAX_EVENT_BYTES)))

    def test_what_is_not_utf_8_is_an_error(self) -> None:
        with pytest.raises(NoAnswerError, match="not UTF-8"):
            list(read_events([b"data: \xff\n\n"]))


class TestAnswers:
    def test_content_may_be_a_list_of_thoughts_and_texts(self) -> None:
        content = '[{"type": "thinking", "thinking": []}, {"type": "text", "text": "Sí."}]'

        assert parse_part(f'{{"choices": [{{"message": {{"content": {content}}}}}]}}').text == "Sí."

    def test_an_answer_is_known_by_its_parts_joined(self) -> None:
        first, last = ReplyPart(text="a", prompt_tokens=3), ReplyPart(text="b", finish_reason="length")

        assert first.joined(last).joined(ReplyPart()) == ReplyPart(text="ab", finish_reason="length", prompt_tokens=3)

    @pytest.mark.parametrize(
        "given",
        ['{"error": {"message": "no memory"}}', '{"error": "no memory", "choices": []}'],
    )
    def test_an_error_object_of_a_good_status_is_one(self, given: str) -> None:
        with pytest.raises(RefusedError) as caught:
            parse_part(given)

        assert (caught.value.status, caught.value.message) == (None, "no memory")

    @pytest.mark.parametrize("given", ["", "null", "[]", '{"choices": [1]}', '{"choices": null}', "[" * 100_000])
    def test_anything_else_is_no_answer(self, given: str) -> None:
        with pytest.raises(NoAnswerError):
            parse_part(given)


class TestRefusals:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b'{"error": {"message": "m", "code": "c"}}', "m"),
            (b'{"error": "m"}', "m"),
            (b'{"detail": "m"}', "m"),
            (b"m", "m"),
            (b"<html>secret page</html>", "an HTML page"),
            (b"", "no message"),
        ],
    )
    def test_the_message_is_found_in_every_shape(self, content: bytes, message: str) -> None:
        assert parse_refusal(400, content, retry_after=None).message == message

    @pytest.mark.parametrize(("given", "seconds"), [("7", 7.0), ("0.5", 0.5), ("Wed, 21 Oct 2026", None), ("-1", None)])
    def test_retry_after_is_read_in_seconds(self, given: str, seconds: float | None) -> None:
        assert parse_refusal(429, b"", retry_after=given).retry_after_seconds == seconds

    def test_a_parameter_that_was_not_sent_is_not_refused(self) -> None:
        refusal = parse_refusal(400, b'{"error": "temperature is out of range"}', retry_after=None)

        assert refusal.refused_parameter({"temperature": 0}) == "temperature"
        assert refusal.refused_parameter({"max_tokens": 5}) is None

    @pytest.mark.parametrize(
        ("error", "refused"),
        [
            ('{"message": "no", "param": "response_format.json_schema"}', "response_format"),
            ('{"message": "the temperature of the messages", "param": "messages[0].content"}', None),
            ('{"message": "use max_completion_tokens", "param": "max_tokens"}', "max_tokens"),
            ('{"message": "the schema of the database is outdated", "param": null}', None),
            ('{"message": "spelling and programmed grammars"}', None),
            ('{"message": "failed to parse grammar"}', "response_format"),
        ],
    )
    def test_the_parameter_that_the_error_names_comes_before_its_text(self, error: str, refused: str | None) -> None:
        refusal = parse_refusal(400, f'{{"error": {error}}}'.encode(), retry_after=None)

        assert refusal.refused_parameter({"temperature": 0, "response_format": {}, "max_tokens": 5}) == refused


class TestLists:
    def test_the_context_is_found_in_each_server_s_form(self) -> None:
        models = parse_models(
            b'{"data": [{"id": "a", "meta": {"n_ctx": 1}}, {"id": "b", "max_model_len": 2}, {"id": "c", "context_length": 3},'
            b' {"id": "d", "context_length": "4"}]}'
        )

        assert [model.context_tokens for model in models] == [1, 2, 3, None]

    def test_llama_cpp_serves_its_only_model_under_any_name_and_hosts_have_variants(self) -> None:
        only = parse_models(b'{"data": [{"id": "/m.gguf", "owned_by": "llamacpp"}]}')
        hosted = parse_models(b'{"data": [{"id": "x/y", "owned_by": "z"}]}')

        assert listed_model(only, "local") is only[0]
        assert listed_model(hosted, "x/y:free") is hosted[0]
        assert listed_model(hosted, "local") is None

    def test_a_model_outside_the_list_is_a_fault(self, openai_server: OpenAIServer) -> None:
        openai_server.owner = "vllm"
        openai_server.serve("gemma")

        assert fault(openai_server, "gemma") is None
        assert "otro is not among the models of" in (fault(openai_server, "otro") or "")

    @pytest.mark.parametrize(
        ("kind", "status", "has_fault"),
        [("status", 404, False), ("status", 500, True), ("garbage", 0, True), ("drop", 0, True)],
    )
    def test_a_server_without_a_list_is_believed_and_one_that_fails_is_not(
        self, openai_server: OpenAIServer, kind: FaultKind, status: int, has_fault: bool
    ) -> None:
        openai_server.misbehave(kind, path="/v1/models", status=status)

        assert (fault(openai_server, "gemma") is not None) is has_fault


def fault(server: OpenAIServer, name: str) -> str | None:
    return CHAT_PROVIDERS.get("openai").find_fault(name, read_settings(chat_provider="openai", chat_url=server.url), 2)
