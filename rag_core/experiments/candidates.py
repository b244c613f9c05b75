"""The candidate of an experiment, asked so that it can hurt no reader: a few at a time, in threads of their own, behind a breaker."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from uuid import UUID

from cachetools import LRUCache

from rag_core.errors import CircuitOpenError, RagError, SearchCancelledError
from rag_core.experiments.live_query import LiveQuery, LiveSearch, search, searched_ms
from rag_core.experiments.running import Contest
from rag_core.model.retrieval import Retrieval
from rag_core.resilience.cancellation import Cancellation
from rag_core.resilience.circuit_breaker import CircuitBreaker
from rag_core.runtime.engine import Engine
from rag_core.telemetry.logs import log_degraded, log_failed
from rag_core.telemetry.metrics import Metrics

AT_A_TIME = 4
"""Threads and connections of the process that an experiment may take from live queries."""
_REMEMBERED_BREAKERS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result of the candidate.

    Without a retrieval it failed, or was not done; without milliseconds nothing was measured, because it was not done, was left
    alone, or gave an answer that was kept.
    """

    retrieval: Retrieval | None = None
    ms: float | None = None

    @property
    def is_whole(self) -> bool:
        """Tell whether it answered, and nothing was missing."""
        return self.retrieval is not None and not self.retrieval.is_degraded


class _DegradedError(RagError):
    """Tells the breaker of an answer that is there all the same."""

    def __init__(self, retrieval: Retrieval) -> None:
        super().__init__("the candidate's answer is degraded")
        self.retrieval = retrieval


class Candidates:
    """The places and the breakers of a process's candidates; threads may share it.

    Their searches are counted apart, so that no figure or alert of the service is about an experiment.
    """

    def __init__(self, executor: ThreadPoolExecutor, *, at_a_time: int = AT_A_TIME) -> None:
        self._executor = executor
        self._places = threading.BoundedSemaphore(at_a_time)
        self._breakers: LRUCache[UUID, CircuitBreaker] = LRUCache(maxsize=_REMEMBERED_BREAKERS)
        self._lock = threading.Lock()
        self._metrics = Metrics()

    @contextmanager
    def place(self) -> Iterator[bool]:
        """Hold a place for a block, if one is free; whether one was."""
        is_free = self._places.acquire(blocking=False)
        try:
            yield is_free
        finally:
            if is_free:
                self._places.release()

    def search_of(self, engine: Engine) -> LiveSearch:
        """A search for candidates, counted apart."""
        apart = replace(engine, metrics=self._metrics)
        return lambda asked, served, *, use_cache=True: search(apart, asked, served, use_cache=use_cache)

    def begin(self, find: LiveSearch, asked: LiveQuery, contest: Contest) -> Future[Outcome] | None:
        """Ask the candidate in a thread of its own; None when all places are taken."""
        return self.run(lambda: self.ask(find, asked, contest))

    def run(self, work: Callable[[], Outcome]) -> Future[Outcome] | None:
        """Do the work in a thread and at a place of its own; None when all places are taken, or the process ends."""
        if not self._places.acquire(blocking=False):
            return None

        def held() -> Outcome:
            try:
                return work()
            finally:
                self._places.release()

        try:
            return self._executor.submit(held)
        except RuntimeError:  # the executor was shut down
            self._places.release()
            return None

    def ask(self, find: LiveSearch, asked: LiveQuery, contest: Contest, *, use_cache: bool = True) -> Outcome:
        """Search with the candidate; its errors are logged and do not reach the reader.

        That holds for defects of ours too: a path that only the candidate takes may have one, and the control's answer is good.
        It goes on when its reader leaves: in its shadow the answer is out before, and what was given up is no measurement.
        """
        began = time.monotonic()
        asked = replace(asked, cancellation=None)

        def answer() -> Retrieval:
            found = find(asked, contest.candidate, use_cache=use_cache)
            if found.is_degraded:
                raise _DegradedError(found)
            return found

        try:
            found = self._breaker(contest.experiment.id).call(answer, counts=(Exception,))
        except _DegradedError as error:
            return Outcome(retrieval=error.retrieval, ms=searched_ms(error.retrieval))
        except CircuitOpenError:
            return Outcome()
        except RagError as error:
            log_degraded("experiment", error, tenant=asked.tenant)
            return Outcome(ms=1000 * (time.monotonic() - began))
        except Exception as error:  # noqa: BLE001  no defect of the candidate is the reader's
            log_failed("experiment", error, tenant=asked.tenant, has_stack=True)
            return Outcome(ms=1000 * (time.monotonic() - began))
        return Outcome(retrieval=found, ms=searched_ms(found))

    def _breaker(self, experiment_id: UUID) -> CircuitBreaker:
        with self._lock:
            breaker = self._breakers.get(experiment_id)
            if breaker is None:
                breaker = self._breakers[experiment_id] = CircuitBreaker("experiment")
            return breaker


def outcome_of(future: Future[Outcome], *, within_seconds: float, cancellation: Cancellation | None = None) -> Outcome:
    """Return the candidate's result within the time.

    Raises:
        SearchCancelledError: its reader does not wait any more.
    """
    cancellation = cancellation or Cancellation()
    with cancellation.awaited() as gone:
        wait([future, gone], timeout=within_seconds, return_when=FIRST_COMPLETED)
    if cancellation.is_cancelled:
        raise SearchCancelledError("nobody waits for the candidate's answer any more")
    return future.result() if future.done() else Outcome()
