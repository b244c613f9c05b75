"""The guardrails' settings: what they are without being set, and which do not fit together."""

import pytest

from rag_core.errors import ConfigurationError
from rag_core.guardrails import GuardrailThresholds
from rag_core.guardrails.policies import thresholds_of
from rag_core.settings import read_settings


def test_scores_are_those_of_the_rules_unless_set() -> None:
    assert thresholds_of(read_settings()) == GuardrailThresholds(warn=0.5, block=0.8)


def test_a_block_score_below_the_warn_score_is_refused() -> None:
    with pytest.raises(
        ConfigurationError, match=r"BRAIN_GUARDRAILS_BLOCK_SCORE=0.6: .*at least BRAIN_GUARDRAILS_WARN_SCORE, 0.7"
    ):
        read_settings(guardrails_warn_score=0.7, guardrails_block_score=0.6)
