"""Which settings a job must be done under: all but those that change nothing of its result."""

import pytest

from rag_core.evaluation.jobs.settings import UNMEASURED_SETTINGS, asked_under
from rag_core.settings import Settings, read_settings


def is_seen(name: str) -> bool:
    """Test whether another value of the setting makes another fingerprint."""
    settings = read_settings()
    other = settings.model_copy(update={name: "another"})
    return asked_under(other)["fingerprint"] != asked_under(settings)["fingerprint"]


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_counts_unless_it_is_said_not_to(name: str) -> None:
    assert is_seen(name) is (name not in UNMEASURED_SETTINGS)


def test_only_settings_that_exist_are_said_not_to_count() -> None:
    assert not UNMEASURED_SETTINGS - set(Settings.model_fields)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("chat_model", True),
        ("answer_reject_low_groundedness", True),
        ("answer_disclaimer", True),
        ("guardrails_warn_score", True),
        ("guardrails_block_score", True),
        ("guardrails_answer_max_tokens", True),
        ("guardrails_question_max_characters", True),
        ("home", False),
        ("log_level", False),
        ("reranker_api_key", False),
        ("chat_api_key", False),
        ("chat_url", True),
        ("requests_at_once", False),
    ],
)
def test_what_changes_an_answer_counts_and_where_a_process_runs_does_not(name: str, counts: bool) -> None:
    assert is_seen(name) is counts
