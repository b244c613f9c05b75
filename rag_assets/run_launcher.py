"""Launcher of runs on one machine: as Dagster's own, but a run whose worker has died is always noticed.

Dagster's own launcher cannot check the health of a worker. Its code server reports workers that die, but not after it was
killed itself or failed to reach the database: then runs stay started for ever and fill the queue's places.
"""

import dagster as dg
from dagster._core.events import DagsterEventType
from dagster._core.launcher.base import CheckRunHealthResult, WorkerStatus

from rag_assets.worker_processes import PROCESS_TAG, has_ended, is_gone

GRPC_TAG = ".dagster/grpc_info"


class LocalRunLauncher(dg.DefaultRunLauncher):
    """The default launcher, with workers that can be asked after; ``dagster.yaml`` names it."""

    @property
    def supports_check_run_worker_health(self) -> bool:
        """True, so that run monitoring checks the workers."""
        return True

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """FAILED when the process that executes the run has ended; RUNNING otherwise, also where that cannot be told."""
        if self._has_lost_its_worker(run):
            return CheckRunHealthResult(WorkerStatus.FAILED, "the process that executed this run is gone")
        return CheckRunHealthResult(WorkerStatus.RUNNING)

    def _has_lost_its_worker(self, run: dg.DagsterRun) -> bool:
        if PROCESS_TAG in run.tags:
            return is_gone(run.tags[PROCESS_TAG])
        if "socket" not in run.tags.get(GRPC_TAG, ""):  # a code server elsewhere
            return False
        return any(has_ended(pid, seen_at=moment) for pid, moment in self._workers(run))

    def _workers(self, run: dg.DagsterRun) -> list[tuple[int, float]]:
        """The number of the run's process and when it was told; nothing while it starts."""
        events = self._instance.all_logs(run.run_id, of_type=DagsterEventType.ENGINE_EVENT)
        told = [(event.dagster_event, event.timestamp) for event in events]
        return [
            (int(str(event.engine_event_data.metadata["pid"].value)), moment)
            for event, moment in told
            if event is not None and "pid" in event.engine_event_data.metadata
        ]
