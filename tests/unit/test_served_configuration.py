from dataclasses import replace
from datetime import UTC, datetime

import pytest
from builders import make_embedding_model

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG
from rag_core.configuration.served import model_key, resolve, without_model_values
from rag_core.promotion.promote import served_stack
from rag_core.reranking.weights import shipped_weights
from rag_core.retrieval.ranking import searched_vectors
from rag_core.storage.configurations import ConfigurationPromotion, StoredServed

MODEL = make_embedding_model(
    dimensions=8, context_tokens=512, semantic_weight=0.3, fulltext_weight=0.7, searched_vectors="standard"
)
FUSION = {"hybridSearch": {"method": "rrf", "semanticWeight": 0.4, "rrfK": 30}}


def promotion(number: int, configuration: int | None, action: str = "promote") -> ConfigurationPromotion:
    return ConfigurationPromotion(
        number=number,
        configuration=configuration,
        action=action,
        reason=None,
        evidence={},
        promoted_at=datetime(2025, 3, number, tzinfo=UTC),
    )


def test_nothing_promoted_is_the_programs_defaults_with_the_shipped_weights() -> None:
    served = resolve(StoredServed(), MODEL)

    assert served.config == DEFAULT_RETRIEVAL_CONFIG
    assert served.weights == shipped_weights()
    assert served.name == "the program's defaults"


def test_a_configuration_is_merged_over_the_defaults() -> None:
    served = resolve(StoredServed(promotion=1, number=4, override=FUSION, embedding_model="hashing@1"), MODEL)

    assert served.config.hybrid_search.method == "rrf"
    assert served.config.hybrid_search.rrf_k == 30
    assert served.config.top_k == DEFAULT_RETRIEVAL_CONFIG.top_k
    assert served.name == "configuration 4"
    assert not served.is_model_dependent_left_out


@pytest.mark.parametrize("changed", [{"name": "other"}, {"version": "2"}])
def test_values_chosen_for_another_embedding_model_are_left_out_and_the_others_kept(changed) -> None:
    stored = StoredServed(promotion=1, number=4, override=FUSION, embedding_model="hashing@1")

    served = resolve(stored, replace(MODEL, **changed))

    assert served.config.hybrid_search.method is None
    assert served.config.hybrid_search.semantic_weight is None
    assert served.config.hybrid_search.rrf_k == 30
    assert served.is_model_dependent_left_out
    assert served.override == FUSION


def test_a_configuration_without_such_values_is_whole_with_every_model() -> None:
    stored = StoredServed(promotion=1, number=4, override={"topK": {"retrieval": 30}}, embedding_model="hashing@1")

    served = resolve(stored, replace(MODEL, name="other"))

    assert served.config.top_k.retrieval == 30
    assert not served.is_model_dependent_left_out


def test_values_that_this_version_does_not_know_are_named_and_the_defaults_served() -> None:
    served = resolve(StoredServed(promotion=1, number=4, override={"quantum": {"qubits": 3}}), MODEL)

    assert served.config == DEFAULT_RETRIEVAL_CONFIG
    assert len(served.problems) == 1
    assert "quantum" in served.problems[0]


def test_weights_of_other_features_are_named_and_the_shipped_ones_served_with_the_configuration() -> None:
    weights = shipped_weights().to_json() | {"version": "old", "features": ["bm25"]}
    stored = StoredServed(
        promotion=1, number=4, override={"topK": {"retrieval": 30}}, reranker_version="old", reranker_weights=weights
    )

    served = resolve(stored, MODEL)

    assert served.weights == shipped_weights()
    assert served.config.top_k.retrieval == 30
    assert "brain promote --defaults" in served.problems[0]


def test_a_model_of_meaning_has_shipped_weights_of_its_own() -> None:
    meaning = replace(MODEL, name="e5", provider="e5")

    assert resolve(StoredServed(), meaning).weights == shipped_weights(is_by_meaning=True) != shipped_weights()
    assert resolve(StoredServed(), replace(MODEL, provider="gone")).weights == shipped_weights()


def test_weights_that_were_fitted_with_another_model_are_left_out() -> None:
    fitted = shipped_weights().to_json() | {"version": "mine"}
    stored = StoredServed(
        promotion=1, number=4, embedding_model="hashing@1", reranker_version="mine", reranker_weights=fitted
    )

    own, other = resolve(stored, MODEL), resolve(stored, replace(MODEL, name="other"))

    assert (own.weights.version, own.is_model_dependent_left_out) == ("mine", False)
    assert (other.weights, other.is_model_dependent_left_out) == (shipped_weights(), True)


def test_a_group_that_holds_only_values_of_a_model_is_gone_without_them() -> None:
    override = {"hybridSearch": {"threshold": 0.3}, "graphRAG": {"weight": 0.2}, "strategy": "hybrid"}

    assert without_model_values(override) == {"graphRAG": {"weight": 0.2}, "strategy": "hybrid"}


def test_a_model_is_known_by_its_name_and_version() -> None:
    assert model_key(MODEL) == "hashing@1"


def test_a_return_goes_one_step_back_and_the_next_one_further() -> None:
    history = [promotion(1, 1), promotion(2, 2), promotion(3, 3)]

    assert served_stack(history[::-1]) == [None, 1, 2, 3]
    assert served_stack([promotion(4, 2, "return"), *history[::-1]]) == [None, 1, 2]
    assert served_stack([promotion(5, 1, "return"), promotion(4, 2, "return"), *history[::-1]]) == [None, 1]


def test_a_return_after_a_return_to_the_defaults_goes_to_what_was_before_them() -> None:
    history = [promotion(1, 1), promotion(2, None, "reset")]

    assert served_stack(history[::-1]) == [None, 1, None]


def test_without_promotions_the_defaults_are_all_there_is() -> None:
    assert served_stack([]) == [None]


@pytest.mark.parametrize(
    ("contextual", "searched"),
    [
        ({}, "sentences"),
        ({"useForRetrieval": True}, "contextual"),
        ({"useForRetrieval": False}, "standard"),
        ({"enabled": False}, "standard"),
        ({"enabled": False, "useForRetrieval": True}, "standard"),
    ],
)
def test_vectors_that_are_searched_are_the_configurations_else_the_models(contextual, searched) -> None:
    stored = StoredServed(
        promotion=1, number=4, override={"contextualEmbeddings": contextual}, embedding_model="hashing@1"
    )
    model = replace(MODEL, searched_vectors="sentences")

    assert searched_vectors(resolve(stored, model).config, model) == searched
