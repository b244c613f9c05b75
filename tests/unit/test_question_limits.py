"""Limits of questions in a minute and in an hour."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from rag_core.access import Caller
from rag_core.access.limits import QuestionLimits
from rag_core.errors import RateLimitedError
from rag_core.model.note import TenantId


class Clock:
    """The wall clock of ``limits``, moved by hand."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moved = Clock()
    monkeypatch.setattr("time.time", moved.time)
    return moved


def caller(name: str = "ana", *, has_key: bool = True, minute: int | None = None, hour: int | None = None) -> Caller:
    return Caller(
        tenant=TenantId("casa") if has_key else None,
        key_id=name if has_key else None,
        user_hash=f"hash of {name}",
        scopes=frozenset({"read"}),
        questions_per_minute=minute,
        questions_per_hour=hour,
    )


def asked(limits: QuestionLimits, who: Caller, *, times: int) -> int:
    """Count how many of so many questions are let through."""
    passed = 0
    for _ in range(times):
        try:
            limits.check(who)
        except RateLimitedError:
            continue
        passed += 1
    return passed


def test_with_a_key_it_is_ten_a_minute_and_a_hundred_an_hour(clock: Clock) -> None:
    limits, in_each_minute = QuestionLimits(), []

    for _ in range(12):
        in_each_minute.append(asked(limits, caller(), times=20))
        clock.now += 60.5

    assert in_each_minute == [10] * 10 + [0, 0]


def test_without_a_key_there_is_no_limit(clock: Clock) -> None:
    assert asked(QuestionLimits(), caller(has_key=False), times=500) == 500


def test_a_limit_that_is_set_holds_without_a_key_too(clock: Clock) -> None:
    assert asked(QuestionLimits(per_minute=3), caller(has_key=False), times=10) == 3


def test_a_limit_of_its_own_wins(clock: Clock) -> None:
    limits = QuestionLimits(per_minute=3, per_hour=50)

    assert asked(limits, caller("ana", minute=5), times=10) == 5
    assert asked(limits, caller("luis"), times=10) == 3
    assert asked(limits, caller("eva", minute=20, hour=7), times=10) == 7


def test_one_caller_does_not_use_up_the_questions_of_another(clock: Clock) -> None:
    limits = QuestionLimits()

    asked(limits, caller("ana"), times=10)

    assert asked(limits, caller("luis"), times=10) == 10


def test_the_window_moves_and_the_wait_is_told(clock: Clock) -> None:
    limits, who = QuestionLimits(per_minute=2), caller()
    limits.check(who)
    clock.now += 20
    limits.check(who)
    clock.now += 10

    with pytest.raises(RateLimitedError) as refused:
        limits.check(who)
    clock.now += refused.value.retry_after_seconds + 0.001
    limits.check(who)

    assert refused.value.retry_after_seconds == 30
    with pytest.raises(RateLimitedError, match="2 per 1 minute were asked; try again in 20 seconds"):
        limits.check(who)


def test_a_refused_question_counts_in_neither_window(clock: Clock) -> None:
    limits, who = QuestionLimits(per_minute=1, per_hour=2), caller()
    asked(limits, who, times=50)
    clock.now += 61

    assert asked(limits, who, times=1) == 1


@pytest.fixture
def _threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_threads_take_turns_often")
def test_of_questions_asked_at_once_no_more_than_the_limit_pass() -> None:
    passed, rounds = [], 40

    with ThreadPoolExecutor(8) as threads:
        for _ in range(rounds):
            limits, who = QuestionLimits(per_minute=5), caller()
            passed.append(sum(threads.map(lambda _number, at=(limits, who): asked(*at, times=4), range(8))))

    assert passed == [5] * rounds
