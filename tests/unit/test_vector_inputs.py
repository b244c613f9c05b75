"""Texts that a chunk's vectors are made of: one for each kind, or every sentence for the standard one."""

import numpy as np
import pytest
from builders import make_embedding_model
from hypothesis import given
from hypothesis import strategies as st

from rag_core.embedding.context import with_context
from rag_core.indexing.inputs import LEAST_CHARACTERS, sentences_of, vector_texts
from rag_core.indexing.isolation import embed_joined
from rag_core.model.embedding import input_hash

LONG = "La caldera pierde agua por la junta de abajo y hay que cambiarla antes de que lleguen los fríos de noviembre."
OTHER = (
    "El fontanero de la calle Mayor pidió ciento veinte euros por la pieza y otros sesenta por venir hasta el pueblo."
)
SENTENCES = make_embedding_model(searched_vectors="sentences")


def test_a_model_that_searches_sentences_has_one_vector_a_sentence_with_its_title() -> None:
    assert vector_texts(SENTENCES, "standard", f"{LONG} {OTHER}", "Casa", title="Reformas", language="es") == (
        f"Reformas. {LONG}",
        f"Reformas. {OTHER}",
    )


def test_another_has_one_for_all() -> None:
    assert vector_texts(
        make_embedding_model(), "standard", f"{LONG} {OTHER}", "Casa", title="Reformas", language="es"
    ) == (f"{LONG} {OTHER}",)


@pytest.mark.parametrize("model", [SENTENCES, make_embedding_model()])
def test_the_contextual_vector_is_that_of_context_and_chunk(model) -> None:
    assert vector_texts(model, "contextual", f"{LONG} {OTHER}", "Casa", title="Reformas", language="es") == (
        with_context("Casa", f"{LONG} {OTHER}"),
    )


@pytest.mark.parametrize("kind", ["standard", "contextual"])
def test_a_note_that_is_not_chunked_has_one_vector_for_both_kinds(kind) -> None:
    assert vector_texts(SENTENCES, kind, f"{LONG} {OTHER}", None, title="Reformas", language="es") == (
        f"{LONG} {OTHER}",
    )


def test_a_short_sentence_goes_with_the_next_and_the_last_with_the_one_before() -> None:
    assert sentences_of(f"Sí. {LONG} {OTHER} Pagado.", "es", most=40) == (f"Sí. {LONG}", f"{OTHER} Pagado.")


def test_beyond_the_most_the_last_has_the_rest() -> None:
    assert sentences_of(f"{LONG} {OTHER} {LONG}", "es", most=2) == (LONG, f"{OTHER} {LONG}")


@given(
    st.lists(
        st.sampled_from([LONG, OTHER, "Sí.", "No.", "¿Y el gato?", "\n\n", "- uno", "   "]), min_size=1, max_size=30
    ),
    st.integers(1, 8),
)
def test_no_word_is_lost_and_few_are_short(parts, most) -> None:
    text = " ".join(parts)
    if not text.strip():
        return

    found = sentences_of(text, "es", most=most)

    assert " ".join(found).split() == text.split()
    assert 1 <= len(found) <= most
    assert all(found)
    assert len(found) == 1 or all(len(one) >= LEAST_CHARACTERS for one in found)


def test_one_text_has_the_hash_that_it_always_had_and_more_have_another() -> None:
    model = make_embedding_model()

    assert input_hash(model, "a b", role="document") != input_hash(model, "a", "b", role="document")
    assert input_hash(model, "a", "b", role="document") != input_hash(model, "b", "a", role="document")


def test_the_vectors_of_an_input_stand_one_after_another() -> None:
    class Embedder:
        name, dimensions = "largo", 2

        def embed(self, texts, *, role):
            return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    found = embed_joined([("a", "bbb"), ("cc",)], Embedder())

    assert [vector.tolist() for vector in found] == [[1, 1, 3, 1], [2, 1]]
    assert embed_joined([], Embedder()) == []
