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

from rag_assets.definitions import build_definitions
from rag_assets.partitions import PARTITIONS_NAME, add_missing_keys
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import list_tenants, register_batches
from rag_core.storage.database import Database

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}

TENANT = TenantId("pruebas")
RunJob = Callable[..., dg.ExecuteInProcessResult]
ImportTexts = Callable[..., None]


def range_tags(start: str, end: str) -> dict[str, str]:
    """The tags of a run over a range of partitions."""
    return {"dagster/asset_partition_range_start": start, "dagster/asset_partition_range_end": end}


def run_over_all(
    name: str, database: Database, instance: dg.DagsterInstance, *, with_engine: Engine, is_partitioned: bool = True
) -> dg.ExecuteInProcessResult:
    """Run a job over all batches there are, as one range; or without partitions."""
    for tenant in list_tenants(database):
        register_batches(database, tenant)
    add_missing_keys(instance, database)
    keys = instance.get_dynamic_partitions(PARTITIONS_NAME)
    return (
        build_definitions({"engine": with_engine})
        .resolve_job_def(name)
        .execute_in_process(
            instance=instance,
            run_config=QUIET,
            tags=range_tags(keys[0], keys[-1]) if is_partitioned else None,
            raise_on_error=False,
        )
    )


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
