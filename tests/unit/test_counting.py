"""Numbers with what they count: one of it is singular, in every text that has a number in it."""

import pytest

from rag_core.api.errors import reply_to
from rag_core.errors import RateLimitedError
from rag_core.model.counting import counted, in_english


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 segundos"), (1, "1 segundo"), (2, "2 segundos"), (3_600, "3600 segundos")]
)
def test_only_one_is_singular(count: int, said: str) -> None:
    assert counted(count, "segundo", "segundos") == said


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 queries"), (1, "1 query"), (2, "2 queries"), (12_345, "12,345 queries")]
)
def test_a_plural_of_its_own_is_taken(count: int, said: str) -> None:
    assert in_english(count, "query", "queries") == said


@pytest.mark.parametrize(
    ("tongue", "said"), [("es", "en 1 segundo"), ("de", "in 1 Sekunde noch"), ("en", "in 1 second")]
)
def test_who_has_to_wait_for_one_second_is_told_so(tongue: str, said: str) -> None:
    told = reply_to(RateLimitedError("full", retry_after_seconds=1), timeout_ms=1, tongue=tongue).details  # type: ignore[arg-type]

    assert said in told
    assert f"{said}s" not in told
    assert f"{said}n" not in told
