"""Registering embedding models: what a server says of them, what is usual, and what is refused."""

from typing import Any

import pytest
from ollama_server import OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.errors import ConflictError, EmbeddingError, InvalidInputError
from rag_core.model.embedding import WantedModel
from rag_core.model_change.registration import Registration, register_model
from rag_core.settings import read_settings
from rag_core.storage.database import Database


@pytest.fixture
def ollama(ollama_server: OllamaServer) -> OllamaServer:
    ollama_server.serve("nomic-embed-text", dimensions=16, context_tokens=2048)
    ollama_server.serve("bge-m3", dimensions=24, context_tokens=40_960)
    return ollama_server


def add(database: Database, ollama: OllamaServer, name: str = "nomic-embed-text", **more: Any) -> Registration:
    wanted = WantedModel(name=name, provider=more.pop("provider", "ollama"), **more)
    return register_model(database, wanted, settings=read_settings(ollama_host=ollama.url))


class TestAModelOfOllamas:
    def test_what_is_not_given_is_asked_of_the_server_or_usual_for_the_model(self, database, ollama) -> None:
        model = add(database, ollama).model

        assert model.dimensions == 16
        assert model.context_tokens == 2048
        assert model.state == "candidate"
        assert model.query_prefix == "search_query: "
        assert model.document_prefix == "search_document: "
        assert model.fusion_method == "relative_score"
        assert model.semantic_weight == 0.5
        assert model.fulltext_weight == 0.5

    def test_a_model_that_is_not_known_gets_no_prefix_and_a_context_that_costs_little(self, database, ollama) -> None:
        model = add(database, ollama, "bge-m3").model

        assert model.query_prefix == ""
        assert model.document_prefix == ""
        assert model.context_tokens == 8192

    def test_what_is_given_wins(self, database, ollama) -> None:
        model = add(
            database,
            ollama,
            query_prefix="",
            context_tokens=512,
            similarity_threshold=0.4,
            fusion_method="rrf",
            semantic_weight=0.7,
            fulltext_weight=0.3,
        ).model

        assert model.query_prefix == ""
        assert model.document_prefix == "search_document: "
        assert model.context_tokens == 512
        assert model.similarity_threshold == 0.4
        assert model.fusion_method == "rrf"
        assert model.semantic_weight == 0.7
        assert model.fulltext_weight == 0.3

    def test_the_tag_latest_is_the_model_itself(self, database, ollama) -> None:
        add(database, ollama)

        assert not add(database, ollama, "nomic-embed-text:latest").is_new

    def test_the_first_dimensions_of_a_matryoshka_model_can_be_kept(self, database, ollama) -> None:
        model = add(database, ollama, version="mrl-16", dimensions=4).model

        assert model.dimensions == 4
        assert model.version == "mrl-16"

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"dimensions": 8}, r"gives 16 dimensions, not 8; .* add --version mrl-16 and keep 16 or fewer"),
            ({"dimensions": 32}, "gives 16 dimensions, not 32"),
            ({"version": "mrl-32", "dimensions": 8}, "gives 16 dimensions, not the 32 of version mrl-32; use mrl-16"),
            ({"context_tokens": 4096}, r"has a context of 2048 tokens, not 4096; give --context-tokens 2048 or fewer"),
            ({"semantic_weight": 0.0, "fulltext_weight": 0.0}, "both weights are 0"),
            ({"similarity_threshold": 1.5}, "--similarity-threshold is 1.5; expected 0 to 1"),
        ],
    )
    def test_what_the_server_contradicts_is_refused(self, database, ollama, given, message) -> None:
        with pytest.raises(InvalidInputError, match=message):
            add(database, ollama, **given)

    def test_more_dimensions_than_can_be_kept_are_refused_with_the_way_out(self, database, ollama) -> None:
        ollama.serve("huge", dimensions=5000)

        with pytest.raises(InvalidInputError, match="add --version mrl-5000 --dimensions 4096"):
            add(database, ollama, "huge")

    def test_a_model_that_was_not_pulled_is_refused_with_the_command(self, database, ollama) -> None:
        with pytest.raises(EmbeddingError, match="`ollama pull mxbai-embed-large`"):
            add(database, ollama, "mxbai-embed-large")

    def test_a_chat_model_is_refused(self, database, ollama) -> None:
        ollama.serve("llama3.2")

        with pytest.raises(EmbeddingError, match="can do completion and not embedding"):
            add(database, ollama, "llama3.2")

    def test_a_model_that_gives_no_good_vector_is_not_registered(self, database, ollama) -> None:
        ollama.misbehave("zero")

        with pytest.raises(EmbeddingError, match="zero or not finite"):
            add(database, ollama)

        with database.owner() as connection:
            assert connection.execute("select count(*) from brain.embedding_models").fetchone() == (1,)


class TestRegisteringAgain:
    def test_the_same_changes_nothing(self, database, ollama) -> None:
        first = add(database, ollama)

        again = add(database, ollama)

        assert first.is_new is True
        assert again.is_new is False
        assert again.model == first.model

    def test_other_values_are_refused_by_name(self, database, ollama) -> None:
        add(database, ollama)

        with pytest.raises(ConflictError, match=r"registered with query_prefix 'search_query: ', not ''.*`ollama cp "):
            add(database, ollama, query_prefix="")


class TestAHashingModel:
    def test_it_needs_no_server(self, database, ollama) -> None:
        model = add(database, ollama, "hashing-256", provider="hashing", dimensions=256).model

        assert model.dimensions == 256
        assert model.semantic_weight == 0.25
        assert model.fulltext_weight == 0.75
        assert ollama.requests == []

    def test_the_one_that_comes_with_the_program_is_there_already(self, database, ollama) -> None:
        registration = add(database, ollama, "hashing", provider="hashing")

        assert not registration.is_new
        assert registration.model.state == "active"

    def test_prefixes_mean_nothing_to_it(self, database, ollama) -> None:
        with pytest.raises(EmbeddingError, match="hashing takes none"):
            add(database, ollama, "hashing-256", provider="hashing", query_prefix="consulta: ")

    def test_a_name_with_white_space_is_none(self, database, ollama) -> None:
        with pytest.raises(InvalidInputError, match="is no name for a model"):
            add(database, ollama, "my model", provider="hashing")
