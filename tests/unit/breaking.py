"""A breaker on a clock that is moved by hand."""

import pytest

from rag_core.resilience.circuit_breaker import CircuitBreaker


class OutageError(Exception):
    """Error that the breakers of these tests count."""


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker("chat", clock=clock)


def fail() -> str:
    raise OutageError


def fail_times(breaker: CircuitBreaker, count: int) -> None:
    for _ in range(count):
        with pytest.raises(OutageError):
            breaker.call(fail, counts=(OutageError,))
