"""Documents of followed folders: the asset that imports them, and the sensor that starts it when something in them changed."""

from collections.abc import Sequence
from typing import Any

import dagster as dg

from rag_assets.stages import OWNERS, PARSING_POOL, Materialized, Stopwatch, outages_retried, table
from rag_core.errors import EmbeddingError, ModelChangedError
from rag_core.folders.comparing import FolderReport
from rag_core.folders.following import has_changed, sync_folder
from rag_core.indexing.few_notes import index_few
from rag_core.model.document import FileStatus
from rag_core.runtime.engine import DEMO_TENANT, Engine
from rag_core.storage.batches import list_tenants
from rag_core.storage.documents import WatchedFolder, list_watched_folders
from rag_core.storage.overviews import DocumentCount, count_documents, fetch_page_preview

FOLDER_TAG = "brain/folder"
OUTCOMES: tuple[FileStatus, ...] = ("imported", "updated", "unchanged", "removed", "refused", "failed")
UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]


@dg.asset(
    kinds={"python", "postgres"},
    code_version="1",
    group_name="documents",
    owners=OWNERS,
    pool=PARSING_POOL,
    description=(
        "Files of followed folders, parsed into Markdown with blocks and stored as notes; what is gone is removed. Counts them and "
        "the uploads, which the API parses, by state, format and parser."
    ),
)
def documents(context: dg.AssetExecutionContext, engine: dg.ResourceParam[Engine]) -> Materialized:
    """Import the followed folders one after the other, and index what is new where that is little."""
    clock = Stopwatch()
    with outages_retried(context):
        folders = list_watched_folders(engine.database)
        reports = [_imported(context, engine, folder) for folder in folders]
        counts: dict[str, int] = {name: sum(report.count(name) for report in reports if report) for name in OUTCOMES}
        stored = count_documents(engine.database)
        return dg.MaterializeResult(
            metadata={
                **counts,
                "folders": len(folders),
                "folders_not_imported": reports.count(None),
                "documents": sum(one.documents for one in stored),
                "blocks": sum(one.blocks for one in stored),
                "warnings": sum(one.warnings for one in stored),
                "by_state_format_and_parser": _overview(stored),
                "preview": _preview(engine),
                "seconds": clock.seconds,
            }
        )


def _imported(context: dg.AssetExecutionContext, engine: Engine, folder: WatchedFolder) -> FolderReport | None:
    report = sync_folder(engine.settings, engine.database, folder)
    if report is None:
        context.log.warning("%s was not imported; `brain folder list` says why", _name(folder))
        return None
    context.log.info("%s: %s", _name(folder), ", ".join(f"{name} {report.count(name)}" for name in OUTCOMES))
    try:
        index_few(engine.database, folder.tenant, engine.pipeline, chat=engine.chat)
    except (EmbeddingError, ModelChangedError) as error:  # the notes are stored; the index's own runs make up for it
        context.log.warning("%s is not indexed at once: %s", _name(folder), error)
    return report


def _overview(stored: Sequence[DocumentCount]) -> dg.MetadataValue[Any]:
    rows = [
        {
            "state": one.status,
            "format": one.format,
            "parser": one.parser,
            "documents": one.documents,
            "blocks": one.blocks,
            "warnings": one.warnings,
        }
        for one in stored
    ]
    return table(rows) if rows else dg.MetadataValue.md("*no documents*")


def _preview(engine: Engine) -> dg.MetadataValue[Any]:
    """The first page of the demo's newest document as Markdown, of any tenant's only where the operator switched that on.

    Metadata is kept for ever, for whoever uses Dagster.
    """
    tenants = list_tenants(engine.database) if engine.settings.dagster_previews else [DEMO_TENANT]
    pages = [page for tenant in tenants if (page := fetch_page_preview(engine.database, tenant)) is not None]
    if not pages:
        return dg.MetadataValue.md("*pages are shown of the demo's documents only*")
    newest = max(pages, key=lambda page: page.checked_at)
    return dg.MetadataValue.md(f"**{newest.path}**\n\n{newest.text}")


import_folders = dg.define_asset_job(
    "import_folders",
    selection=dg.AssetSelection.assets(documents),
    owners=OWNERS,
    tags={"brain/purpose": "import"},
    description="Import the folders that `brain folder add` has followed; `brain up` does the same within seconds of a change.",
)


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
