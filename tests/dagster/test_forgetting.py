"""Deletion of a tenant, which deletes what Dagster keeps of it and nothing of the others."""

import dagster as dg
from pipeline_runs import ImportTexts, RunJob

from rag_assets.forgetting import forget_batches
from rag_assets.partitions import PARTITIONS_NAME
from rag_core.model.note import TenantId
from rag_core.runtime.engine import DEMO_TENANT, Engine

SECRET = "Quimbayesca viajó en tren a Cádiz."


def events(instance: dg.DagsterInstance) -> str:
    return "".join(str(record) for run in instance.get_runs() for record in instance.all_logs(run.run_id))


def test_its_partitions_and_runs_go_and_others_stay(
    engine: Engine, instance: dg.DagsterInstance, import_texts: ImportTexts, run_job: RunJob
) -> None:
    import_texts([SECRET], owner=DEMO_TENANT)  # the only tenant whose words runs may show
    assert run_job("index_notes").success
    before = events(instance)
    instance.add_dynamic_partitions(PARTITIONS_NAME, ["otra-000000"])
    other = instance.create_run_for_job(dg.job(name="otro")(lambda: None), tags={"dagster/partition": "otra-000000"})

    forgotten = forget_batches(instance, [f"{DEMO_TENANT}-000000"])

    assert (forgotten.partitions, forgotten.runs) == (1, 1)
    assert "Quimbayesca" in before
    assert "Quimbayesca" not in events(instance)
    assert instance.get_dynamic_partitions(PARTITIONS_NAME) == ["otra-000000"]
    assert [run.run_id for run in instance.get_runs()] == [other.run_id]


def test_a_tenant_dagster_never_saw_leaves_nothing_to_delete(instance: dg.DagsterInstance) -> None:
    assert forget_batches(instance, [f"{TenantId('nueva')}-000000"]).partitions == 0
