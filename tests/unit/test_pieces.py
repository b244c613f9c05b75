"""Texts longer than a model's context, and the prefixes of known models."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.embedding.pieces import PiecewiseEmbedder, halves
from rag_core.embedding.prefixes import Prefixes, usual_prefixes
from rag_core.errors import EmbeddingUnavailableError, TextTooLongError
from rag_core.model.embedding import FloatMatrix

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]


class Short:
    """An embedder for texts up to a number of words: east for those with an a, north for others."""

    name, dimensions = "corto", 2

    def __init__(self, words: int) -> None:
        self.words = words
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str], *, role: str) -> FloatMatrix:
        self.calls.append(list(texts))
        if any(len(text.split()) > self.words for text in texts):
            raise TextTooLongError("too long")
        return np.array([EAST if "a" in text else NORTH for text in texts], dtype=np.float32)


def test_texts_that_fit_are_embedded_in_one_call() -> None:
    embedder = Short(4)

    found = PiecewiseEmbedder(embedder).embed(["casa", "pueblo"], role="document")

    assert found.tolist() == [EAST, NORTH]
    assert embedder.calls == [["casa", "pueblo"]]


def test_a_long_text_gets_the_mean_of_its_pieces_at_length_one() -> None:
    found = PiecewiseEmbedder(Short(2)).embed(["la casa del pueblo"], role="document")

    assert found.tolist() == [pytest.approx([np.sqrt(0.5), np.sqrt(0.5)])]


def test_a_long_text_among_others_changes_none_of_them() -> None:
    found = PiecewiseEmbedder(Short(2)).embed(["casa", "del pueblo entero", "pueblo"], role="document")

    assert found.tolist() == [EAST, NORTH, NORTH]


def test_a_long_text_without_white_space_is_parted_too() -> None:
    class ByLetters(Short):
        def embed(self, texts: Sequence[str], *, role: str) -> FloatMatrix:
            return super().embed([" ".join(text) for text in texts], role=role)

    assert PiecewiseEmbedder(ByLetters(70)).embed(["a" * 100], role="document").tolist() == [EAST]


def test_a_short_text_that_is_too_long_all_the_same_is_an_error() -> None:
    with pytest.raises(TextTooLongError):
        PiecewiseEmbedder(Short(0)).embed(["casa"], role="document")


def test_an_outage_is_not_taken_for_a_long_text() -> None:
    class Down(Short):
        def embed(self, texts: Sequence[str], *, role: str) -> FloatMatrix:
            raise EmbeddingUnavailableError("gone")

    with pytest.raises(EmbeddingUnavailableError):
        PiecewiseEmbedder(Down(1)).embed(["una casa"], role="document")


@given(st.text(alphabet="abcñ \n", min_size=2).filter(lambda text: bool(text.strip())))
def test_halves_are_shorter_and_lose_no_letter(text: str) -> None:
    parts = halves(text)

    assert all(len(part) < len(text) for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nomic-embed-text", Prefixes(query="search_query: ", document="search_document: ")),
        ("nomic-embed-text:v1.5", Prefixes(query="search_query: ", document="search_document: ")),
        ("jeffh/intfloat-multilingual-e5-large:f16", Prefixes(query="query: ", document="passage: ")),
        ("mxbai-embed-large", Prefixes(query="Represent this sentence for searching relevant passages: ")),
        ("multilingual-e5-large-instruct", Prefixes()),
        ("bge-m3", Prefixes()),
    ],
)
def test_the_prefixes_are_those_of_the_models_card(name: str, expected: Prefixes) -> None:
    assert usual_prefixes(name) == expected
