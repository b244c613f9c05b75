"""Running experiment of live queries, with the configuration of each side."""

import threading
from dataclasses import dataclass

from cachetools import TTLCache

from rag_core.configuration.served import ServedConfiguration, resolve
from rag_core.errors import DatabaseUnavailableError, DeadlineExceededError, QueryFailedError
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.experiment import Experiment
from rag_core.model.note import TenantId
from rag_core.storage.configurations import StoredServed
from rag_core.storage.database import Database
from rag_core.storage.experiments import RunningExperiment, fetch_running_experiment
from rag_core.telemetry.logs import log_degraded

REMEMBERED_SECONDS = 5
"""An experiment that is begun or ended by another process is noticed this much later at most."""
REMEMBERED_TENANTS = 1024
LOOK_UP_MS = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """A running experiment with both sides as they are searched with.

    ``pause`` is why no query takes part at the moment: what is served is not what it was when the experiment began, so that readers
    of the control would get something else than they should.
    """

    experiment: Experiment
    control: ServedConfiguration
    candidate: ServedConfiguration
    pause: str | None


def contest_of(running: RunningExperiment, served: ServedConfiguration, model: EmbeddingModel) -> Contest:
    """The experiment as the process runs it that serves this."""
    experiment = running.experiment
    control = resolve(
        StoredServed(
            override=experiment.control,
            reranker_version=experiment.control_reranker,
            reranker_weights=running.control_weights,
        ),
        model,
    )
    candidate = resolve(
        StoredServed(
            override=experiment.candidate,
            reranker_version=experiment.candidate_reranker,
            reranker_weights=running.candidate_weights,
        ),
        model,
    )
    pause = _pause(running, control, candidate, served)
    return Contest(experiment=experiment, control=control, candidate=candidate, pause=pause)


def _pause(
    running: RunningExperiment,
    control: ServedConfiguration,
    candidate: ServedConfiguration,
    served: ServedConfiguration,
) -> str | None:
    if running.has_other_model:
        return "another embedding model was promoted since it began"
    if (served.config, served.weights.version) != (control.config, control.weights.version):
        return "what is served is not what it was when it began"
    problems = [*control.problems, *candidate.problems]
    return f"this version of the program cannot run it: {problems[0]}" if problems else None


class RunningExperiments:
    """The running experiment of each tenant, remembered for ``REMEMBERED_SECONDS``; one that cannot be read does not run."""

    def __init__(self) -> None:
        self._known: TTLCache[TenantId, RunningExperiment | None] = TTLCache(
            maxsize=REMEMBERED_TENANTS, ttl=REMEMBERED_SECONDS
        )
        self._lock = threading.Lock()

    def of(
        self,
        database: Database,
        tenant: TenantId,
        *,
        served: ServedConfiguration,
        model: EmbeddingModel,
        timeout_ms: float,
    ) -> Contest | None:
        """The experiment that a query takes part in now; None when none runs, or it is paused.

        ``served`` is what is served now; looking an experiment up takes a quarter of the time at most.
        """
        running = self._running(database, tenant, timeout_ms=min(LOOK_UP_MS, max(1, int(timeout_ms / 4))))
        if running is None:
            return None
        contest = contest_of(running, served, model)
        return contest if contest.pause is None else None

    def forget(self) -> None:
        """Look again at the next query."""
        with self._lock:
            self._known.clear()

    def _running(self, database: Database, tenant: TenantId, *, timeout_ms: int) -> RunningExperiment | None:
        with self._lock:
            if tenant in self._known:
                return self._known[tenant]
        try:
            running = database.read(
                tenant, lambda connection: fetch_running_experiment(connection, tenant), timeout_ms=timeout_ms
            )
        except (DatabaseUnavailableError, QueryFailedError, DeadlineExceededError) as error:
            log_degraded("experiment", error, tenant=tenant)
            running = None
        with self._lock:
            self._known[tenant] = running
        return running
