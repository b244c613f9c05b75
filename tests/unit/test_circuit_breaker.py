"""Circuit breakers and bounded concurrency, and models behind them."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from breaking import Clock, OutageError, fail, fail_times
from breaking import breaker as breaker  # noqa: PLC0414  a fixture, re-exported to pytest
from breaking import clock as clock  # noqa: PLC0414  a fixture, re-exported to pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.errors import (
    BusyError,
    CircuitOpenError,
)
from rag_core.resilience.bounded import Bounded
from rag_core.resilience.circuit_breaker import CircuitBreaker


def succeed(breaker: CircuitBreaker) -> str:
    return breaker.call(lambda: "bien", counts=(OutageError,))


class TestClosed:
    def test_it_hands_on_what_the_call_gives(self, breaker: CircuitBreaker) -> None:
        assert succeed(breaker) == "bien"

    def test_four_failures_leave_it_closed(self, breaker: CircuitBreaker) -> None:
        fail_times(breaker, 4)

        assert (breaker.state, breaker.failures) == ("closed", 4)

    def test_the_fifth_within_the_window_opens_it(self, breaker: CircuitBreaker, clock: Clock) -> None:
        fail_times(breaker, 4)
        clock.now += 10
        fail_times(breaker, 1)

        assert (breaker.state, breaker.failures) == ("open", 5)

    def test_failures_older_than_the_window_are_forgotten(self, breaker: CircuitBreaker, clock: Clock) -> None:
        fail_times(breaker, 4)
        clock.now += 10.1
        fail_times(breaker, 4)

        assert (breaker.state, breaker.failures) == ("closed", 4)

    def test_successes_between_failures_do_not_hide_them(self, breaker: CircuitBreaker) -> None:
        for _ in range(5):
            fail_times(breaker, 1)
            if breaker.state == "closed":
                succeed(breaker)

        assert breaker.state == "open"

    def test_errors_that_are_not_the_dependencys_are_not_counted(self, breaker: CircuitBreaker) -> None:
        for _ in range(20):
            with pytest.raises(ZeroDivisionError):
                breaker.call(lambda: 1 / 0, counts=(OutageError,))

        assert (breaker.state, breaker.failures) == ("closed", 0)

    @given(st.lists(st.floats(0, 20, allow_nan=False), max_size=30), st.integers(1, 6))
    def test_it_opens_when_so_many_failures_lie_within_one_window_and_not_before(
        self, gaps: list[float], threshold: int
    ) -> None:
        clock = Clock()
        breaker = CircuitBreaker("chat", failure_threshold=threshold, clock=clock)
        moments: list[float] = []

        for gap in gaps:
            clock.now += gap
            fail_times(breaker, 1)
            moments.append(clock.now)
            is_full = len([moment for moment in moments if clock.now - moment <= 10]) >= threshold
            assert breaker.state == ("open" if is_full else "closed")
            if is_full:
                break


class TestOpen:
    @pytest.fixture(autouse=True)
    def _opened(self, breaker: CircuitBreaker) -> None:
        fail_times(breaker, 5)

    def test_calls_are_refused_without_being_made_and_told_when_to_come_again(
        self, breaker: CircuitBreaker, clock: Clock
    ) -> None:
        clock.now += 18
        made: list[int] = []

        with pytest.raises(
            CircuitOpenError, match=r"chat failed 5 times within 10 s and is left alone; the next try is in 42 s"
        ):
            breaker.call(lambda: made.append(1), counts=(OutageError,))

        assert made == []

    def test_it_is_half_open_after_its_time(self, breaker: CircuitBreaker, clock: Clock) -> None:
        clock.now += 59.9
        assert breaker.state == "open"

        clock.now += 0.1
        assert breaker.state == "half_open"

    def test_a_try_that_succeeds_closes_it_and_forgets_the_failures(
        self, breaker: CircuitBreaker, clock: Clock
    ) -> None:
        clock.now += 60

        assert succeed(breaker) == "bien"
        assert (breaker.state, breaker.failures) == ("closed", 0)
        fail_times(breaker, 4)
        assert breaker.state == "closed"

    def test_what_was_before_a_success_is_forgotten_even_within_the_window(self, clock: Clock) -> None:
        breaker = CircuitBreaker("postgresql", reset_seconds=2, clock=clock)
        fail_times(breaker, 5)
        clock.now += 2
        succeed(breaker)

        fail_times(breaker, 1)

        assert breaker.state == "closed"

    def test_a_try_that_fails_opens_it_for_as_long_again(self, breaker: CircuitBreaker, clock: Clock) -> None:
        clock.now += 60
        fail_times(breaker, 1)

        clock.now += 59
        assert breaker.state == "open"
        clock.now += 1
        assert succeed(breaker) == "bien"

    def test_a_try_that_says_nothing_of_the_dependency_leaves_the_next_one_to_find_out(
        self, breaker: CircuitBreaker, clock: Clock
    ) -> None:
        clock.now += 60
        with pytest.raises(ZeroDivisionError):
            breaker.call(lambda: 1 / 0, counts=(OutageError,))

        assert breaker.state == "half_open"
        assert succeed(breaker) == "bien"

    def test_of_twenty_at_once_exactly_one_tries(self, breaker: CircuitBreaker, clock: Clock) -> None:
        clock.now += 60
        everyone, refused, tried = threading.Barrier(20), threading.Semaphore(0), []

        def probe() -> str:
            tried.append(1)
            for _ in range(19):
                assert refused.acquire(timeout=30)
            return "bien"

        def come() -> bool:
            everyone.wait(timeout=30)
            try:
                return breaker.call(probe, counts=(OutageError,)) == "bien"
            except CircuitOpenError:
                refused.release()
                return False

        with ThreadPoolExecutor(20) as threads:
            came = [future.result() for future in [threads.submit(come) for _ in range(20)]]

        assert (sum(came), len(tried), breaker.state) == (1, 1, "closed")

    def test_to_look_takes_nobodys_turn(self, breaker: CircuitBreaker, clock: Clock) -> None:
        with pytest.raises(CircuitOpenError):
            breaker.check()
        clock.now += 60

        breaker.check()
        breaker.check()

        assert succeed(breaker) == "bien"

    def test_calls_from_before_it_opened_change_nothing(self, clock: Clock) -> None:
        breaker = CircuitBreaker("chat", clock=clock)

        def late(end: Callable[[], str]) -> str:
            fail_times(breaker, 5)
            clock.now += 59
            return end()

        breaker.call(lambda: late(lambda: "bien"), counts=(OutageError,))
        assert breaker.state == "open"

        clock.now += 1
        succeed(breaker)
        with pytest.raises(OutageError):
            breaker.call(lambda: late(fail), counts=(OutageError,))
        clock.now += 1
        assert breaker.state == "half_open"


def test_a_breaker_that_allows_no_failure_is_refused() -> None:
    with pytest.raises(ValueError, match="expected at least 1"):
        CircuitBreaker("chat", failure_threshold=0)


class TestBounded:
    def test_a_place_is_free_again_after_an_error(self) -> None:
        places = Bounded(1)

        with pytest.raises(ZeroDivisionError), places.place(timeout_seconds=0):
            raise ZeroDivisionError
        with places.place(timeout_seconds=0):
            pass

    def test_who_waits_in_vain_is_told_so(self) -> None:
        places = Bounded(1)

        with (
            places.place(timeout_seconds=0),
            pytest.raises(BusyError, match=r"all 1 places are taken, and none became free within 0\.1 s"),
            places.place(timeout_seconds=0.1),
        ):
            pass

    def test_no_place_at_all_is_refused(self) -> None:
        with pytest.raises(ValueError, match="expected at least 1"):
            Bounded(0)
