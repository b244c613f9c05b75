"""The code location: everything put together, in one function that tests and ``brain index`` call too."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from rag_assets.alerts import watch_and_alert
from rag_assets.checks import BATCH_CHECKS, GOLDEN_CHECKS, INDEX_CHECKS
from rag_assets.evaluation_report import evaluation_report
from rag_assets.folders import documents, import_changed_folders, import_folders
from rag_assets.jobs import INDEX_ASSETS, check_index, index_notes, update_index
from rag_assets.migration import migration_report
from rag_assets.migration_checks import MIGRATION_CHECKS
from rag_assets.migration_jobs import OPERATOR_JOBS, migrate_notes
from rag_assets.model_benchmark import benchmark_job
from rag_assets.model_vectors import fill_in_models, model_vectors
from rag_assets.old_conversations import forget_conversations, forgetting_schedule
from rag_assets.schedules import hourly_schedule, nightly_schedule, verification_schedule
from rag_assets.sensors import index_new_and_changed_notes, register_note_batches
from rag_assets.served_configuration import served_configuration, tune_and_promote, tuning_schedule
from rag_assets.tuned_configuration import tuned_configuration
from rag_core.settings import read_settings
from resources.engine import EngineResource
from resources.notifier import NotifierResource


def build_definitions(resource_overrides: Mapping[str, Any] | None = None) -> dg.Definitions:
    """All definitions; ``resource_overrides`` replaces resources by key, such as an engine that is open already.

    A part of the system is added here, by the lists that its modules export, and nowhere else.
    Steps run in the run's own process: a process a step costs 8 s each, and the steps are sequential anyway.

    Raises:
        ConfigurationError: the environment's settings are out of bounds.
    """
    timezone = read_settings().timezone
    return dg.Definitions(
        assets=dg.with_source_code_references(
            [
                documents,
                *INDEX_ASSETS,
                evaluation_report,
                migration_report,
                model_vectors,
                tuned_configuration,
                served_configuration,
            ]
        ),
        asset_checks=[*BATCH_CHECKS, *INDEX_CHECKS, *GOLDEN_CHECKS, *MIGRATION_CHECKS],
        jobs=[
            index_notes,
            update_index,
            check_index,
            migrate_notes,
            *OPERATOR_JOBS,
            fill_in_models,
            benchmark_job,
            tune_and_promote,
            forget_conversations,
            import_folders,
        ],
        schedules=[
            hourly_schedule(timezone),
            nightly_schedule(timezone),
            verification_schedule(timezone),
            tuning_schedule(timezone),
            forgetting_schedule(timezone),
        ],
        sensors=[register_note_batches, index_new_and_changed_notes, import_changed_folders, watch_and_alert],
        resources={"engine": EngineResource(), "notifier": NotifierResource(), **(resource_overrides or {})},
        executor=dg.in_process_executor,
    )


defs = build_definitions()
