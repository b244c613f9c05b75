"""The benchmark of embedding models over HTTP: asked for, looked at, cancelled; messages in German."""

import time
from uuid import UUID, uuid4

import pytest

from rag_core.evaluation.jobs.queue import fetch_job, list_jobs, running_jobs, submit
from rag_core.model.note import TenantId
from rag_core.model_change import benchmark  # noqa: F401  registers the kind of job
from rag_core.storage.golden import list_golden_sets

ADDRESS = "/api/v2/evaluation/embedding-benchmark"


@pytest.fixture
def golden(client, add_note) -> None:
    """A note and the question it answers."""
    note = add_note("La casa azul está junto al río.")
    body = {
        "query": "¿Dónde está la casa azul?",
        "relevantNoteIds": [note["id"]],
        "expectedAnswer": "Junto al río",
        "category": "factual",
        "difficulty": 1,
    }
    assert client.post("/api/golden-dataset", json=body).status_code == 201


def test_a_benchmark_is_asked_for_and_its_report_is_read(client, engine, golden) -> None:
    started = client.post(ADDRESS, json={"models": ["hashing"]})
    run_id = started.json()["runId"]
    queued = client.get(f"{ADDRESS}/{run_id}").json()

    with running_jobs(engine.database, lambda: engine, poll_seconds=0.05):
        until = time.monotonic() + 60
        while (found := client.get(f"{ADDRESS}/{run_id}").json())["status"] in {"queued", "running"}:
            assert time.monotonic() < until, found
            time.sleep(0.1)

    assert (started.status_code, started.json()["status"]) == (202, "started")
    assert (queued["status"], queued["report"]) == ("queued", None)
    assert (found["status"], found["error"]) == ("completed", None)
    (model,) = found["report"]["models"]
    assert (model["modelName"], model["quality"][0]["mrr"]) == ("hashing", 1.0)


def test_a_queued_one_is_cancelled_at_once(client) -> None:
    run_id = client.post(ADDRESS, json={}).json()["runId"]

    assert client.post(f"{ADDRESS}/{run_id}/cancel").json()["status"] == "cancelled"


def test_an_unknown_model_is_named_in_german(client) -> None:
    answer = client.post(ADDRESS, json={"models": ["hashing", "niemand"]})

    assert answer.status_code == 400
    assert answer.json()["details"] == ("Nicht registriert: niemand. `brain models list` zeigt, welche Modelle es gibt")


def test_an_unknown_golden_set_is_named_in_german_and_nothing_is_queued(client, engine, golden) -> None:
    answer = client.post(ADDRESS, json={"datasets": ["default", "keiner"]})

    assert answer.status_code == 404
    assert answer.json()["details"] == "Diese Datensätze gibt es nicht: keiner"
    assert list_jobs(engine.database, engine.tenant()) == []


def test_a_golden_set_goes_by_its_name_or_its_id(client, engine, golden) -> None:
    with engine.database.transaction(engine.tenant()) as connection:
        (summary,) = list_golden_sets(connection, engine.tenant())

    run_id = client.post(ADDRESS, json={"datasets": [str(summary.golden.id), "default"]}).json()["runId"]

    job = fetch_job(engine.database, engine.tenant(), UUID(run_id))
    assert job.parameters == {"sets": ["default"]}


def test_what_is_no_benchmark_of_ones_own_is_404(client, engine, add_note) -> None:
    add_note("Una nota.")
    other = submit(engine.database, engine.tenant(), "evaluation", {})
    with engine.database.owner() as connection:
        connection.execute("insert into brain.tenants (tenant_id) values ('otra')")
    foreign = submit(engine.database, TenantId("otra"), "embedding_benchmark", {})

    for run_id in (uuid4(), other, foreign):
        for answer in (client.get(f"{ADDRESS}/{run_id}"), client.post(f"{ADDRESS}/{run_id}/cancel")):
            assert answer.status_code == 404
            assert answer.json()["details"] == "Diesen Modellvergleich gibt es nicht"
