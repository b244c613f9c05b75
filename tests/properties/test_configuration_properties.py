"""Properties of every configuration that is not valid (property 34)."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.configurations import INVALID_CONFIGURATIONS, outside
from properties.strategies import sentences

from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG, config_hash, configure
from rag_core.errors import ConfigurationError

EXAMPLES = settings(max_examples=200)


@pytest.mark.property(34)
@EXAMPLES
@given(invalid=INVALID_CONFIGURATIONS, semantic=st.floats(0.1, 1), final=st.integers(1, 20))
def test_an_invalid_configuration_is_refused_and_changes_nothing(invalid, semantic, final) -> None:
    base = configure({"hybridSearch": {"semanticWeight": semantic}, "topK": {"final": final}})
    before, defaults = json.dumps(base.to_wire()), config_hash(DEFAULT_RETRIEVAL_CONFIG, model_names={})
    written = repr(invalid)

    with pytest.raises(ConfigurationError) as refused:
        configure(invalid)
    with pytest.raises(ConfigurationError):
        configure(invalid, base=configure({"topK": {"final": 1}}))

    assert str(refused.value)
    assert json.dumps(base.to_wire()) == before
    assert config_hash(DEFAULT_RETRIEVAL_CONFIG, model_names={}) == defaults
    assert repr(invalid) == written


@pytest.mark.property(34)
@EXAMPLES
@given(top_k=outside(1, 50), strategy=sentences())
def test_what_a_request_names_beside_its_configuration_is_held_to_the_same_bounds(top_k, strategy) -> None:
    with pytest.raises(ConfigurationError):
        configure(top_k=top_k)
    with pytest.raises(ConfigurationError):
        configure(strategy=strategy)
