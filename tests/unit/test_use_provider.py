"""The embedding provider of the smaller model of meaning, with its real weights."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rag_core.embedding import build_embedder, provider_of
from rag_core.embedding.pieces import PiecewiseEmbedder
from rag_core.embedding.providers import use
from rag_core.errors import EmbeddingError, InvalidInputError, TextTooLongError
from rag_core.model.embedding import EmbeddingModel, WantedModel
from rag_core.model_change.registration import complete
from rag_core.settings import read_settings

SENTENCES = "La reunión se aplazó al jueves por la tarde. "
LONG = SENTENCES * 80
NOTES = [
    "Vendido el Skoda por 2.900 € a un chico de Sevilla.",
    "Receta de lentejas con chorizo de la abuela.",
    "Cita con el dentista el martes a las diez.",
]


@pytest.fixture(scope="module")
def model() -> EmbeddingModel:
    return complete(WantedModel(name="use", provider="use"), settings=read_settings())


@pytest.fixture
def missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use, "find_spec", lambda _name: None)


def test_the_model_has_its_own_size_and_no_prefixes(model: EmbeddingModel) -> None:
    assert (model.dimensions, model.context_tokens) == (512, 512)
    assert (model.query_prefix, model.document_prefix) == ("", "")


def test_a_question_is_nearest_to_the_note_that_answers_it_in_other_words_and_languages(model: EmbeddingModel) -> None:
    embedder = build_embedder(model, settings=read_settings())

    vectors = embedder.embed(NOTES, role="document")
    questions = embedder.embed(
        ["How much money did I get for the car?", "Was koche ich heute?", "¿Cuándo me miran las muelas?"], role="query"
    )

    assert (questions @ vectors.T).argmax(axis=1).tolist() == [0, 1, 2]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_a_text_has_one_vector_alone_among_others_and_in_threads(model: EmbeddingModel) -> None:
    embedder = build_embedder(model, settings=read_settings())
    alone = np.concatenate([embedder.embed([note], role="document") for note in NOTES])

    with ThreadPoolExecutor(max_workers=4) as threads:
        together = list(threads.map(lambda _: embedder.embed(NOTES, role="query"), range(8)))

    for vectors in together:
        np.testing.assert_array_equal(vectors, alone)


@pytest.mark.parametrize("text", ["🎂🎂", "\u200b.", "a\ud800b", "猫が好き", "\ufdfa"])
def test_a_text_without_usual_words_has_a_vector(model: EmbeddingModel, text: str) -> None:
    (vector,) = build_embedder(model, settings=read_settings()).embed([text], role="query")

    assert math.isclose(float(np.linalg.norm(vector)), 1, abs_tol=1e-6)


def test_a_text_over_the_limit_is_refused_with_its_length(model: EmbeddingModel) -> None:
    with pytest.raises(TextTooLongError, match=r"has \d+ tokens; expected at most the 512 of use"):
        build_embedder(model, settings=read_settings()).embed(["corto", LONG], role="document")


def test_a_text_over_the_limit_is_embedded_in_pieces(model: EmbeddingModel) -> None:
    embedder = PiecewiseEmbedder(build_embedder(model, settings=read_settings()))

    (whole,) = embedder.embed([LONG], role="document")
    (piece, other) = embedder.embed([SENTENCES * 20, NOTES[1]], role="document")

    assert whole @ piece > 0.8 > whole @ other


def test_a_huge_text_is_refused_without_counting_its_tokens(model: EmbeddingModel) -> None:
    with pytest.raises(TextTooLongError, match=r"has 9000 characters; expected at most 8192"):
        build_embedder(model, settings=read_settings()).embed(["a" * 9000], role="document")


@pytest.mark.usefixtures("missing_package")
def test_no_texts_load_no_weights(model: EmbeddingModel) -> None:
    assert build_embedder(model, settings=read_settings()).embed([], role="query").shape == (0, 512)


@pytest.mark.usefixtures("missing_package")
def test_without_the_package_the_error_names_it_and_another_way(model: EmbeddingModel) -> None:
    with pytest.raises(EmbeddingError, match=r"universal-sentence-encoder .*is not installed.*`brain models promote`"):
        build_embedder(model, settings=read_settings()).embed(["uno"], role="query")
    assert "is not installed" in str(provider_of(model).find_fault(model, read_settings(), 1.0))


@pytest.mark.parametrize("wanted", [{"dimensions": 128}, {"context_tokens": 1024}])
def test_what_the_model_cannot_give_is_refused(wanted: dict[str, int]) -> None:
    with pytest.raises(InvalidInputError, match="the provider use"):
        complete(WantedModel(name="use", provider="use", **wanted), settings=read_settings())


@pytest.mark.parametrize(
    ("wanted", "message"),
    [({"version": "0"}, "vectors of two versions cannot be compared"), ({"query_prefix": "query: "}, "takes none")],
)
def test_vectors_of_another_version_or_with_prefixes_are_refused(wanted: dict[str, str], message: str) -> None:
    other = complete(WantedModel(name="use-old", provider="use", **wanted), settings=read_settings())

    with pytest.raises(EmbeddingError, match=message):
        build_embedder(other, settings=read_settings())
