"""Tuning over HTTP: asked for, looked at, cancelled; messages in German."""

import time
from uuid import uuid4

import pytest
from api_filling import add_note, filling_client
from fastapi.testclient import TestClient
from filling import Filled

from rag_core.evaluation.jobs.queue import running_jobs, submit
from rag_core.evaluation.tuning import job
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine

ADDRESS = "/api/v2/evaluation/tuning"


@pytest.fixture
def beginning(request: pytest.FixtureRequest, template: str, filled: Filled) -> str:
    return filled("houses", fill) if "golden" in request.fixturenames else template


@pytest.fixture
def golden() -> None:
    """Thirty questions, each on a note of its own; the test's database begins with them."""


def fill(url: str) -> None:
    with filling_client(url) as client:
        for number in range(30):
            text = f"La casa número {number} está junto al río {number * 7}."
            body = {
                "query": f"¿Dónde está la casa {number}?",
                "relevantDocumentIds": [add_note(client, text, externalId=f"casa-{number}")],
                "expectedAnswer": f"Junto al río {number * 7}",
                "category": "factual",
                "difficulty": "easy",
            }
            assert client.post("/api/v2/evaluation/golden-dataset", json=body).status_code == 201


def test_a_tuning_is_asked_for_and_its_report_is_read(client: TestClient, engine: Engine, golden) -> None:
    assert job.MAX_MINUTES  # importing it is what registers tunings
    started = client.post(ADDRESS, json={"datasetId": "rag-v2", "minutes": 0.05, "parts": ["fusion"]})
    run_id = started.json()["runId"]
    queued = client.get(f"{ADDRESS}/{run_id}").json()

    with running_jobs(engine.database, lambda: engine, poll_seconds=0.05):
        until = time.monotonic() + 120
        while (found := client.get(f"{ADDRESS}/{run_id}").json())["status"] in {"queued", "running"}:
            assert time.monotonic() < until, found
            time.sleep(0.1)

    assert (started.status_code, started.json()["status"]) == (202, "started")
    assert (queued["status"], queued["report"]) == ("queued", None)
    assert (found["status"], found["error"]) == ("completed", None)
    report = found["report"]
    assert (report["set"], report["queries"], report["isWorthProposing"], report["number"]) == (
        "rag-v2",
        30,
        False,
        None,
    )
    assert set(report["metrics"]) == {"ndcgAt10", "mrr"}
    assert client.get(f"/evaluation/tuning/{run_id}").status_code == 200


def test_a_queued_one_is_cancelled_at_once(client: TestClient, golden) -> None:
    run_id = client.post(ADDRESS, json={}).json()["runId"]

    assert client.post(f"{ADDRESS}/{run_id}/cancel").json()["status"] == "cancelled"


def test_a_set_with_too_few_questions_is_refused_with_the_remedy(client: TestClient, golden) -> None:
    first = client.get("/api/v2/evaluation/golden-dataset").json()["queries"][0]["id"]
    assert client.delete(f"/api/v2/evaluation/golden-dataset/{first}").status_code == 204

    answer = client.post(ADDRESS, json={})

    assert answer.status_code == 400
    assert answer.json()["details"].startswith("Der Datensatz hat 29 Fragen; zum Abstimmen braucht es mindestens 30.")


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({"minutes": 0}, 400, "minutes: muss größer als 0"),
        ({"minutes": 121}, 400, "minutes: darf höchstens 120"),
        ({"parts": []}, 400, "parts: zu wenige; mindestens 1"),
        ({"parts": ["nichts"]}, 400, "parts.0: nicht zulässig"),
        ({"nichts": 1}, 400, "nichts: unbekanntes Feld"),
        ({"datasetId": "keiner"}, 404, "Diesen Datensatz gibt es nicht"),
    ],
)
def test_what_cannot_be_tuned_is_refused_in_german(client: TestClient, golden, body, status, told) -> None:
    answer = client.post(ADDRESS, json=body)

    assert answer.status_code == status
    assert answer.json()["details"].startswith(told)


def test_a_failure_is_told(client: TestClient, engine: Engine, add_note) -> None:
    add_note("Una nota.")
    run_id = submit(engine.database, engine.tenant(), "tuning", {"set": "gone"})

    with running_jobs(engine.database, lambda: engine, poll_seconds=0.05):
        until = time.monotonic() + 30
        while (found := client.get(f"{ADDRESS}/{run_id}").json())["status"] in {"queued", "running"}:
            assert time.monotonic() < until, found
            time.sleep(0.1)

    assert found["status"] == "failed"
    assert found["error"].startswith("Die Abstimmung ist fehlgeschlagen; ")


def test_what_is_no_tuning_of_ones_own_is_404(client: TestClient, engine: Engine, add_note) -> None:
    add_note("Una nota.")
    other = submit(engine.database, engine.tenant(), "evaluation", {})
    with engine.database.owner() as connection:
        connection.execute("insert into brain.tenants (tenant_id) values ('otra')")
    foreign = submit(engine.database, TenantId("otra"), "tuning", {})

    for run_id in (uuid4(), other, foreign):
        for answer in (client.get(f"{ADDRESS}/{run_id}"), client.post(f"{ADDRESS}/{run_id}/cancel")):
            assert answer.status_code == 404
            assert answer.json()["details"] == "Diese Abstimmung gibt es nicht"
