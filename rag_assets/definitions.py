"""The code location: everything put together, in one function that tests and ``brain index`` call too."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from rag_assets.checks import BATCH_CHECKS, INDEX_CHECKS
from rag_assets.evaluation_report import evaluation_report
from rag_assets.jobs import INDEX_ASSETS, check_index, index_notes, update_index
from rag_assets.schedules import nightly_schedule
from rag_assets.sensors import register_note_batches
from rag_core.settings import read_settings
from resources.engine import EngineResource


def build_definitions(resource_overrides: Mapping[str, Any] | None = None) -> dg.Definitions:
    """All definitions; ``resource_overrides`` replaces resources by key, such as an engine that is open already.

    Steps run in the run's own process: a process a step costs 8 s each, and the steps are sequential anyway.

    Raises:
        ConfigurationError: the environment's settings are out of bounds.
    """
    return dg.Definitions(
        assets=[*INDEX_ASSETS, evaluation_report],
        asset_checks=[*BATCH_CHECKS, *INDEX_CHECKS],
        jobs=[index_notes, update_index, check_index],
        schedules=[nightly_schedule(read_settings().timezone)],
        sensors=[register_note_batches],
        resources={"engine": EngineResource(), **(resource_overrides or {})},
        executor=dg.in_process_executor,
    )


defs = build_definitions()
