import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, config_hash, configure
from rag_core.errors import ConfigurationError


def test_defaults_are_those_of_the_specification() -> None:
    wire = DEFAULT_RETRIEVAL_CONFIG.to_wire()

    assert wire["strategy"] == "hybrid+rerank"
    assert wire["chunking"] == {"maxChunkSize": 512, "overlapSize": 50, "minChunkSize": 100}
    assert wire["topK"] == {"retrieval": 20, "reranking": 10, "final": 5}
    assert wire["hybridSearch"]["rrfK"] == 60
    assert wire["graphRAG"] == {"enabled": True, "maxDepth": 3, "minRelevance": 0.6, "weight": 0.5}
    assert wire["queryTransformation"]["enableHyDE"] is True


def test_a_partial_override_keeps_the_other_values_of_its_group() -> None:
    config = configure({"hybridSearch": {"rrfK": 10}})

    assert config.hybrid_search.rrf_k == 10
    assert config.hybrid_search.enabled is True
    assert config.chunking.max_chunk_size == 512


def test_the_requests_top_k_wins_and_raises_the_stages_before_it() -> None:
    config = configure({"topK": {"final": 3}}, top_k=30)

    assert (config.top_k.retrieval, config.top_k.reranking, config.top_k.final) == (30, 30, 30)


def test_a_final_cut_alone_raises_the_stages_that_were_not_named() -> None:
    assert configure({"topK": {"final": 40}}).top_k.retrieval == 40


@pytest.mark.property(34)
@pytest.mark.parametrize(
    ("override", "place"),
    [
        ({"desconocido": 1}, "desconocido"),
        ({"hybridSearch": {"semanticWeight": 2}}, "hybridSearch.semanticWeight"),
        ({"hybridSearch": {"semanticWeight": 0, "fulltextWeight": 0}}, "hybridSearch"),
        ({"hybridSearch": {"rrfK": 0}}, "hybridSearch.rrfK"),
        ({"hybridSearch": {"rrfK": 1.5}}, "hybridSearch.rrfK"),
        ({"chunking": {"maxChunkSize": -1}}, "chunking.maxChunkSize"),
        ({"chunking": {"overlapSize": 600}}, "chunking"),
        ({"topK": {"final": 0}}, "topK.final"),
        ({"topK": {"final": 51}}, "topK.final"),
        ({"topK": {"retrieval": 3, "final": 5}}, "topK"),
        ({"topK": 3}, "topK"),
        ({"strategy": "nada"}, "strategy"),
        ({"reranking": {"enabled": "sí"}}, "reranking.enabled"),
    ],
)
def test_an_invalid_configuration_is_rejected_by_name(override: dict, place: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"^{place}: "):
        configure(override)


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    a = configure({"hybridSearch": {"rrfK": 10, "enabled": False}, "topK": {"final": 3}})
    b = configure({"topK": {"final": 3}, "hybridSearch": {"enabled": False, "rrfK": 10}})

    assert config_hash(a, model_names={"x": "1", "y": "2"}) == config_hash(b, model_names={"y": "2", "x": "1"})


def test_the_hash_sees_nested_values_and_the_models() -> None:
    plain = config_hash(configure(), model_names={"embedding": "a"})

    assert config_hash(configure({"hybridSearch": {"rrfK": 61}}), model_names={"embedding": "a"}) != plain
    assert config_hash(configure(), model_names={"embedding": "b"}) != plain
    assert len(plain) == 16
    assert int(plain, 16) >= 0


@given(
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda inner: st.dictionaries(st.text(), inner))
)
def test_whatever_is_given_as_an_override_is_taken_or_refused_with_a_reason(override: object) -> None:
    if not isinstance(override, dict):
        return

    try:
        config = configure(override)
    except ConfigurationError as error:
        assert str(error)
    else:
        assert json.dumps(config.to_wire())
