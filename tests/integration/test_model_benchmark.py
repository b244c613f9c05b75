"""Embedding models side by side: what they find, what they cost, and those that cannot be measured."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from command_line import Brain
from ollama_answers import LOADED_BYTES
from ollama_server import OllamaServer, running_ollama_server

from rag_core.errors import (
    EmbeddingUnavailableError,
    EvaluationCancelledError,
    InvalidInputError,
    ModelStateError,
    NotFoundError,
)
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.jobs.queue import fetch_job, running_jobs, submit
from rag_core.model.embedding import EmbeddingModel, WantedModel
from rag_core.model.note import TenantId
from rag_core.model_change import benchmark as benchmark_of_models
from rag_core.model_change.backfill import begin_backfill, fill_model, settle_model
from rag_core.model_change.benchmark import benchmark_models
from rag_core.model_change.registration import register_model
from rag_core.runtime.engine import Engine, open_engine, with_model
from rag_core.settings import read_settings
from rag_core.storage.database import Database

GOLDEN = (
    ("facturas de marzo", "factual", 1),
    ("reunión con el jefe", "factual", 2),
    ("pan de masa madre", "causal", 3),
    ("tos del perro", "causal", 3),
    ("migrañas y natación", "factual", 5),
    ("huerto de tomates", "factual", 1),
    ("copia de PostgreSQL 18", "factual", 1),
    ("novela de la ceramista", "factual", 1),
    ("goteras del tejado", "factual", 1),
    ("Wo ist der Schlüssel für die Wohnung von meiner Mutter?", "factual", 1),
)


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    with running_ollama_server() as server:
        server.serve("nomic", dimensions=64)
        yield server


@pytest.fixture
def engine(database_url: str, ollama: OllamaServer) -> Iterator[Engine]:
    with open_engine(read_settings(database_url=database_url, ollama_host=ollama.url)) as opened:
        yield opened


@pytest.fixture
def corpus(engine: Engine, tenant: TenantId, make_note, index_notes) -> TenantId:
    """Ten notes with a question each, one of them in German and one of a technical thing."""
    for number, (subject, _, _) in enumerate(GOLDEN):
        make_note(f"Hoy escribo sobre {subject}, que da para mucho.", external_id=f"n{number}")
    index_notes()
    lines = [
        json.dumps({"query": query, "relevant_ids": [f"n{number}"], "category": category, "difficulty": level}).encode()
        for number, (query, category, level) in enumerate(GOLDEN)
    ]
    import_golden(engine.database, tenant, lines, set_name="diario")
    return tenant


@pytest.fixture
def make_ready(engine: Engine, ollama: OllamaServer) -> Callable[..., None]:
    """Register a model and make its vectors."""

    def ready(name: str, provider: str, dimensions: int) -> None:
        wanted = WantedModel(name=name, provider=provider, dimensions=dimensions)  # type: ignore[arg-type]
        register_model(engine.database, wanted, settings=read_settings(ollama_host=ollama.url))
        model = begin_backfill(engine.database, name)
        fill_model(engine.database, model, with_model(engine, model).embedder)
        settle_model(engine.database, model)

    return ready


def test_every_model_asks_every_set_and_is_compared_with_the_active_one(engine, corpus, make_ready) -> None:
    make_ready("blunt", "hashing", 1)
    make_ready("nomic", "ollama", 64)

    found = benchmark_models(engine, corpus)

    assert [(model.name, model.is_active, model.failure) for model in found.models] == [
        ("hashing", True, None),
        ("blunt", False, None),
        ("nomic", False, None),
    ]
    places = [("diario", "semantic"), ("diario", "hybrid+rerank")]
    assert all([(q.set_name, q.strategy) for q in model.quality] == places for model in found.models)
    active, blunt = found.models[0].quality[0], found.models[1].quality[0]
    assert active.comparison is None
    assert blunt.comparison is not None
    assert blunt.comparison.baseline_run_id == active.run.run_id
    assert blunt.comparison.difference == pytest.approx(blunt.overall.ndcg_at_10 - active.overall.ndcg_at_10)
    assert blunt.comparison.difference < -0.3
    assert blunt.to_json()["comparedWithActive"]["pAdjusted"] == min(
        2 * blunt.comparison.metrics["ndcg_at_10"].p_value, 1
    )


def test_quality_is_told_by_category_difficulty_and_language(engine, corpus) -> None:
    (model,) = benchmark_models(engine, corpus).to_json()["models"]

    semantic = model["quality"][0]
    assert {name: found["queries"] for name, found in semantic["byCategory"].items()} == {"causal": 2, "factual": 8}
    assert {name: found["queries"] for name, found in semantic["byDifficulty"].items()} == {
        "1": 6,
        "2": 1,
        "3": 2,
        "5": 1,
    }
    assert {name: found["queries"] for name, found in semantic["byLanguage"].items()} == {"de": 1, "es": 9}
    assert semantic["germanQueryAccuracy"] == 1.0
    assert (semantic["technicalTermAccuracy"], semantic["technicalTermQueries"]) == (1.0, 1)
    # one relevant note a query, found: 1 of 5, 1 of 10
    assert (semantic["precisionAt5"], semantic["precisionAt10"]) == (pytest.approx(0.2), pytest.approx(0.1))


def test_costs_are_measured(engine, corpus, make_ready) -> None:
    make_ready("nomic", "ollama", 64)

    hashing, nomic = (model.cost for model in benchmark_models(engine, corpus).models)

    for cost in (hashing, nomic):
        assert 0 < cost.query_p50_ms <= cost.query_p95_ms
        assert (cost.timed_queries, cost.timed_chunks) == (10, 10)
        assert cost.chunks_per_second > 0
        assert (cost.storage.vectors, cost.storage.index_bytes) == (20, None)
    assert (nomic.memory_of, nomic.memory_mb) == ("server", LOADED_BYTES / 1024**2)
    assert hashing.memory_of == "process"
    assert 1 < hashing.memory_mb < 1000
    # 4 bytes a number and a few of its own
    assert 20 * 4 * 768 < hashing.storage.vector_bytes < 20 * (4 * 768 + 32)
    assert 20 * 4 * 64 < nomic.storage.vector_bytes < 20 * (4 * 64 + 32)


def test_every_run_is_stored_as_a_benchmarks(engine, corpus) -> None:
    found = benchmark_models(engine, corpus)

    with engine.database.transaction(corpus) as connection:
        rows = connection.execute("select run_id, purpose from evaluation_runs order by created_at").fetchall()
    assert rows == [(quality.run.run_id, "benchmark") for quality in found.models[0].quality]


def test_a_model_whose_server_is_away_is_named_and_the_others_are_measured(
    engine, corpus, make_ready, ollama: OllamaServer
) -> None:
    make_ready("nomic", "ollama", 64)
    ollama.misbehave("status", status=500)

    found = benchmark_models(engine, corpus)

    assert found.models[0].failure is None
    assert found.models[1].quality == ()
    assert "answered status 500" in (found.models[1].failure or "")


def test_a_model_without_vectors_is_left_out_and_refused_when_it_is_named(engine, corpus) -> None:
    register_model(
        engine.database,
        WantedModel(name="new", provider="hashing", dimensions=64),
        settings=read_settings(ollama_host=""),
    )

    found = benchmark_models(engine, corpus)

    assert [model.name for model in found.models] == ["hashing"]
    assert "lacks 20 vectors" in found.left_out["new"]
    with pytest.raises(ModelStateError, match="lacks 20 vectors"):
        benchmark_models(engine, corpus, names=["new"])
    with pytest.raises(NotFoundError, match="nobody"):
        benchmark_models(engine, corpus, names=["nobody"])


def test_without_a_golden_set_there_is_nothing_to_measure_on(engine, tenant, make_note, index_notes) -> None:
    make_note("Nada que preguntar.")
    index_notes()

    with pytest.raises(InvalidInputError, match="has no golden set"):
        benchmark_models(engine, tenant)


def test_it_stops_between_two_queries_when_it_is_told_to(engine, corpus) -> None:
    with pytest.raises(EvaluationCancelledError):
        benchmark_models(engine, corpus, should_stop=lambda: True)


def test_as_a_job_it_leaves_its_report(engine, corpus) -> None:
    job_id = submit(engine.database, corpus, "embedding_benchmark", {"sets": ["diario"]})

    with running_jobs(engine.database, lambda: engine, poll_seconds=0.05):
        job = _finished(engine, corpus, job_id)

    assert (job.state, job.error) == ("completed", None)
    assert [model["modelName"] for model in job.result["models"]] == ["hashing"]


def test_a_job_with_an_unknown_parameter_fails_with_those_it_takes(engine, corpus) -> None:
    job_id = submit(engine.database, corpus, "embedding_benchmark", {"model": "x"})

    with running_jobs(engine.database, lambda: engine, poll_seconds=0.05):
        job = _finished(engine, corpus, job_id)

    assert (job.state, job.error) == ("failed", "model: unknown; a benchmark takes models and sets")


def _finished(engine: Engine, tenant: TenantId, job_id: Any) -> Any:
    import time

    until = time.monotonic() + 60
    while (job := fetch_job(engine.database, tenant, job_id)).state in {"queued", "running"}:
        assert time.monotonic() < until, job
        time.sleep(0.1)
    return job


def test_the_command_prints_the_report(brain: Brain, corpus) -> None:
    words = ["models", "benchmark", "--tenant", "pruebas"]

    done, told = brain(*words), brain(*words, "--json")

    assert (done.exit_code, told.exit_code) == (0, 0)
    assert "Quality, set diario, semantic" in done.stdout
    assert "Cost" in done.stdout
    (model,) = json.loads(told.stdout)["models"]
    assert (model["modelName"], model["isActive"], model["dimensions"]) == ("hashing", True, 768)
    assert set(model["storageBytes"]) == {"vectors", "vectorCount", "index"}


def test_while_the_active_model_cannot_be_measured_nobody_takes_its_place(
    engine, corpus, make_ready, monkeypatch
) -> None:
    make_ready("blunt", "hashing", 1)
    make_ready("sharp", "hashing", 64)
    measure = benchmark_of_models.measure_cost

    def away(database: Database, tenant: TenantId, model: EmbeddingModel, queries: list[str], **more: Any) -> Any:
        if model.id == engine.model.id:
            raise EmbeddingUnavailableError("the server is away")
        return measure(database, tenant, model, queries, **more)

    monkeypatch.setattr(benchmark_of_models, "measure_cost", away)

    active, *others = benchmark_models(engine, corpus).models

    assert active.failure == "the server is away"
    assert [quality.comparison for model in others for quality in model.quality] == [None] * 4
