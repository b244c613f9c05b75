"""The figures of a running API in one document: made in its process, asked for by another one."""

import hashlib
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from rag_core.resilience import CircuitBreaker
from rag_core.retrieval.cache import Cache, Caches
from rag_core.running_parts import read_parts
from rag_core.storage.database import PoolFigures
from rag_core.telemetry.metrics import Metrics

PATH = "/api/performance"
_TIMEOUT_SECONDS = 2.0


def performance(
    metrics: Metrics, *, caches: Caches, pool: PoolFigures, breakers: Mapping[str, CircuitBreaker], home: Path
) -> dict[str, Any]:
    """Everything measured in this process; ``latency`` holds averages in milliseconds, ``stages`` what they are made of."""
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


def fetch_performance(*, port: int, home: Path, key: str | None = None) -> dict[str, Any] | None:
    """The figures of the API that runs on this machine for this home; None when none does.

    ``key`` is shown to one that asks for keys.
    """
    found = _fetch(port, PATH, key)
    return found if found is not None and found.get("home") == home_mark(home) else None


def fetch_access(*, port: int, home: Path) -> Literal["open", "keys"] | None:
    """How the API that `brain up` runs for this home is reached; None when none runs.

    Another home's API, or whoever else has the port, is not asked: what it says is not true of this home.
    """
    if (read_parts(home) or {}).get("api") != "runs":
        return None
    access = (_fetch(port, "/readyz") or {}).get("access")
    return access if access in {"open", "keys"} else None


def _fetch(port: int, path: str, key: str | None = None) -> dict[str, Any] | None:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
        with opener.open(asked, timeout=_TIMEOUT_SECONDS) as answer:
            found = json.loads(answer.read())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
