"""Properties of embedding: unit vectors, keys that tell inputs apart, context that says what and where."""

from dataclasses import replace

import numpy as np
import pytest
from builders import make_embedding_model
from contexts import contextual_input
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rag_core.chunking.graphemes import is_cluster_boundary
from rag_core.embedding.context import template_summary
from rag_core.embedding.providers.hashing import HashingEmbedder
from rag_core.model.embedding import input_hash

MODEL = make_embedding_model(context_tokens=1_000_000)

words = st.sampled_from(
    ["la", "acequia", "se", "desbordó", "pingüino", "¿qué?", "¡ay!", "EE.", "UU.", "3,5", "«sí»", "corazón"]
) | st.text(alphabet="abcdefghijklmnñopqrstuvwxyzáéíóúü", min_size=1, max_size=12)
spanish = st.lists(words, min_size=1, max_size=40).map(" ".join)
visible = st.text(min_size=1, max_size=200).filter(lambda text: not text.isspace())
texts = spanish | visible
roles = st.sampled_from(["document", "query"])
languages = st.sampled_from(["es", "de", "en"])


@settings(max_examples=100)
@given(st.lists(texts, max_size=5), roles, st.sampled_from([256, 768]))
def test_every_vector_is_finite_and_of_length_one(given_texts, role, dimensions) -> None:
    vectors = HashingEmbedder(dimensions).embed(given_texts, role=role)

    assert vectors.shape == (len(given_texts), dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(given_texts)), abs=1e-5)


@given(st.lists(texts, min_size=1, max_size=5), roles)
def test_a_vector_does_not_depend_on_what_is_embedded_with_it(given_texts, role) -> None:
    embedder = HashingEmbedder(64)

    together = embedder.embed(given_texts, role=role)

    alone = np.concatenate([embedder.embed([text], role=role) for text in given_texts])
    assert np.array_equal(together, alone)


@given(st.lists(words, min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_words_does_not_matter(in_order, random) -> None:
    shuffled = list(in_order)
    random.shuffle(shuffled)

    vectors = HashingEmbedder(64).embed([" ".join(in_order), " ".join(shuffled)], role="query")

    assert vectors[0] == pytest.approx(vectors[1], abs=1e-5)


inputs = st.tuples(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8), st.text(max_size=8), roles)


@settings(max_examples=100)
@given(inputs, inputs)
def test_different_inputs_have_different_keys(one, other) -> None:
    assume(one != other)

    def key(parts):
        name, version, prefix, text, role = parts
        model = replace(MODEL, name=name, version=version, query_prefix=prefix, document_prefix=prefix)
        return input_hash(model, text, role=role)

    assert len(key(one)) == 32
    assert key(one) != key(other)


@given(st.text(max_size=5), st.text(max_size=5), st.text(max_size=5))
def test_moving_letters_between_the_fields_changes_the_key(name, version, text) -> None:
    moved = replace(MODEL, name=name + version, version="")

    assume(version)
    assert input_hash(moved, text, role="query") != input_hash(
        replace(MODEL, name=name, version=version), text, role="query"
    )


@pytest.mark.property(20)
@settings(max_examples=100)
@given(st.none() | spanish, texts, st.integers(1, 40), st.data(), languages)
def test_the_contextual_input_names_summary_and_position_and_ends_with_the_chunk(
    title, content, total, data, language
) -> None:
    index = data.draw(st.integers(0, total - 1))
    summary = template_summary(title, content)

    text = contextual_input(title=title, summary=summary, chunk=content, index=index, total=total, language=language)

    assert text.endswith(f"\n\n{content}")
    info = text.removesuffix(f"\n\n{content}")
    assert summary in info
    assert f" {index + 1} " in info
    assert f" {total} " in info


@pytest.mark.property(20)
@given(st.integers(2, 40), languages)
def test_first_middle_and_last_are_told_apart(total, language) -> None:
    infos = [
        contextual_input(title=None, summary="x", chunk="", index=index, total=total, language=language)
        for index in range(total)
    ]
    positions = [info.split(": x ")[1] for info in infos]

    assert positions.count(positions[0]) == 1
    assert positions.count(positions[-1]) == 1
    assert len(set(positions)) == min(total, 3)


graphemes = st.sampled_from(["a", "ñ", "e\u0301", "👨‍👩‍👧", "🇪🇸", "👍🏽", " ", "\n"])


@settings(max_examples=100)
@given(st.lists(graphemes, max_size=20) | st.lists(graphemes, min_size=120, max_size=250))
def test_a_summary_is_a_beginning_of_the_note_cut_between_graphemes(parts) -> None:
    content = "".join(parts)
    line = " ".join(content.split())

    summary = template_summary(None, content)

    if len(line) <= 200:
        assert summary == line
    else:
        kept = summary.removesuffix("...")
        assert len(kept) <= 200
        assert line.startswith(kept)
        assert is_cluster_boundary(line, len(kept))
