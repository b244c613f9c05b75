"""The hashing embedder, and what the package holds for every provider."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from builders import make_embedding_model

from rag_core.embedding import build_embedder
from rag_core.embedding.providers.hashing import _FUNCTION_WORDS, HASHING_VERSION, HashingEmbedder
from rag_core.embedding.vectors import unit_rows
from rag_core.errors import EmbeddingError
from rag_core.model.embedding import EmbeddingModel, input_hash
from rag_core.settings import read_settings

HASHING = make_embedding_model(version=HASHING_VERSION, dimensions=768, context_tokens=1_000_000)

FLOOD = "La acequia se desbordó en octubre; el arroz junto a la acequia, ¡perdido!"
FLOOD_16 = [
    *(-0.291526, -0.171634, -0.231574, -0.30708, -0.131545, 0.234915, -0.148841, 0.175457),
    *(0.107252, -0.121303, 0.308006, 0.368754, 0.373745, -0.256827, -0.335329, -0.192477),
]
QUESTION = "¿Por qué se inundó el arrozal?"
QUESTION_16 = [
    *(0.122819, 0.0, -0.005999, -0.502559, 0.012049, -0.027605, 0.012049, 0.25865),
    *(0.010014, -0.147693, 0.0, -0.446839, -0.366323, 0.16425, -0.477736, -0.231045),
]


def similarity(query: str, document: str) -> float:
    embedder = HashingEmbedder()
    product = embedder.embed([query], role="query") @ embedder.embed([document], role="document").T
    return float(product[0, 0])


class TestVersion:
    """Vectors do not change without a new HASHING_VERSION: stored ones would no longer be comparable."""

    def test_a_documents_vector_is_the_one_of_version_1(self) -> None:
        vector = HashingEmbedder(16).embed([FLOOD], role="document")[0]

        assert vector == pytest.approx(FLOOD_16, abs=2e-6)

    def test_a_querys_vector_is_the_one_of_version_1(self) -> None:
        vector = HashingEmbedder(16).embed([QUESTION], role="query")[0]

        assert vector == pytest.approx(QUESTION_16, abs=2e-6)

    def test_the_function_words_are_those_of_version_1(self) -> None:
        digest = hashlib.sha256("\n".join(sorted(_FUNCTION_WORDS)).encode()).hexdigest()

        assert digest == "cfee3d6becd72a4e60d2df1206dab7eac6614bc4d30ea18b724024af5a25a01c"

    @pytest.mark.parametrize("seed", ["0", "4711"])
    def test_another_process_with_another_hash_seed_gives_the_same_bytes(self, seed: str) -> None:
        program = (
            "import sys; from rag_core.embedding.providers.hashing import HashingEmbedder; "
            "vectors = HashingEmbedder().embed([sys.argv[1]], role='document'); "
            "print(vectors.tobytes().hex())"
        )
        printed = subprocess.run(
            [sys.executable, "-c", program, FLOOD],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

        assert printed.strip() == HashingEmbedder().embed([FLOOD], role="document").tobytes().hex()


class TestNearness:
    @pytest.mark.parametrize(
        ("query", "document"),
        [
            ("inundaciones", "inundación"),
            ("Bewässerungsanlage", "Bewässerung"),
            ("sensores de humedad", "sensor húmedo"),
            ("restuarante", "restaurante"),
        ],
    )
    def test_inflections_compounds_and_misspellings_are_nearer_than_another_word(
        self, query: str, document: str
    ) -> None:
        assert similarity(query, document) > similarity(query, "avión") + 0.3

    @pytest.mark.parametrize("written", ["MIGRAÑA", "migrana", "migran\u0303a", "Migraña…"])
    def test_case_accents_composition_and_punctuation_do_not_matter(self, written: str) -> None:
        embedder = HashingEmbedder()

        vectors = embedder.embed([written, "migraña"], role="document")

        assert np.array_equal(vectors[0], vectors[1])

    def test_function_words_weigh_little(self) -> None:
        assert similarity("¿cuál es la causa de la migraña?", "causa migraña") > 0.9

    def test_a_document_is_nearest_to_its_own_text_as_a_query(self) -> None:
        assert similarity(FLOOD, FLOOD) > 0.9
        assert similarity(QUESTION, FLOOD) < 0.6

    def test_a_repeated_word_does_not_drown_the_others(self) -> None:
        often = "acequia " * 200 + "violín"

        assert similarity("violín", often) > 0.3


class TestTexts:
    def test_no_texts_give_no_rows(self) -> None:
        assert HashingEmbedder(32).embed([], role="query").shape == (0, 32)

    @pytest.mark.parametrize("text", ["🙂", "¿?", "\u0301", "\u200b", "_", "a", "漢字", "\ud800"])
    def test_a_text_without_words_has_a_vector_too(self, text: str) -> None:
        vector = HashingEmbedder().embed([text], role="document")[0]

        assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-6)

    @pytest.mark.parametrize("text", ["", " \n\t\u00a0"])
    def test_a_blank_text_is_an_error_that_says_which(self, text: str) -> None:
        with pytest.raises(EmbeddingError, match="text 2 of 3 is blank"):
            HashingEmbedder().embed(["uno", text, "tres"], role="document")

    def test_a_million_characters_without_a_space_are_embedded(self) -> None:
        vector = HashingEmbedder().embed(["a1b2" * 250_000], role="document")[0]

        assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-6)


class TestRegistry:
    def test_it_builds_the_embedder_under_the_models_name(self) -> None:
        embedder = build_embedder(
            replace(HASHING, name="hashing-256", dimensions=256), settings=read_settings(ollama_host="")
        )

        assert (embedder.name, embedder.dimensions) == ("hashing-256", 256)
        assert embedder.embed(["riego"], role="query").shape == (1, 256)

    def test_vectors_of_another_version_cannot_be_computed(self) -> None:
        with pytest.raises(EmbeddingError, match="has version '0'; this program computes '1'"):
            build_embedder(replace(HASHING, version="0"), settings=read_settings(ollama_host=""))

    def test_prefixes_are_refused_rather_than_ignored(self) -> None:
        with pytest.raises(EmbeddingError, match="hashing takes none"):
            build_embedder(replace(HASHING, query_prefix="query: "), settings=read_settings(ollama_host=""))

    def test_an_unknown_provider_is_an_error_with_the_known_ones(self) -> None:
        unknown = replace(HASHING, provider="milvus")

        with pytest.raises(EmbeddingError, match="'milvus'; expected one of: e5, hashing, ollama, use"):
            build_embedder(unknown, settings=read_settings(ollama_host=""))

    def test_importing_the_package_loads_no_provider(self) -> None:
        program = (
            "import sys, rag_core.embedding; "
            "print({'ollama', 'httpx', 'stamina', 'rag_core.embedding.providers.hashing'} & set(sys.modules))"
        )

        printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

        assert printed.stdout.strip() == "set()"


class TestInputHash:
    def test_it_is_sha_256_of_the_parts_as_a_json_array(self) -> None:
        expected = hashlib.sha256(b'["hashing", "1", 768, "document", "", "El r\\u00edo"]').digest()

        assert input_hash(HASHING, "El río", role="document") == expected

    @pytest.mark.parametrize(
        "other",
        [
            replace(HASHING, name="hashing-2"),
            replace(HASHING, version="2"),
            replace(HASHING, dimensions=512),
            replace(HASHING, document_prefix="passage: "),
        ],
    )
    def test_another_model_has_another_hash_for_the_same_text(self, other: EmbeddingModel) -> None:
        assert input_hash(other, "El río", role="document") != input_hash(HASHING, "El río", role="document")

    def test_the_role_makes_another_hash(self) -> None:
        assert input_hash(HASHING, "El río", role="query") != input_hash(HASHING, "El río", role="document")

    def test_what_does_not_change_the_vector_does_not_change_the_hash(self) -> None:
        promoted = replace(HASHING, id=9, state="retired", semantic_weight=0.5, query_prefix="query: ")

        assert input_hash(promoted, "El río", role="document") == input_hash(HASHING, "El río", role="document")

    def test_prefix_and_text_do_not_run_into_each_other(self) -> None:
        prefixed = replace(HASHING, document_prefix="a")

        assert input_hash(prefixed, "b", role="document") != input_hash(HASHING, "ab", role="document")


class TestUnitRows:
    def test_rows_are_scaled_to_length_one(self) -> None:
        assert unit_rows(np.array([[3.0, 4.0], [0.0, -2.0]]), source="m").tolist() == [
            pytest.approx([0.6, 0.8]),
            [0.0, -1.0],
        ]

    @pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e300])
    def test_the_smallest_and_largest_numbers_neither_vanish_nor_overflow(self, scale: float) -> None:
        assert unit_rows(np.array([[3 * scale, 4 * scale]]), source="m")[0] == pytest.approx([0.6, 0.8], abs=1e-3)

    @pytest.mark.parametrize("row", [[0.0, 0.0], [1.0, np.nan], [np.inf, 1.0], [-np.inf, 0.0]])
    def test_a_row_without_a_direction_is_an_error(self, row: list[float]) -> None:
        with pytest.raises(EmbeddingError, match="m gave a vector that is zero or not finite for text 2 of 2"):
            unit_rows(np.array([[1.0, 0.0], row]), source="m")
