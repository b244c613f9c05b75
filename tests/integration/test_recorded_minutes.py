"""The thread that writes the API's figures: at once, every minute, at the end, and through an outage."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rag_core.alerting import service_minutes
from rag_core.alerting.service_minutes import recorded_minutes
from rag_core.storage.alerts import operator_connection
from rag_core.storage.database import Database
from rag_core.telemetry.metrics import Metrics
from rag_core.telemetry.process_names import this_process

Rows = list[tuple[Any, ...]]


def rows(database: Database) -> Rows:
    with operator_connection(database, timeout_ms=10_000) as connection:
        return connection.execute(
            "select process, requests, failed, degraded, latency_p95_ms, is_last from brain.service_minutes order by minute"
        ).fetchall()


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.02)


def minute_ends_in(seconds: float) -> Callable[[], datetime]:
    """A clock on which the minute ends so soon."""
    began = datetime.now(UTC)
    shift = datetime(2025, 3, 2, 12, 1, tzinfo=UTC) - timedelta(seconds=seconds) - began
    return lambda: datetime.now(UTC) + shift


def test_there_is_a_row_from_the_beginning_though_nothing_was_asked(database: Database) -> None:
    with recorded_minutes(database, Metrics()):
        until(lambda: len(rows(database)) == 1)

        assert rows(database) == [(this_process(), 0, 0, 0, None, False)]


def test_an_end_as_it_should_be_is_the_last_row_with_what_was_done_since(database: Database) -> None:
    metrics = Metrics()

    with recorded_minutes(database, metrics, now=minute_ends_in(50)):
        until(lambda: len(rows(database)) == 1)
        metrics.count_answer(is_degraded=True)
        metrics.record("total", 12.5)

    assert rows(database) == [(this_process(), 1, 0, 1, 12.5, True)]


def test_a_minute_is_written_when_it_is_over(database: Database) -> None:
    metrics = Metrics()
    metrics.count_answer(is_degraded=False)

    with recorded_minutes(database, metrics, now=minute_ends_in(0.5)):
        metrics.count_error(RuntimeError())
        time.sleep(0.7)
        until(lambda: rows(database)[0][1:3] == (2, 1))

    assert [row[1:] for row in rows(database)] == [(2, 1, 0, None, False), (0, 0, 0, None, True)]


def test_minutes_of_an_outage_are_written_when_it_is_over(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_minutes, "RETRY_SECONDS", 0.05)
    reachable, database.owner_conninfo = database.owner_conninfo, "host=127.0.0.1 port=9 dbname=none"
    metrics = Metrics()

    with recorded_minutes(database, metrics, now=minute_ends_in(0.3)):
        metrics.count_answer(is_degraded=False)
        time.sleep(0.6)
        database.owner_conninfo = reachable
        until(lambda: len(rows(database)) == 1)

    assert [row[1:] for row in rows(database)] == [(1, 0, 0, None, False), (0, 0, 0, None, True)]


def test_a_process_ends_though_the_database_is_away(database: Database) -> None:
    database.owner_conninfo = "host=127.0.0.1 port=9 dbname=none"

    with recorded_minutes(database, Metrics()):
        pass
