"""The caches: what is kept, for how long, for whom, and what is never kept."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from rag_core.errors import (
    DatabaseUnavailableError,
    DeadlineExceededError,
    EmbeddingError,
    RagError,
    SearchCancelledError,
)
from rag_core.resilience.cancellation import Cancellation
from rag_core.runtime.cache import (
    Cache,
)


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Counting:
    """Gives 1, 2, 3, … and counts how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> int:
        self.calls += 1
        return self.calls


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, "it did not come true within 10 s"
        time.sleep(0.002)


def small_cache(*, entries: int = 10, seconds: float = 60, clock: Clock | None = None) -> Cache[str, int]:
    return Cache(max_entries=entries, ttl_seconds=seconds, clock=clock or Clock())


class TestCache:
    def test_a_value_is_computed_once(self) -> None:
        cache, compute = small_cache(), Counting()

        values = [cache.get_or_compute("a", compute) for _ in range(3)]

        assert values == [1, 1, 1]
        assert (cache.figures.hits, cache.figures.misses, cache.figures.size) == (2, 1, 1)
        assert cache.figures.hit_rate == pytest.approx(2 / 3)

    def test_a_value_runs_out(self) -> None:
        clock, compute = Clock(), Counting()
        cache = small_cache(seconds=60, clock=clock)
        cache.get_or_compute("a", compute)

        clock.seconds = 59.9
        before = cache.get_or_compute("a", compute)
        clock.seconds = 60.1

        assert before == 1
        assert cache.figures.size == 0
        assert cache.get_or_compute("a", compute) == 2

    def test_it_holds_no_more_than_its_entries(self) -> None:
        cache = small_cache(entries=3)

        for number in range(10):
            cache.get_or_compute(str(number), lambda number=number: number)

        assert cache.figures.size == 3

    @pytest.mark.parametrize(("entries", "seconds"), [(10, 0), (0, 60)])
    def test_switched_off_it_computes_each_time_and_keeps_nothing(self, entries: int, seconds: float) -> None:
        cache, compute = small_cache(entries=entries, seconds=seconds), Counting()

        values = [cache.get_or_compute("a", compute) for _ in range(2)]

        assert values == [1, 2]
        assert cache.figures.size == 0
        assert cache.figures.hit_rate == 0.0

    def test_an_error_is_not_kept(self) -> None:
        cache = small_cache()

        def fail() -> int:
            raise DatabaseUnavailableError("no server")

        with pytest.raises(DatabaseUnavailableError):
            cache.get_or_compute("a", fail)

        assert cache.get_or_compute("a", lambda: 7) == 7

    def test_a_value_that_is_not_cacheable_is_given_and_not_kept(self) -> None:
        cache, compute = small_cache(), Counting()

        values = [cache.get_or_compute("a", compute, is_cacheable=lambda value: value > 1) for _ in range(3)]

        assert values == [1, 2, 2]

    def test_only_missing_keys_are_computed_each_once_and_the_order_stays(self) -> None:
        cache: Cache[str, str] = Cache(max_entries=10, ttl_seconds=60)
        cache.get_or_compute("b", lambda: "kept")
        asked: list[list[str]] = []

        def compute(keys: Sequence[str]) -> list[str]:
            asked.append(list(keys))
            return [key.upper() for key in keys]

        values = cache.get_or_compute_many(["a", "b", "c", "a"], compute)

        assert values == ["A", "kept", "C", "A"]
        assert asked == [["a", "c"]]


class TestManyThreads:
    def test_threads_that_want_the_same_at_once_compute_it_once(self) -> None:
        cache, calls, all_wait = small_cache(), Counting(), threading.Event()

        def slow() -> int:
            all_wait.wait(5)
            return calls()

        with ThreadPoolExecutor(20) as threads:
            running = [threads.submit(cache.get_or_compute, "a", slow) for _ in range(20)]
            wait_until(lambda: cache.figures.hits == 19)
            all_wait.set()
            values = {future.result(5) for future in running}

        assert values == {1}
        assert calls.calls == 1

    def test_whoever_waits_gets_the_error_of_the_one_who_computes(self) -> None:
        cache, started, go_on = small_cache(), threading.Event(), threading.Event()

        def fail() -> int:
            started.set()
            go_on.wait(5)
            raise EmbeddingError("no model")

        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(cache.get_or_compute, "a", fail)
            started.wait(5)
            second = threads.submit(cache.get_or_compute, "a", lambda: 1)
            wait_until(lambda: cache.figures.hits == 1)
            go_on.set()

            assert isinstance(first.exception(5), EmbeddingError)
            assert isinstance(second.exception(5), EmbeddingError)

    def test_whoever_has_time_left_computes_when_the_others_time_ran_out(self) -> None:
        cache, started, go_on = small_cache(), threading.Event(), threading.Event()

        def out_of_time() -> int:
            started.set()
            go_on.wait(5)
            raise DeadlineExceededError("too late")

        with ThreadPoolExecutor(2) as threads:
            threads.submit(cache.get_or_compute, "a", out_of_time)
            started.wait(5)
            second = threads.submit(cache.get_or_compute, "a", lambda: 1, timeout_ms=5000)
            wait_until(lambda: cache.figures.hits == 1)
            go_on.set()

            assert second.result(5) == 1

    def test_the_wait_ends_with_ones_own_time(self) -> None:
        cache, started, go_on = small_cache(), threading.Event(), threading.Event()

        def slow() -> int:
            started.set()
            go_on.wait(5)
            return 1

        with ThreadPoolExecutor(1) as threads:
            first = threads.submit(cache.get_or_compute, "a", slow)
            started.wait(5)

            with pytest.raises(DeadlineExceededError):
                cache.get_or_compute("a", lambda: 2, timeout_ms=20)

            go_on.set()
            assert first.result(5) == 1

    @pytest.mark.parametrize("given_up", [SearchCancelledError, DeadlineExceededError])
    def test_one_of_those_who_wait_computes_for_all_what_the_first_gave_up(self, given_up: type[RagError]) -> None:
        cache, calls, all_wait, may_end = small_cache(), Counting(), threading.Event(), threading.Event()

        def give_up() -> int:
            all_wait.wait(5)
            raise given_up("not for us")

        def slow() -> int:
            may_end.wait(5)
            return calls()

        with ThreadPoolExecutor(9) as threads:
            first = threads.submit(cache.get_or_compute, "a", give_up)
            wait_until(lambda: cache.figures.misses == 1)
            waiting = [threads.submit(cache.get_or_compute, "a", slow) for _ in range(8)]
            wait_until(lambda: cache.figures.hits == 8)
            all_wait.set()
            wait_until(lambda: cache.figures.hits == 15)  # seven wait again, for the eighth
            may_end.set()

            assert isinstance(first.exception(5), given_up)
            assert {future.result(5) for future in waiting} == {1}

        assert calls.calls == 1
        assert cache.get_or_compute("a", calls) == 1

    def test_whoever_is_not_waited_for_any_more_waits_for_nobody(self) -> None:
        cache, cancellation, may_end = small_cache(), Cancellation(), threading.Event()

        def slow() -> int:
            may_end.wait(5)
            return 1

        with ThreadPoolExecutor(2) as threads:
            first = threads.submit(cache.get_or_compute, "a", slow)
            wait_until(lambda: cache.figures.misses == 1)
            second = threads.submit(cache.get_or_compute, "a", lambda: 2, cancellation=cancellation)
            wait_until(lambda: cache.figures.hits == 1)
            cancellation.cancel()

            assert isinstance(second.exception(1), SearchCancelledError)
            assert not first.done()
            may_end.set()
            assert first.result(5) == 1

    def test_two_batches_that_overlap_do_not_wait_for_each_other_in_a_circle(self) -> None:
        cache: Cache[int, int] = Cache(max_entries=1000, ttl_seconds=60)

        def double(keys: Sequence[int]) -> list[int]:
            return [2 * key for key in keys]

        with ThreadPoolExecutor(8) as threads:
            batches = [list(range(start, start + 40)) for start in range(60)]
            orders = [keys if at % 2 else keys[::-1] for at, keys in enumerate(batches)]
            values = list(threads.map(lambda keys: cache.get_or_compute_many(keys, double), orders, timeout=10))

        assert values == [[2 * key for key in keys] for keys in orders]
