"""Places that tenants and keys share: what one may take, who waits, and who is never kept waiting."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from rag_core.errors import ShareTakenError
from rag_core.resilience.shares import FairShares, Pace


def take(stack: ExitStack, shares: FairShares, tenant: str, key: str | None = None) -> None:
    stack.enter_context(shares.place(tenant, key, timeout_seconds=0))


def take_all(stack: ExitStack, shares: FairShares, tenant: str, key: str | None = None) -> int:
    """As many as are given without waiting."""
    for taken in range(shares.total + 1):
        try:
            take(stack, shares, tenant, key)
        except ShareTakenError:
            return taken
    raise AssertionError("no limit")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Places that are held until the test ends."""
    with ExitStack() as held:
        yield held


def test_a_tenant_alone_gets_half_of_the_places(stack: ExitStack) -> None:
    assert take_all(stack, FairShares(12), "uno") == 6


def test_whatever_one_tenant_takes_the_next_ones_get_some_too(stack: ExitStack) -> None:
    shares = FairShares(12)

    assert [take_all(stack, shares, name) for name in ("uno", "dos", "tres")] == [6, 3, 2]


def test_beside_others_a_tenant_gets_no_more_than_it_may(stack: ExitStack) -> None:
    shares = FairShares(12, beside_others=2)
    take(stack, shares, "dos")

    assert take_all(stack, shares, "uno") == 2


def test_a_key_gets_less_than_its_tenant_so_that_the_other_keys_get_some(stack: ExitStack) -> None:
    shares = FairShares(12)

    assert [take_all(stack, shares, "uno", key) for key in ("a", "b")] == [4, 2]


def test_a_place_that_is_given_back_can_be_taken_again() -> None:
    shares = FairShares(2)

    for _ in range(3):
        with ExitStack() as held:
            take(held, shares, "uno")

    assert shares.held_by("uno") == 0


def test_who_waits_gets_the_place_that_becomes_free() -> None:
    shares, is_held, got = FairShares(2), threading.Event(), threading.Event()

    def wait() -> None:
        is_held.set()
        with shares.place("uno", timeout_seconds=30):
            got.set()

    with shares.place("uno", timeout_seconds=0):
        thread = threading.Thread(target=wait)
        thread.start()
        is_held.wait(30)
        assert not got.wait(0.05)
    thread.join(30)

    assert got.is_set()
    assert shares.held_by("uno") == 0


def test_who_gives_up_leaves_no_trace(stack: ExitStack) -> None:
    shares = FairShares(2)
    take(stack, shares, "uno")

    with pytest.raises(ShareTakenError, match="try again in 2 s") as refused:
        take(stack, shares, "uno")

    assert refused.value.retry_after_seconds == 2
    assert shares.held_by("uno") == 1


def test_others_pass_those_who_have_their_share(stack: ExitStack) -> None:
    async def go() -> None:
        shares = FairShares(4)
        async with shares.awaited_place("uno", timeout_seconds=0), shares.awaited_place("uno", timeout_seconds=0):
            waiting = asyncio.create_task(hold(shares))
            await asyncio.sleep(0)
            async with shares.awaited_place("dos", timeout_seconds=0):
                assert not waiting.done()
        await waiting

    async def hold(shares: FairShares) -> None:
        async with shares.awaited_place("uno", timeout_seconds=30):
            pass

    asyncio.run(go())


def test_a_task_that_is_cancelled_while_it_waits_leaves_no_trace() -> None:
    async def go() -> int:
        shares = FairShares(2)
        async with shares.awaited_place("uno", timeout_seconds=0):
            waiting = asyncio.create_task(hold(shares))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        return shares.held_by("uno")

    async def hold(shares: FairShares) -> None:
        async with shares.awaited_place("uno", timeout_seconds=30):
            raise AssertionError("there was no place")

    assert asyncio.run(go()) == 0


def test_more_than_may_wait_are_refused_at_once() -> None:
    async def go() -> list[str]:
        shares = FairShares(2)
        async with shares.awaited_place("uno", timeout_seconds=0):
            tasks = [asyncio.create_task(wait(shares)) for _ in range(9)]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            refused = [type(task.exception()).__name__ for task in tasks if task.done()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return refused

    async def wait(shares: FairShares) -> None:
        async with shares.awaited_place("uno", timeout_seconds=30):
            pass

    assert asyncio.run(go()) == ["ShareTakenError"]


class Clock:
    """A thread's time, which only work moves on."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept += seconds


def work(pace: Pace, clock: Clock) -> None:
    """A second of work."""
    pace()
    for _ in range(1000):
        clock.now += 0.001
        pace()


@pytest.mark.parametrize(("held", "slept"), [(1, 4.0), (4, 19.0)])
def test_beside_others_all_that_a_tenant_computes_gets_a_fifth_of_the_time(
    stack: ExitStack, held: int, slept: float
) -> None:
    shares, clock = FairShares(12), Clock()
    take(stack, shares, "otro")
    for _ in range(held):
        take(stack, shares, "uno")

    work(Pace(shares, "uno", clock=clock, sleep=clock.sleep), clock)

    assert clock.slept == pytest.approx(slept, rel=0.01)


def test_alone_nobody_sleeps(stack: ExitStack) -> None:
    shares, clock = FairShares(12), Clock()
    take(stack, shares, "uno")

    work(Pace(shares, "uno", clock=clock, sleep=clock.sleep), clock)

    assert clock.slept == 0
