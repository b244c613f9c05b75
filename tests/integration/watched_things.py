"""Objects of alerts, planted in a database."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from rag_core.model.incident import WindowFigures
from rag_core.model.note import NoteId, TenantId
from rag_core.storage import alerts as store
from rag_core.storage.alerts import ServiceMinute, operator_connection
from rag_core.storage.database import Connection, Database

MakeNote = Callable[..., NoteId]
NOW = datetime(2025, 3, 2, 12, 0, tzinfo=UTC)
REGRESSION = {
    "metric": "ndcg_at_10",
    "baseline": 0.8,
    "current": 0.6,
    "difference": -0.2,
    "p_worse": 0.001,
    "queries": 30,
    "is_regression": True,
}


def ago(**duration: float) -> datetime:
    return NOW - timedelta(**duration)


@pytest.fixture
def owner(database: Database) -> Iterator[Connection]:
    with operator_connection(database, timeout_ms=10_000) as connection:
        yield connection


def plant_evaluation(
    owner: Connection,
    tenant: TenantId,
    *,
    at: datetime,
    comparison: dict[str, Any] | None = None,
    strategy: str = "hybrid",
    purpose: str = "nightly",
    dagster_run: str = "d1",
) -> None:
    owner.execute(
        """insert into brain.evaluation_runs (
            tenant_id, set_name, set_version, config_hash, config, models, pipeline_fingerprint, hit_rate_at_1,
            hit_rate_at_3, hit_rate_at_5, hit_rate_at_10, mrr, ndcg_at_10, recall_at_20, latency_p50_ms, latency_p95_ms,
            latency_p99_ms, total_queries, degraded_queries, failed_queries, created_at, purpose, strategy, comparison,
            circumstances)
        values (%s, 'default', 1, 'h', '{}', '{}', 'f', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 30, 0, 0, %s, %s, %s, %s, %s)""",
        (
            tenant,
            at,
            purpose,
            strategy,
            None if comparison is None else Jsonb(comparison),
            Jsonb({"dagsterRun": dagster_run}),
        ),
    )


def plant_minute(owner: Connection, process: str, minute: datetime, *, is_last: bool = False, **figures: Any) -> None:
    row = ServiceMinute(process=process, minute=minute, figures=WindowFigures(**figures), is_last=is_last)
    store.write_service_minutes(owner, [row], prune_before=ago(days=30))
