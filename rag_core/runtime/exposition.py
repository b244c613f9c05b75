"""Figures of this process in Prometheus' text format, of all tenants together; no label names a tenant or holds a word of anybody's."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

from rag_core.runtime.backlog import Backlog, BacklogReader
from rag_core.runtime.cache import Cache
from rag_core.runtime.engine import Engine
from rag_core.telemetry.durations import BUCKETS_MS

_BREAKER_STATES = ("closed", "open", "half_open")


def exposition(engine: Engine, backlog: BacklogReader) -> bytes:
    """All figures as text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(engine, backlog))
    return generate_latest(registry)


@dataclass(eq=False, slots=True)
class _Collector:
    engine: Engine
    backlog: BacklogReader

    def describe(self) -> list[Metric]:
        """Nothing, so that registering reads no figures."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Families of figures."""
        yield from _requests(self.engine)
        yield _stages(self.engine)
        yield from _caches(self.engine)
        yield from _connections(self.engine)
        yield from _models(self.engine)
        found = self.backlog.read(self.engine.database, fingerprint=self.engine.pipeline.fingerprint)
        yield _gauge("brain_database_up", "Whether the database answered.", float(found is not None))
        if found is not None:
            yield from _waiting(found)


def _requests(engine: Engine) -> Iterator[Metric]:
    metrics = engine.metrics
    requests = CounterMetricFamily("brain_requests", "HTTP requests by route template.", labels=("route", "status"))
    for (route, status), count in metrics.routes.items():
        requests.add_metric((route, status), count)
    errors = CounterMetricFamily("brain_errors", "Failures by class and route template.", labels=("error", "route"))
    for (error, route), count in metrics.failures.items():
        errors.add_metric((error, route), count)
    figures = metrics.requests
    yield requests
    yield errors
    yield CounterMetricFamily("brain_answers", "Searches answered, and failed requests.", value=figures.total)
    yield CounterMetricFamily("brain_degraded_answers", "Searches answered without a part.", value=figures.degraded)
    yield CounterMetricFamily(
        "brain_removed_citations", "Citations of no source, removed.", value=figures.removed_citations
    )


def _stages(engine: Engine) -> Metric:
    family = HistogramMetricFamily(
        "brain_stage_duration_seconds", "Durations of the stages of searches.", labels=("stage",)
    )
    for stage, found in engine.metrics.histograms().items():
        bounds = [*(str(bound / 1000) for bound in BUCKETS_MS), "+Inf"]
        family.add_metric((stage,), list(zip(bounds, found.cumulative, strict=True)), found.sum_ms / 1000)
    return family


def _caches(engine: Engine) -> Iterator[Metric]:
    caches: dict[str, Cache[Any, Any]] = {
        "query": engine.caches.query,
        "embedding": engine.caches.embedding,
        "context": engine.caches.context,
    }
    lookups = CounterMetricFamily("brain_cache_lookups", "Look-ups in caches.", labels=("cache", "result"))
    entries = GaugeMetricFamily("brain_cache_entries", "Entries of caches.", labels=("cache",))
    for name, cache in caches.items():
        figures = cache.figures
        lookups.add_metric((name, "hit"), figures.hits)
        lookups.add_metric((name, "miss"), figures.misses)
        entries.add_metric((name,), figures.size)
    yield lookups
    yield entries


def _connections(engine: Engine) -> Iterator[Metric]:
    pool = engine.database.figures
    yield _gauge("brain_pool_connections", "Connections to the database.", pool.size)
    yield _gauge("brain_pool_active_connections", "Connections in use.", pool.active)
    yield _gauge("brain_pool_waiting_requests", "Requests that wait for a connection.", pool.waiting)
    yield CounterMetricFamily("brain_transactions", "Transactions.", value=pool.queries)
    breakers = GaugeMetricFamily("brain_breaker_state", "1 for the state it is in.", labels=("breaker", "state"))
    for name, breaker in {"database": engine.database.breaker, **engine.breakers}.items():
        current = breaker.state
        for state in _BREAKER_STATES:
            breakers.add_metric((name, state), float(state == current))
    yield breakers


def _models(engine: Engine) -> Iterator[Metric]:
    family = GaugeMetricFamily("brain_model_info", "Models in use.", labels=("role", "name"))
    family.add_metric(("embedding", f"{engine.model.name}@{engine.model.version}"), 1)
    family.add_metric(("reranking", engine.settings.reranker), 1)
    if engine.chat is not None:
        family.add_metric(("chat", engine.chat.name), 1)
    yield family


def _waiting(found: Backlog) -> Iterator[Metric]:
    jobs = GaugeMetricFamily("brain_jobs", "Unfinished jobs.", labels=("state",))
    for state, count in found.jobs.items():
        jobs.add_metric((state,), count)
    yield jobs
    yield _gauge("brain_index_stale_notes", "Notes to be indexed.", found.stale_notes)
    yield _gauge("brain_index_lag_seconds", "Age of the oldest change not indexed.", found.index_lag_seconds)
    yield _gauge("brain_graph_unread_notes", "Indexed notes that the graph has not read.", found.unread_notes)
    yield _gauge("brain_graph_lag_seconds", "Age of the oldest text not read into the graph.", found.graph_lag_seconds)


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(name, about, value=value)
