"""The figures of a migration: shares, rates and when it will be done."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from rag_core.migration.status import estimated_completion, percent_of, rate

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
COUNTS = st.integers(min_value=0, max_value=10**12)


def test_nothing_to_do_is_all_done() -> None:
    assert percent_of(0, 0) == 100


def test_a_hundred_means_all() -> None:
    assert percent_of(999_999, 1_000_000) == 99.99
    assert percent_of(1_000_000, 1_000_000) == 100
    assert percent_of(1, 3) == 33.33


def test_a_rate_needs_two_moments() -> None:
    assert rate(200, first=NOW, last=NOW) is None
    assert rate(0, first=None, last=None) is None


def test_notes_of_the_first_moment_were_done_before_it() -> None:
    assert rate(300, first=NOW, last=NOW + timedelta(seconds=60)) == 5


def test_it_ends_when_the_rest_is_done_at_this_rate() -> None:
    assert estimated_completion(100, 4, now=NOW) == NOW + timedelta(seconds=25)


def test_there_is_no_end_without_a_rate_and_none_when_nothing_remains() -> None:
    assert estimated_completion(100, None, now=NOW) is None
    assert estimated_completion(100, 0, now=NOW) is None
    assert estimated_completion(0, 4, now=NOW) is None


def test_an_end_beyond_the_calendar_is_none() -> None:
    assert estimated_completion(10**15, 0.001, now=NOW) is None


@given(COUNTS, COUNTS)
def test_progress_is_a_share(one: int, other: int) -> None:
    done, total = sorted((one, other))

    percent = percent_of(done, total)

    assert 0 <= percent <= 100
    assert (percent == 100) == (done == total)


@given(COUNTS, st.none() | st.floats(min_value=0, allow_nan=False), st.datetimes(timezones=st.just(UTC)))
def test_an_estimate_is_never_in_the_past(remaining: int, speed: float | None, now: datetime) -> None:
    found = estimated_completion(remaining, speed, now=now)

    assert found is None or found >= now


@given(COUNTS, st.datetimes(), st.datetimes())
def test_a_rate_is_never_negative(count: int, first: datetime, last: datetime) -> None:
    speed = rate(count, first=first, last=last)

    assert speed is None or speed >= 0
