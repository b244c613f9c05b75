"""The API's figures, a row a minute, also when nothing was asked: so that a process that falls silent is noticed.

A thread of its own writes them. Requests do not notice it, and while the database is away the minutes wait in memory.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from rag_core.errors import RagError
from rag_core.model.incident import WindowFigures
from rag_core.storage.alerts import ServiceMinute, operator_connection, write_service_minutes
from rag_core.storage.database import Database
from rag_core.telemetry.logs import log_degraded
from rag_core.telemetry.metrics import Metrics
from rag_core.telemetry.process_names import this_process

KEPT = timedelta(days=30)
MAX_WAITING = 1_440
"""Minutes that wait for the database at most: a day's; then the oldest are given up."""
RETRY_SECONDS = 5.0
TIMEOUT_MS = 5_000
STOP_SECONDS = 5.0
"""Limit of an ending process's wait for its last row."""


@dataclass(slots=True, kw_only=True)
class Minutes:
    """The minutes of one process that are not written yet, and the newest, which may grow."""

    process: str
    waiting: dict[datetime, ServiceMinute] = field(default_factory=dict)
    written: ServiceMinute | None = None

    def add(self, minute: datetime, figures: WindowFigures, *, is_last: bool = False) -> None:
        """Take the figures of a minute or of a part of it."""
        written = self.written if self.written is not None and self.written.minute == minute else None
        before = self.waiting.pop(minute, written)
        merged = figures if before is None else merge(before.figures, figures)
        self.waiting[minute] = ServiceMinute(process=self.process, minute=minute, figures=merged, is_last=is_last)
        while len(self.waiting) > MAX_WAITING:
            del self.waiting[min(self.waiting)]

    def mark_written(self) -> None:
        """Everything that waited is in the database."""
        if self.waiting:
            self.written = self.waiting[max(self.waiting)]
            self.waiting.clear()


def merge(one: WindowFigures, other: WindowFigures) -> WindowFigures:
    """Two parts of a minute as one: sums, and the percentiles of the part with more requests."""
    larger = max((one, other), key=lambda part: (part.p95_ms is not None, part.requests))
    return replace(
        larger,
        requests=one.requests + other.requests,
        failed=one.failed + other.failed,
        degraded=one.degraded + other.degraded,
    )


@contextmanager
def recorded_minutes(
    database: Database, metrics: Metrics, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> Iterator[None]:
    """Write this process's figures while the block runs, and that it ended as it should when it does."""
    recorder = _Recorder(database, metrics, now)
    thread = threading.Thread(target=recorder.run, name="service-minutes", daemon=True)
    thread.start()
    try:
        yield
    finally:
        recorder.stopping.set()
        thread.join(STOP_SECONDS)


class _Recorder:
    def __init__(self, database: Database, metrics: Metrics, now: Callable[[], datetime]) -> None:
        self._database = database
        self._metrics = metrics
        self._now = now
        self._minutes = Minutes(process=this_process())
        self._is_failing = False
        self.stopping = threading.Event()

    def run(self) -> None:
        """Write a row at once, one after each minute, and one at the end."""
        begun = _minute_of(self._now())
        self._take(begun)
        while not self.stopping.wait(self._seconds_to_wait(begun)):
            if _minute_of(self._now()) != begun:
                # The minute that has just ended; after a machine slept, the one before now.
                begun = _minute_of(self._now())
                self._take(begun - timedelta(minutes=1))
            else:
                self._write()
        self._take(_minute_of(self._now()), is_last=True)

    def _seconds_to_wait(self, begun: datetime) -> float:
        left = (begun + timedelta(minutes=1) - self._now()).total_seconds()
        return max(0.05, min(left, RETRY_SECONDS) if self._minutes.waiting else left)

    def _take(self, minute: datetime, *, is_last: bool = False) -> None:
        self._minutes.add(minute, self._metrics.take_window(), is_last=is_last)
        self._write()

    def _write(self) -> None:
        minutes = list(self._minutes.waiting.values())
        try:
            with operator_connection(self._database, timeout_ms=TIMEOUT_MS) as connection:
                write_service_minutes(connection, minutes, prune_before=self._now() - KEPT)
        except RagError as error:
            if not self._is_failing:  # once an outage, not every five seconds of it
                log_degraded("service minutes", error)
            self._is_failing = True
        else:
            self._is_failing = False
            self._minutes.mark_written()


def _minute_of(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)
