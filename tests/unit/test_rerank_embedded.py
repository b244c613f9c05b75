import dataclasses

import pytest
from builders import make_candidate

from rag_core.errors import ConfigurationError, RerankingError
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import RERANKERS, Candidate, RerankerParts
from rag_core.reranking.features import FEATURES
from rag_core.reranking.passage import as_probabilities
from rag_core.reranking.providers.embedded import EmbeddedReranker
from rag_core.reranking.weights import parse_weights, shipped_weights
from rag_core.settings import read_settings

STATISTICS = QueryStatistics(documents={"es": 1000}, frequencies={"es": {"bufanda": 3, "perdí": 10, "tren": 20}})


def candidate(content: str, *, score: float = 0.5) -> Candidate:
    return make_candidate(content, score=score, leg_scores={"fulltext": 5.0, "semantic": 0.4})


def test_the_passage_that_answers_is_scored_highest_and_every_score_is_a_probability() -> None:
    passages = ["Cogí el tren. Perdí la paciencia.", "En el tren perdí la bufanda.", "Compré pan."]

    scores = EmbeddedReranker(weights=shipped_weights()).score(
        "¿dónde perdí la bufanda?", [candidate(text) for text in passages], statistics=STATISTICS, timeout_seconds=1
    )

    assert scores[1] > scores[0] > scores[2]
    assert all(0 < score < 1 for score in scores)


def test_no_candidates_give_no_scores() -> None:
    reranker = EmbeddedReranker(weights=shipped_weights())

    assert reranker.score("gato", [], statistics=STATISTICS, timeout_seconds=1) == []


def test_shipped_weights_say_what_they_were_fitted_on() -> None:
    weights = shipped_weights()

    assert weights.features == FEATURES
    assert all(weight >= 0 for weight in weights.coefficients)
    assert {"sets", "queries", "date"} <= weights.fitted_on.keys()


def test_the_name_tells_the_version_of_the_weights() -> None:
    weights = dataclasses.replace(shipped_weights(), version="tuned-12ab")

    assert EmbeddedReranker(weights=weights).name == "embedded@tuned-12ab"


def test_weights_survive_storage() -> None:
    assert parse_weights(shipped_weights().to_json()) == shipped_weights()


@pytest.mark.parametrize(
    "change",
    [
        {"features": ["fulltext"]},
        {"coefficients": [1.0]},
        {"coefficients": None},
        {"slope": float("nan")},
        {"slope": -1.0},
        {"intercept": "x"},
        {"fitted_on": None},
    ],
)
def test_weights_that_do_not_fit_are_refused_with_the_remedy(change) -> None:
    with pytest.raises(RerankingError, match="brain promote --defaults"):
        parse_weights(shipped_weights().to_json() | change)


@pytest.mark.parametrize("document", [None, [], {}, "x"])
def test_something_else_than_weights_is_refused(document) -> None:
    with pytest.raises(RerankingError, match="cannot be read"):
        parse_weights(document)


@pytest.mark.parametrize(
    ("provider", "setting"),
    [("llm", "BRAIN_CHAT_MODEL"), ("http", "BRAIN_RERANKER_URL"), ("cross_encoder", "BRAIN_RERANKER_PATH")],
)
def test_a_provider_without_what_it_needs_names_the_setting(provider: str, setting: str) -> None:
    with pytest.raises(ConfigurationError, match=setting):
        RERANKERS.get(provider).build(RerankerParts(settings=read_settings()))


def test_the_embedded_one_needs_nothing() -> None:
    reranker = RERANKERS.get("embedded").build(RerankerParts(settings=read_settings()))

    assert reranker.name == f"embedded@{shipped_weights().version}"


def test_scores_within_the_unit_interval_are_left_alone() -> None:
    assert as_probabilities([0.0, 0.3, 1.0]) == [0.0, 0.3, 1.0]


def test_one_score_outside_it_makes_all_of_them_logits() -> None:
    assert as_probabilities([0.0, 0.5, 4.0]) == pytest.approx([0.5, 0.622459, 0.982014], abs=1e-6)
    assert as_probabilities([-900.0, 900.0]) == pytest.approx([0.0, 1.0])
