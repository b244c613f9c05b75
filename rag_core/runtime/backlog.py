"""Work of all tenants that waits in the database: jobs, notes to be indexed, notes to be read into the graph."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from rag_core.errors import RagError
from rag_core.indexing.failures import MAX_ATTEMPTS
from rag_core.model.incident import StaleNotes
from rag_core.storage import alerts as store
from rag_core.storage.database import Database

KEPT_SECONDS = 60
"""Time for which what the database told is told again: it looks at every note."""
DATABASE_MS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Unfinished jobs by state, notes not indexed or not read into the graph, and seconds since the oldest of each changed."""

    jobs: dict[str, int]
    stale_notes: int
    index_lag_seconds: float
    unread_notes: int
    graph_lag_seconds: float


@dataclass(slots=True)
class BacklogReader:
    """Backlog of the database, asked for once in a while; None while the database does not answer."""

    clock: Callable[[], float] = time.monotonic
    _known: Backlog | None = None
    _until: float = field(default=float("-inf"))

    def read(self, database: Database, *, fingerprint: str) -> Backlog | None:
        """Return the backlog as it is, or was within ``KEPT_SECONDS``."""
        if self.clock() >= self._until:
            self._until = self.clock() + KEPT_SECONDS
            self._known = _fetched(database, fingerprint)
        return self._known


def _fetched(database: Database, fingerprint: str) -> Backlog | None:
    now = datetime.now(UTC)
    try:
        with store.operator_connection(database, timeout_ms=DATABASE_MS) as connection:
            jobs = store.count_open_jobs(connection)
            stale = store.list_stale_notes(connection, fingerprint=fingerprint, before=now, most_attempts=MAX_ATTEMPTS)
            unread = store.list_unread_notes(connection, before=now)
    except RagError:
        return None
    return Backlog(
        jobs=jobs,
        stale_notes=sum(one.notes for one in stale),
        index_lag_seconds=_lag(stale, now),
        unread_notes=sum(one.notes for one in unread),
        graph_lag_seconds=_lag(unread, now),
    )


def _lag(waiting: Sequence[StaleNotes], now: datetime) -> float:
    return max(((now - one.oldest).total_seconds() for one in waiting), default=0.0)
