"""Durations, counters and the document of figures: right, in bounded memory, on a clock that does not jump."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rag_core.errors import DatabaseUnavailableError, DeadlineExceededError
from rag_core.operation.running_api import fetch_performance
from rag_core.resilience.circuit_breaker import CircuitBreaker
from rag_core.runtime.cache import build_caches
from rag_core.runtime.performance import home_mark, performance
from rag_core.storage.database import PoolFigures
from rag_core.telemetry.durations import KEPT_DURATIONS, Durations
from rag_core.telemetry.metrics import STAGES, Metrics


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class TestDurations:
    def test_without_any_all_figures_are_zero(self) -> None:
        stats = Durations().stats()

        assert (stats.count, stats.avg, stats.p50, stats.p95, stats.p99) == (0, 0.0, 0.0, 0.0, 0.0)

    def test_percentiles_are_by_nearest_rank(self) -> None:
        durations = Durations()
        for milliseconds in range(1, 101):
            durations.record(milliseconds)

        stats = durations.stats()

        assert (stats.count, stats.avg, stats.p50, stats.p95, stats.p99) == (100, 50.5, 50, 95, 99)

    def test_a_block_is_measured_in_milliseconds(self) -> None:
        clock = Clock()
        durations = Durations(clock=clock)

        with durations.measured():
            clock.seconds += 0.25

        assert durations.stats().avg == 250

    def test_a_block_that_raises_is_measured_too(self) -> None:
        clock = Clock()
        durations = Durations(clock=clock)

        with pytest.raises(RuntimeError), durations.measured():
            clock.seconds += 0.5
            raise RuntimeError

        assert (durations.stats().count, durations.stats().p99) == (1, 500)

    def test_only_the_last_thousand_are_kept_and_all_are_counted(self) -> None:
        durations = Durations()
        for _ in range(KEPT_DURATIONS):
            durations.record(1000)

        for _ in range(KEPT_DURATIONS):
            durations.record(1)

        assert (durations.stats().count, durations.stats().p99) == (2000, 1)
        assert len(durations._kept) == 1000

    def test_the_clock_never_goes_back(self) -> None:
        durations = Durations()

        for _ in range(100):
            with durations.measured():
                pass

        assert all(milliseconds >= 0 for milliseconds in durations._kept)

    def test_threads_lose_nothing(self) -> None:
        durations = Durations()

        def work() -> None:
            for _ in range(500):
                durations.record(1)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert durations.stats().count == 4000


class TestMetrics:
    def test_every_stage_is_there_from_the_beginning(self) -> None:
        assert tuple(Metrics().stats()) == STAGES
        assert STAGES == (
            "queryTransformation",
            "semanticSearch",
            "fullTextSearch",
            "hybridFusion",
            "reranking",
            "contextExpansion",
            "total",
        )

    def test_stages_are_measured_apart(self) -> None:
        metrics = Metrics()

        metrics.record("reranking", 5)
        with metrics.measured("total"):
            pass

        counts = {stage: stats.count for stage, stats in metrics.stats().items() if stats.count}
        assert counts == {"reranking": 1, "total": 1}

    def test_requests_are_counted_by_how_they_ended(self) -> None:
        metrics = Metrics()

        metrics.count_answer(is_degraded=False)
        metrics.count_answer(is_degraded=True)
        metrics.count_error(DatabaseUnavailableError("x"))
        metrics.count_error(DatabaseUnavailableError("y"))
        metrics.count_error(DeadlineExceededError("z"))

        assert (metrics.requests.total, metrics.requests.degraded) == (5, 1)
        assert metrics.requests.errors == {"DatabaseUnavailableError": 2, "DeadlineExceededError": 1}

    def test_removed_citations_are_counted(self) -> None:
        metrics = Metrics()

        metrics.count_removed_citations(2)
        metrics.count_removed_citations(1)

        assert metrics.requests.removed_citations == 3
        assert metrics.requests.total == 0


def document(home: Path = Path("/casa/ana")) -> dict[str, object]:
    metrics = Metrics()
    metrics.record("total", 20)
    metrics.record("total", 40)
    caches = build_caches(query_seconds=1, embedding_seconds=60, context_seconds=1)
    for _ in range(4):
        caches.embedding.get_or_compute(b"a", lambda: 1)
    breaker = CircuitBreaker("Ollama", failure_threshold=1)
    with pytest.raises(OSError, match="weg"):
        breaker.call(_fail, counts=(OSError,))
    pool = PoolFigures(size=5, active=2, waiting=1, queries=30, average_ms=1.5)
    return performance(metrics, caches=caches, pool=pool, breakers={"ollama": breaker}, home=home)


def _fail() -> None:
    raise OSError("weg")


class TestPerformance:
    def test_the_document_has_the_figures_of_every_part(self) -> None:
        found = document()

        assert found["latency"] == dict.fromkeys(STAGES, 0.0) | {"total": 30}
        assert found["stages"]["total"] == {"count": 2, "avg": 30, "p50": 20, "p95": 40, "p99": 40}
        assert found["cache"] == {"queryHitRate": 0.0, "embeddingHitRate": 0.75, "contextHitRate": 0.0}
        assert found["caches"]["embedding"] == {"hits": 3, "misses": 1, "size": 1}
        assert found["database"] == {
            "connectionPoolSize": 5,
            "activeConnections": 2,
            "waitingRequests": 1,
            "queryCount": 30,
            "avgQueryTime": 1.5,
        }
        assert found["resources"]["memoryUsageMB"] > 1
        assert found["resources"]["cpuUsagePercent"] >= 0
        assert found["breakers"] == {"ollama": "open"}

    def test_the_home_is_not_told(self) -> None:
        assert "casa" not in str(document()["home"])

    def test_another_home_has_another_mark(self) -> None:
        assert home_mark(Path("/casa/ana")) != home_mark(Path("/casa/berta"))


class _Handler(BaseHTTPRequestHandler):
    content = b""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/api/performance" else 404)
        self.end_headers()
        self.wfile.write(self.content)

    def log_message(self, *_parts: object) -> None:
        pass


@pytest.fixture
def answering() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class TestFetchPerformance:
    def fetch(self, server: ThreadingHTTPServer, content: str) -> dict[str, object] | None:
        _Handler.content = content.encode()
        return fetch_performance(port=server.server_address[1], home=Path("/casa/ana"))

    def test_the_figures_of_this_home_are_given(self, answering: ThreadingHTTPServer) -> None:
        mark = home_mark(Path("/casa/ana"))

        assert self.fetch(answering, f'{{"home": "{mark}", "requests": 3}}') == {"home": mark, "requests": 3}

    @pytest.mark.parametrize(
        "content", ['{"home": "0123456789abcdef"}', "{}", "[]", "<html>", ""], ids=lambda content: content or "empty"
    )
    def test_another_homes_api_or_another_program_gives_none(
        self, answering: ThreadingHTTPServer, content: str
    ) -> None:
        assert self.fetch(answering, content) is None

    def test_nobody_there_gives_none(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]

        assert fetch_performance(port=port, home=Path("/casa/ana")) is None
