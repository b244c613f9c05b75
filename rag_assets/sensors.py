"""What is looked at every minute."""

import dagster as dg

from rag_assets.partitions import NOTE_BATCHES, missing_keys
from rag_core.engine import Engine
from rag_core.indexing.batches import list_tenants, register_batches


@dg.sensor(
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Gives new notes a batch and makes new batches partitions. It starts no run.",
)
def register_note_batches(context: dg.SensorEvaluationContext, engine: dg.ResourceParam[Engine]) -> dg.SensorResult:
    """Register batches and ask Dagster for their partitions."""
    for tenant in list_tenants(engine.database):
        register_batches(engine.database, tenant)
    keys = missing_keys(context.instance, engine.database)
    if not keys:
        return dg.SensorResult(skip_reason="Every note has its batch, and every batch its partition.")
    return dg.SensorResult(dynamic_partitions_requests=[NOTE_BATCHES.build_add_request(keys)])
