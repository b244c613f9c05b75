"""The embedder of an Ollama server, against a real HTTP server that can misbehave."""

from collections.abc import Iterator
from dataclasses import replace

import httpx
import numpy as np
import pytest
import stamina
from builders import make_embedding_model
from ollama import Client
from ollama_answers import embed_text
from ollama_server import FaultKind, OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.chat.ollama_client import open_client
from rag_core.embedding import build_embedder
from rag_core.embedding.providers.ollama import OllamaEmbedder
from rag_core.errors import ConfigurationError, EmbeddingError, EmbeddingUnavailableError
from rag_core.resilience.call_time import call_time
from rag_core.settings import read_settings

NOMIC = make_embedding_model(
    id=7,
    name="nomic-embed-text",
    provider="ollama",
    version="1.5",
    dimensions=16,
    query_prefix="search_query: ",
    document_prefix="search_document: ",
    similarity_threshold=0.5,
    semantic_weight=0.5,
    fulltext_weight=0.5,
    state="candidate",
)


def limited(request: httpx.Request) -> dict[str, float]:
    (hook,) = open_client("http://127.0.0.1:9")._client.event_hooks["request"]
    hook(request)
    return request.extensions["timeout"]


@pytest.fixture(autouse=True)
def _no_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


@pytest.fixture
def server(ollama_server: OllamaServer) -> OllamaServer:
    ollama_server.serve("nomic-embed-text", dimensions=16)
    return ollama_server


@pytest.fixture
def embedder(server: OllamaServer) -> OllamaEmbedder:
    return OllamaEmbedder(NOMIC, host=server.url, timeout_seconds=5)


class TestVectors:
    def test_each_text_gets_the_servers_vector_as_float32(self, embedder: OllamaEmbedder) -> None:
        vectors = embedder.embed(["la acequia", "el arroz"], role="document")

        expected = [
            embed_text(f"search_document: {text}", model="nomic-embed-text", dimensions=16)
            for text in ("la acequia", "el arroz")
        ]
        assert vectors.dtype == np.float32
        assert vectors == pytest.approx(np.array(expected), abs=1e-6)

    def test_no_texts_give_no_rows_and_ask_nobody(self, server: OllamaServer, embedder: OllamaEmbedder) -> None:
        vectors = embedder.embed([], role="document")

        assert vectors.shape == (0, 16)
        assert server.requests == []

    def test_the_prefix_is_that_of_the_role(self, server: OllamaServer, embedder: OllamaEmbedder) -> None:
        embedder.embed(["riego"], role="query")
        embedder.embed(["riego"], role="document")

        sent = [body["input"] for body in server.bodies("/api/embed")]
        assert sent == [["search_query: riego"], ["search_document: riego"]]

    def test_many_texts_are_asked_in_batches_and_come_back_in_order(self, server: OllamaServer) -> None:
        embedder = OllamaEmbedder(NOMIC, host=server.url, batch_size=2)
        texts = ["uno", "dos", "tres", "cuatro", "cinco"]

        together = embedder.embed(texts, role="document")

        assert [len(body["input"]) for body in server.bodies("/api/embed")] == [2, 2, 1]
        alone = np.concatenate([embedder.embed([text], role="document") for text in texts])
        assert np.array_equal(together, alone)

    def test_a_matryoshka_model_keeps_its_first_dimensions_at_length_one(self, server: OllamaServer) -> None:
        model = replace(NOMIC, dimensions=4, version="mrl-16")

        vector = OllamaEmbedder(model, host=server.url).embed(["riego"], role="document")[0]

        whole = np.array(embed_text("search_document: riego", model=model.name, dimensions=16))
        assert vector == pytest.approx(whole[:4] / np.linalg.norm(whole[:4]), abs=1e-6)

    def test_the_registry_builds_it(self, server: OllamaServer) -> None:
        embedder = build_embedder(NOMIC, settings=read_settings(ollama_host=server.url))

        assert (embedder.name, embedder.dimensions) == ("nomic-embed-text", 16)
        assert embedder.embed(["riego"], role="query").shape == (1, 16)


class TestLength:
    def test_nothing_may_be_truncated_and_the_registered_context_is_asked_for(
        self, server: OllamaServer, embedder: OllamaEmbedder
    ) -> None:
        embedder.embed(["riego"], role="query")

        (body,) = server.bodies("/api/embed")
        assert body["truncate"] is False
        assert body["options"] == {"num_ctx": 8192}

    def test_a_text_longer_than_the_context_is_an_error_with_tokens_and_remedy(self, server: OllamaServer) -> None:
        embedder = OllamaEmbedder(replace(NOMIC, context_tokens=20), host=server.url)

        with pytest.raises(EmbeddingError) as caught:
            embedder.embed(["corto", "largo " * 40], role="query")

        assert "the input length exceeds the context length" in str(caught.value)
        assert "254 characters, by estimate 64 tokens" in str(caught.value)
        assert "'search_query: largo largo" in str(caught.value)
        assert "at most the 20 tokens" in str(caught.value)
        assert "chunking.maxChunkSize" not in str(caught.value)  # no configuration can change it
        assert "Take a model with a longer context" in str(caught.value)

    def test_a_text_that_only_the_estimate_finds_too_long_is_embedded(self, server: OllamaServer) -> None:
        embedder = OllamaEmbedder(replace(NOMIC, context_tokens=20), host=server.url)

        vectors = embedder.embed(["x" * 400], role="query")

        assert vectors.shape == (1, 16)


@pytest.mark.parametrize("text", ["", "  \n\t"])
def test_a_blank_text_is_refused_before_the_server_is_asked(
    server: OllamaServer, embedder: OllamaEmbedder, text: str
) -> None:
    with pytest.raises(EmbeddingError, match="text 2 of 2 is blank"):
        embedder.embed(["riego", text], role="document")

    assert server.requests == []


class TestRetries:
    @pytest.mark.parametrize("kind", ["status", "drop", "truncate"])
    def test_a_passing_failure_is_tried_again(
        self, server: OllamaServer, embedder: OllamaEmbedder, kind: FaultKind
    ) -> None:
        server.misbehave(kind, times=2)

        vectors = embedder.embed(["riego"], role="query")

        assert vectors.shape == (1, 16)
        assert len(server.bodies("/api/embed")) == 3

    def test_a_lasting_failure_ends_after_three_attempts(self, server: OllamaServer, embedder: OllamaEmbedder) -> None:
        server.misbehave("status", status=503, message="server busy")

        with pytest.raises(EmbeddingError, match="status 503: server busy"):
            embedder.embed(["riego"], role="query")

        assert len(server.bodies("/api/embed")) == 3

    @pytest.mark.parametrize("status", [400, 404, 429])
    def test_a_refusal_is_not_tried_again(self, server: OllamaServer, embedder: OllamaEmbedder, status: int) -> None:
        server.misbehave("status", status=status, message="no")

        with pytest.raises(EmbeddingError, match=f"status {status}: no"):
            embedder.embed(["riego"], role="query")

        assert len(server.bodies("/api/embed")) == 1

    @pytest.mark.parametrize("kind", ["garbage", "not_an_object", "nan", "wrong_dimensions"])
    def test_a_wrong_answer_is_not_tried_again(
        self, server: OllamaServer, embedder: OllamaEmbedder, kind: FaultKind
    ) -> None:
        server.misbehave(kind)

        with pytest.raises(EmbeddingError):
            embedder.embed(["riego"], role="query")

        assert len(server.bodies("/api/embed")) == 1

    def test_a_time_out_is_not_tried_again(self, server: OllamaServer) -> None:
        embedder = OllamaEmbedder(NOMIC, host=server.url, timeout_seconds=0.3)
        server.misbehave("stall", seconds=30)

        with pytest.raises(EmbeddingError, match=r"did not answer within 0\.3 s"):
            embedder.embed(["riego"], role="query")

        assert len(server.bodies("/api/embed")) == 1

    def test_a_request_has_what_is_left_of_the_time(self) -> None:
        with call_time(10):
            early = limited(httpx.Request("POST", "http://127.0.0.1:9/api/embed"))

        assert 9 < early["read"] <= 10
        assert early["connect"] == 5

    def test_a_request_without_any_time_left_is_not_made(self) -> None:
        with pytest.raises(httpx.ReadTimeout), call_time(0):
            limited(httpx.Request("POST", "http://127.0.0.1:9/api/embed"))


class TestWrongAnswers:
    @pytest.mark.parametrize(
        ("kind", "found"),
        [
            ("garbage", "answered something that is no list of vectors"),
            ("not_an_object", "answered something that is no list of vectors"),
            ("null", "answered something that is no list of vectors"),
            ("too_few_vectors", "gave 1 vectors for 2 texts"),
            ("too_many_vectors", "gave 3 vectors for 2 texts"),
            ("wrong_dimensions", "gave a vector of 15 dimensions; expected 16"),
            ("nan", "zero or not finite for text 2 of 2"),
            ("zero", "zero or not finite for text 2 of 2"),
        ],
    )
    def test_an_answer_that_is_not_one_good_vector_a_text_is_an_error(
        self, server: OllamaServer, embedder: OllamaEmbedder, kind: FaultKind, found: str
    ) -> None:
        server.misbehave(kind)

        with pytest.raises(EmbeddingError, match=found) as caught:
            embedder.embed(["uno", "dos"], role="document")

        assert f"Ollama at {server.url}, model nomic-embed-text," in str(caught.value)

    def test_more_dimensions_than_registered_are_not_cut_off_in_silence(self, server: OllamaServer) -> None:
        embedder = OllamaEmbedder(replace(NOMIC, dimensions=4), host=server.url)

        with pytest.raises(EmbeddingError, match=r"16 dimensions; expected 4.*version mrl-16"):
            embedder.embed(["riego"], role="query")

    def test_an_error_that_is_not_json_is_shown(self, server: OllamaServer, embedder: OllamaEmbedder) -> None:
        server.misbehave("status", status=400, message="<html>bad gateway</html>")

        with pytest.raises(EmbeddingError, match="<html>bad gateway</html>"):
            embedder.embed(["riego"], role="query")


class TestRemedies:
    def test_a_model_the_server_lacks_is_to_be_pulled(self, ollama_server: OllamaServer) -> None:
        embedder = OllamaEmbedder(NOMIC, host=ollama_server.url)

        with pytest.raises(EmbeddingError) as caught:
            embedder.embed(["riego"], role="query")

        assert 'model "nomic-embed-text" not found, try pulling it first' in str(caught.value)
        assert "`ollama pull nomic-embed-text`" in str(caught.value)

    def test_a_server_that_is_not_there_is_to_be_started(self) -> None:
        embedder = OllamaEmbedder(NOMIC, host="http://127.0.0.1:9")

        with pytest.raises(EmbeddingError, match=r"127\.0\.0\.1:9.*`ollama serve`"):
            embedder.embed(["riego"], role="query")

    @pytest.mark.parametrize("host", ["http://[bad", "http://localhost:99999"])
    def test_a_host_that_is_no_address_is_named_when_the_embedder_is_made(self, host: str) -> None:
        with pytest.raises(ConfigurationError, match=r"OLLAMA_HOST=.*is no address"):
            OllamaEmbedder(NOMIC, host=host)

    def test_a_matryoshka_version_with_too_few_dimensions_is_refused(self, server: OllamaServer) -> None:
        with pytest.raises(EmbeddingError, match="gives 8 dimensions; expected at least the 16"):
            OllamaEmbedder(replace(NOMIC, version="mrl-8"), host=server.url)


class TestOutages:
    """An outage is told from a refusal, because a circuit breaker counts only the one."""

    @pytest.mark.parametrize("kind", ["status", "drop", "truncate", "garbage", "not_an_object"])
    def test_a_server_that_fails_is_one(self, server: OllamaServer, embedder: OllamaEmbedder, kind: FaultKind) -> None:
        server.misbehave(kind)

        with pytest.raises(EmbeddingUnavailableError):
            embedder.embed(["riego"], role="query")

    def test_a_server_that_is_not_there_is_one(self) -> None:
        with pytest.raises(EmbeddingUnavailableError):
            OllamaEmbedder(NOMIC, host="http://127.0.0.1:9").embed(["riego"], role="query")

    @pytest.mark.parametrize(("seconds", "is_outage"), [(0.2, False), (1.0, True)])
    def test_a_time_out_is_one_when_the_call_had_a_second(
        self, server: OllamaServer, seconds: float, is_outage: bool
    ) -> None:
        server.misbehave("stall", seconds=30)

        with pytest.raises(EmbeddingError) as caught:
            OllamaEmbedder(NOMIC, host=server.url, timeout_seconds=seconds).embed(["riego"], role="query")

        assert isinstance(caught.value, EmbeddingUnavailableError) is is_outage

    @pytest.mark.parametrize(("status", "is_outage"), [(400, False), (404, False), (429, True), (503, True)])
    def test_a_status_is_one_when_the_server_has_too_much_to_do(
        self, server: OllamaServer, embedder: OllamaEmbedder, status: int, is_outage: bool
    ) -> None:
        server.misbehave("status", status=status)

        with pytest.raises(EmbeddingError) as caught:
            embedder.embed(["riego"], role="query")

        assert isinstance(caught.value, EmbeddingUnavailableError) is is_outage


def test_the_model_is_asked_to_stay_in_memory(server: OllamaServer, embedder: OllamaEmbedder) -> None:
    embedder.embed(["riego"], role="query")

    assert server.bodies("/api/embed")[0]["keep_alive"] == "30m"


class TestStandIn:
    """The stand-in itself, through the real client."""

    def test_it_lists_and_shows_its_models(self, server: OllamaServer) -> None:
        client = Client(host=server.url)

        listed = client.list().models
        shown = client.show("nomic-embed-text")

        assert [model.model for model in listed] == ["nomic-embed-text:latest"]
        assert shown.modelinfo is not None
        assert shown.modelinfo["stand-in.embedding_length"] == 16
        assert shown.capabilities == ["embedding"]

    def test_it_chats_whole_and_in_pieces(self, ollama_server: OllamaServer) -> None:
        ollama_server.serve("llama")
        ollama_server.reply = lambda body: f"dicho: {body['messages'][-1]['content']}"
        client = Client(host=ollama_server.url)
        messages = [{"role": "user", "content": "hola a todos"}]

        whole = client.chat("llama", messages)
        pieces = [part.message.content or "" for part in client.chat("llama", messages, stream=True)]

        assert whole.message.content == "dicho: hola a todos"
        assert pieces == ["dicho: ", "hola ", "a ", "todos", ""]

    def test_it_truncates_like_ollama_when_it_may(self, server: OllamaServer) -> None:
        client = Client(host=server.url)

        cut = client.embed("nomic-embed-text", "uno dos tres", options={"num_ctx": 2})
        short = client.embed("nomic-embed-text", "uno dos")

        assert cut.embeddings == short.embeddings
