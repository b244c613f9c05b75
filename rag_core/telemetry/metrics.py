"""Durations and outcomes of this process's requests, in bounded memory."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, get_args

from rag_core.model.incident import WindowFigures
from rag_core.model.statistics import percentile
from rag_core.telemetry.durations import DurationHistogram, Durations, DurationStats

Stage = Literal[
    "queryTransformation",
    "semanticSearch",
    "fullTextSearch",
    "hybridFusion",
    "reranking",
    "contextExpansion",
    "total",
]
STAGES: tuple[Stage, ...] = get_args(Stage)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFigures:
    """Requests since the process began, those with a degraded answer, and errors by class.

    ``removed_citations`` are those taken out of answers because no such source exists.
    """

    total: int
    degraded: int
    errors: Mapping[str, int]
    removed_citations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowBegin:
    """Counters at the beginning of a window."""

    requests: int = 0
    failed: int = 0
    degraded: int = 0
    searches: int = 0


class Metrics:
    """The figures of one process; threads may share it."""

    def __init__(self, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self._durations = {stage: Durations(clock=clock) for stage in STAGES}
        self._counts: Counter[str] = Counter()
        self._failures: Counter[tuple[str, str]] = Counter()
        self._routes: Counter[tuple[str, str]] = Counter()
        self._looked_at = (time.monotonic(), time.process_time())
        self._window_began = WindowBegin()
        self._lock = threading.Lock()

    def measured(self, stage: Stage) -> AbstractContextManager[None]:
        """Take the duration of a block as one of this stage, also when it raises."""
        return self._durations[stage].measured()

    def record(self, stage: Stage, milliseconds: float) -> None:
        """Take a duration that was measured elsewhere."""
        self._durations[stage].record(milliseconds)

    def count_answer(self, *, is_degraded: bool) -> None:
        """A request was answered."""
        with self._lock:
            self._counts.update(("total", "degraded") if is_degraded else ("total",))

    def count_error(self, error: BaseException, *, route: str = "?") -> None:
        """A request failed; ``route`` is its method and address without what stood in it."""
        with self._lock:
            self._counts["total"] += 1
            self._failures[type(error).__name__, route] += 1

    def count_request(self, route: str, *, status: int | None) -> None:
        """A request came to its end; ``status`` None when the client did not wait."""
        with self._lock:
            self._routes[route, "gone" if status is None else str(status)] += 1

    def count_removed_citations(self, count: int) -> None:
        """Count citations that were removed from an answer because they name no source."""
        with self._lock:
            self._counts["removed_citations"] += count

    def stats(self) -> dict[Stage, DurationStats]:
        """Durations by stage, every stage there."""
        return {stage: durations.stats() for stage, durations in self._durations.items()}

    @property
    def requests(self) -> RequestFigures:
        """Number of requests by outcome."""
        with self._lock:
            return RequestFigures(
                total=self._counts["total"],
                degraded=self._counts["degraded"],
                errors=self._errors(),
                removed_citations=self._counts["removed_citations"],
            )

    def _errors(self) -> dict[str, int]:
        by_class: Counter[str] = Counter()
        for (name, _), count in self._failures.items():
            by_class[name] += count
        return dict(by_class)

    @property
    def failures(self) -> Mapping[tuple[str, str], int]:
        """Failed requests by the class of their error and their route."""
        with self._lock:
            return dict(self._failures)

    @property
    def routes(self) -> Mapping[tuple[str, str], int]:
        """Requests by route and status."""
        with self._lock:
            return dict(self._routes)

    def histograms(self) -> dict[Stage, DurationHistogram]:
        """Durations by stage in buckets, of all since the process began."""
        return {stage: durations.histogram() for stage, durations in self._durations.items()}

    def take_window(self) -> WindowFigures:
        """Return the figures since the last call, at first since the process began; for one caller."""
        taken, searches = self._durations["total"].since(self._window_began.searches)
        with self._lock:
            now = WindowBegin(
                requests=self._counts["total"],
                failed=self._failures.total(),
                degraded=self._counts["degraded"],
                searches=searches,
            )
            before, self._window_began = self._window_began, now
        return WindowFigures(
            requests=now.requests - before.requests,
            failed=now.failed - before.failed,
            degraded=now.degraded - before.degraded,
            p50_ms=percentile(taken, 0.50),
            p95_ms=percentile(taken, 0.95),
        )

    def cpu_percent(self) -> float:
        """The process's share of one core since this was last asked, at first since it began; above 100 on several."""
        now = (time.monotonic(), time.process_time())
        with self._lock:
            before, self._looked_at = self._looked_at, now
        elapsed = now[0] - before[0]
        return round(100 * (now[1] - before[1]) / elapsed, 1) if elapsed > 0 else 0.0
