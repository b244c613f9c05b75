"""Confidence of results of a run by a similarity threshold."""

import pytest

from rag_core.configuration.schema import configure
from rag_core.evaluation.runs.confidence import has_threshold


@pytest.mark.parametrize(
    ("named", "models", "expected"),
    [
        (None, {}, False),
        (None, {"similarityThreshold": "0"}, False),
        (None, {"similarityThreshold": "0.4"}, True),
        (0.0, {"similarityThreshold": "0.4"}, False),  # the configuration's own comes first
        (0.3, {}, True),
    ],
)
def test_the_threshold_is_the_configurations_else_the_models(named, models, expected) -> None:
    config = configure({"hybridSearch": {"threshold": named}}).to_wire()

    assert has_threshold(config, models) is expected


def test_a_run_that_kept_no_configuration_has_none() -> None:
    assert not has_threshold({}, {})
