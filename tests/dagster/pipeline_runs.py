"""Helpers of the pipeline's tests beside their fixtures."""

from collections.abc import Callable

import dagster as dg
from dagster._core.execution.backfill import BulkActionStatus, PartitionBackfill
from dagster._core.remote_origin import (
    ManagedGrpcPythonEnvCodeLocationOrigin,
    RemotePartitionSetOrigin,
    RemoteRepositoryOrigin,
)
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin

from rag_core.model.note import TenantId

TENANT = TenantId("pruebas")
RunJob = Callable[..., dg.ExecuteInProcessResult]
ImportTexts = Callable[..., None]


def range_tags(start: str, end: str) -> dict[str, str]:
    """The tags of a run over a range of partitions."""
    return {"dagster/asset_partition_range_start": start, "dagster/asset_partition_range_end": end}


def job_backfill(job: str, keys: list[str]) -> PartitionBackfill:
    """A backfill of a job over partitions, as the job's page in the UI makes it."""
    module = LoadableTargetOrigin(module_name="rag_assets.definitions")
    location = ManagedGrpcPythonEnvCodeLocationOrigin(loadable_target_origin=module)
    origin = RemoteRepositoryOrigin(code_location_origin=location, repository_name="__repository__")
    return PartitionBackfill(
        backfill_id=f"de {job}",
        status=BulkActionStatus.REQUESTED,
        from_failure=False,
        tags={},
        backfill_timestamp=0.0,
        partition_set_origin=RemotePartitionSetOrigin(
            repository_origin=origin, partition_set_name=f"{job}_partition_set"
        ),
        partition_names=keys,
        reexecution_steps=None,
    )
