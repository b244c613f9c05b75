"""The figures of a running API in one document: made in its process, asked for by another one."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rag_core.resilience.circuit_breaker import CircuitBreaker
from rag_core.runtime.cache import Cache, Caches
from rag_core.storage.database import PoolFigures
from rag_core.telemetry.metrics import Metrics

PATH = "/api/performance"


def performance(
    metrics: Metrics, *, caches: Caches, pool: PoolFigures, breakers: Mapping[str, CircuitBreaker], home: Path
) -> dict[str, Any]:
    """Measurements of this process; ``latency`` holds averages in milliseconds, ``stages`` those of its parts."""
    stats = metrics.stats()
    return {
        "latency": {stage: found.avg for stage, found in stats.items()},
        "stages": {stage: asdict(found) for stage, found in stats.items()},
        "requests": asdict(metrics.requests),
        "cache": {f"{name}HitRate": round(cache.figures.hit_rate, 4) for name, cache in _named(caches).items()},
        "caches": {name: asdict(cache.figures) for name, cache in _named(caches).items()},
        "database": {
            "connectionPoolSize": pool.size,
            "activeConnections": pool.active,
            "waitingRequests": pool.waiting,
            "queryCount": pool.queries,
            "avgQueryTime": pool.average_ms,
        },
        "resources": {"memoryUsageMB": _memory_mb(), "cpuUsagePercent": metrics.cpu_percent()},
        "breakers": {name: breaker.state for name, breaker in breakers.items()},
        "home": home_mark(home),
    }


def _named(caches: Caches) -> dict[str, Cache[Any, Any]]:
    return {"query": caches.query, "embedding": caches.embedding, "context": caches.context}


def _memory_mb() -> float:
    import psutil  # 0.05 s, needed only here

    return round(psutil.Process().memory_info().rss / 2**20, 1)


def home_mark(home: Path) -> str:
    """Tells one home from another without saying where it is."""
    return hashlib.sha256(str(home).encode("utf-8", "surrogateescape")).hexdigest()[:16]
