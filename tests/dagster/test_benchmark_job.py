"""The benchmark of embedding models as a job of Dagster."""

import json

from pipeline_runs import TENANT, RunJob

from rag_assets.definitions import build_definitions
from rag_core.evaluation.golden.importing import import_golden
from rag_core.model.embedding import WantedModel
from rag_core.model_change.registration import register_model
from rag_core.settings import read_settings

TEXTS = ["La casa azul está junto al río.", "Treinta y dos facturas sin pagar.", "El pan salió demasiado denso."]


def test_the_job_puts_quality_and_costs_into_its_metadata(engine, instance, import_texts, run_job: RunJob) -> None:
    import_texts(TEXTS)
    run_job("update_index")
    import_golden(engine.database, TENANT, [json.dumps({"query": "¿la casa azul?", "relevant_ids": ["n0"]}).encode()])
    register_model(
        engine.database,
        WantedModel(name="otro", provider="hashing", dimensions=64),
        settings=read_settings(ollama_host=""),
    )

    job = build_definitions({"engine": engine}).resolve_job_def("benchmark_models")
    result = job.execute_in_process(
        instance=instance, run_config={"ops": {"measure_models": {"config": {"tenant": TENANT}}}}
    )

    output = next(event for event in result.all_events if event.event_type_value == "STEP_OUTPUT")
    told = output.event_specific_data.metadata
    quality = [(row.data["strategy"], row.data["model"], row.data["ndcg@10"]) for row in told["quality"].records]
    assert quality == [("semantic", "hashing", 1.0), ("hybrid+rerank", "hashing", 1.0)]
    assert [row.data["model"] for row in told["cost"].records] == ["hashing"]
    assert "lacks 6 vectors" in told["left_out"].data["otro"]
