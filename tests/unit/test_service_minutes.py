"""The figures of a minute: counted from the last look on, put together, kept while the database is away."""

from datetime import UTC, datetime, timedelta

import pytest

from rag_core.alerting.service_minutes import MAX_WAITING, Minutes, merge
from rag_core.errors import DatabaseUnavailableError
from rag_core.model.incident import WindowFigures
from rag_core.telemetry.metrics import Metrics
from rag_core.telemetry.process_names import host_of, this_process

NOON = datetime(2025, 3, 2, 12, 0, tzinfo=UTC)


class TestWindow:
    def test_without_requests_there_are_zeros_and_no_percentiles(self) -> None:
        assert Metrics().take_window() == WindowFigures(requests=0, failed=0, degraded=0, p50_ms=None, p95_ms=None)

    def test_it_holds_what_happened_since_the_last_one(self) -> None:
        metrics = Metrics()
        metrics.count_answer(is_degraded=True)
        metrics.record("total", 5_000)
        metrics.take_window()

        metrics.count_answer(is_degraded=True)
        metrics.count_answer(is_degraded=False)
        metrics.count_error(DatabaseUnavailableError("x"))
        for milliseconds in range(1, 101):
            metrics.record("total", milliseconds)

        assert metrics.take_window() == WindowFigures(requests=3, failed=1, degraded=1, p50_ms=50, p95_ms=95)
        assert metrics.take_window() == WindowFigures()

    def test_it_takes_nothing_from_the_figures_since_the_beginning(self) -> None:
        metrics = Metrics()
        metrics.count_answer(is_degraded=False)
        metrics.record("total", 7)

        metrics.take_window()

        assert (metrics.requests.total, metrics.stats()["total"].count) == (1, 1)

    def test_of_very_many_searches_the_last_thousand_are_measured(self) -> None:
        metrics = Metrics()
        for milliseconds in [9_000] * 500 + [1] * 1_000:
            metrics.record("total", milliseconds)

        assert metrics.take_window().p95_ms == 1


def figures(requests: int, p95_ms: float | None = None) -> WindowFigures:
    return WindowFigures(requests=requests, failed=1, degraded=2, p50_ms=p95_ms, p95_ms=p95_ms)


@pytest.mark.parametrize(
    ("one", "other", "p95_ms"),
    [
        (figures(3, 10), figures(5, 20), 20),
        (figures(5, 10), figures(3, 20), 10),
        (figures(5), figures(3, 20), 20),
        (figures(0), figures(0), None),
    ],
)
def test_parts_of_a_minute_are_summed_and_the_larger_one_gives_the_percentiles(
    one: WindowFigures, other: WindowFigures, p95_ms: float | None
) -> None:
    merged = merge(one, other)

    assert (merged.requests, merged.failed, merged.degraded) == (one.requests + other.requests, 2, 4)
    assert merged.p95_ms == p95_ms


class TestMinutes:
    def test_a_minute_that_was_written_grows_and_is_written_whole(self) -> None:
        minutes = Minutes(process="p")
        minutes.add(NOON, figures(2))
        minutes.mark_written()

        minutes.add(NOON, figures(3), is_last=True)

        (waiting,) = minutes.waiting.values()
        assert (waiting.figures.requests, waiting.is_last) == (5, True)

    def test_what_could_not_be_written_waits(self) -> None:
        minutes = Minutes(process="p")

        for number in range(3):
            minutes.add(NOON + timedelta(minutes=number), figures(number))

        assert [minute.figures.requests for minute in minutes.waiting.values()] == [0, 1, 2]

    def test_after_a_day_the_oldest_are_given_up(self) -> None:
        minutes = Minutes(process="p")

        for number in range(MAX_WAITING + 1):
            minutes.add(NOON + timedelta(minutes=number), figures(1))

        assert len(minutes.waiting) == MAX_WAITING
        assert NOON not in minutes.waiting


def test_a_process_is_named_by_host_number_and_start() -> None:
    host, number, start = this_process().split("/")

    assert host_of(this_process()) == host
    assert int(number) > 0
    assert float(start) > 0
