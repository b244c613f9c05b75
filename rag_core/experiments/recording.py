"""Records of live queries: the notes that both sides found and their durations, without the query's text."""

import threading
from collections import deque
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from uuid import UUID

from rag_core.errors import RagError
from rag_core.experiments.candidates import Outcome
from rag_core.experiments.live_query import searched_ms
from rag_core.model.experiment import Arm, ExperimentQuery, Side
from rag_core.model.note import NoteId, TenantId
from rag_core.model.retrieval import Hit, Retrieval
from rag_core.storage.database import Database
from rag_core.storage.experiments import insert_experiment_query
from rag_core.telemetry.logs import log_degraded

RECORD_MS = 500
"""Limit of an answer's wait for its record."""
_WAITING_RECORDS = 1000


def unique_notes(hits: Iterable[Hit]) -> tuple[NoteId, ...]:
    """The notes of the hits, each once, in the order of its best hit."""
    return tuple(dict.fromkeys(hit.note_id for hit in hits))


def record_of(
    query_id: UUID,
    experiment_id: UUID,
    arm: Arm,
    *,
    served: Retrieval,
    control: Retrieval | None = None,
    candidate: Outcome | None = None,
    teams: Sequence[Side] | None = None,
) -> ExperimentQuery:
    """A live query as it is kept."""
    other = Outcome() if candidate is None else candidate
    return ExperimentQuery(
        id=query_id,
        experiment_id=experiment_id,
        arm=arm,
        asked_at=datetime.now(UTC),
        control_notes=None if control is None else unique_notes(control.hits),
        candidate_notes=None if other.retrieval is None else unique_notes(other.retrieval.hits),
        served_notes=unique_notes(served.hits),
        teams=None if teams is None else tuple(teams),
        control_ms=None if control is None else searched_ms(control),
        candidate_ms=other.ms,
        is_degraded=served.is_degraded,
    )


class Records:
    """Writes what is to be kept; threads may share it. What cannot be written is lost, and no answer with it."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[TenantId, ExperimentQuery]] = deque(maxlen=_WAITING_RECORDS)
        self._lock = threading.Lock()

    def write(self, database: Database, tenant: TenantId, record: ExperimentQuery) -> bool:
        """Keep a record; whether it is kept."""
        try:
            with database.transaction(tenant, timeout_ms=RECORD_MS) as connection:
                insert_experiment_query(connection, tenant, record)
        except RagError as error:
            log_degraded("experiment record", error, tenant=tenant)
            return False
        return True

    def keep_for_later(self, tenant: TenantId, record: ExperimentQuery) -> None:
        """Keep a record as soon as there is time, which the reader does not wait for."""
        with self._lock:
            self._waiting.append((tenant, record))

    def write_waiting(self, database: Database) -> None:
        """Write what waits."""
        with self._lock:
            waiting = list(self._waiting)
            self._waiting.clear()
        for tenant, record in waiting:
            self.write(database, tenant, record)
