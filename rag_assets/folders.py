"""Followed folders: a job that imports them, and the sensor that starts it when something in them changed."""

import dagster as dg

from rag_assets.stages import OWNERS
from rag_core.folders.following import has_changed, sync_folder
from rag_core.runtime.engine import Engine
from rag_core.storage.documents import WatchedFolder, list_watched_folders

FOLDER_TAG = "brain/folder"
UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]


@dg.op(description="Import every followed folder: what is new or changed is stored, what is gone is removed.")
def import_followed_folders(context: dg.OpExecutionContext, engine: dg.ResourceParam[Engine]) -> None:
    """Import them one after the other, and say what became of their files."""
    for folder in list_watched_folders(engine.database):
        report = sync_folder(engine.settings, engine.database, folder)
        if report is None:
            context.log.warning("%s was not imported; `brain folder list` says why", _name(folder))
            continue
        counts = {
            name: report.count(name) for name in ("imported", "updated", "unchanged", "removed", "refused", "failed")
        }
        context.log.info("%s: %s", _name(folder), ", ".join(f"{name} {count}" for name, count in counts.items()))


@dg.job(
    name="import_folders",
    owners=OWNERS,
    tags={"brain/purpose": "import"},
    description="Import the folders that `brain folder add` has followed; `brain up` does the same within seconds of a change.",
)
def import_folders() -> None:
    """The one step."""
    import_followed_folders()


@dg.sensor(
    job=import_folders,
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
    tags={"brain/purpose": "import"},
    description="Every minute: compares followed folders with their files' last state, and imports them where any differs.",
)
def import_changed_folders(context: dg.SensorEvaluationContext, engine: dg.ResourceParam[Engine]) -> dg.SensorResult:
    """Request a run when a file was added, changed or removed since the last import."""
    changed = [folder for folder in list_watched_folders(engine.database) if has_changed(engine.database, folder)]
    if not changed:
        return dg.SensorResult(skip_reason="No followed folder has changed.")
    active = context.instance.get_run_ids(
        dg.RunsFilter(job_name=import_folders.name, statuses=UNFINISHED),
        limit=1,
    )
    if active:
        return dg.SensorResult(skip_reason=f"Run {active[0]} is importing or waits to.")
    return dg.SensorResult(run_requests=[dg.RunRequest(tags={FOLDER_TAG: ", ".join(map(_name, changed))})])


def _name(folder: WatchedFolder) -> str:
    return f"{folder.tenant}/{folder.source}"
