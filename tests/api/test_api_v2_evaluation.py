"""RAG V2's evaluations: asked for, done in the background, followed and cancelled; failures in German."""

import dataclasses
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from api_answers import ENGLISH
from api_filling import add_note, filling_client
from fastapi.testclient import TestClient
from filling import Filled

from rag_core.errors import DatabaseUnavailableError
from rag_core.evaluation.jobs import evaluation as evaluation_job
from rag_core.evaluation.jobs.queue import running_jobs, submit
from rag_core.evaluation.jobs.settings import asked_under
from rag_core.runtime.engine import Engine
from rag_core.storage import jobs
from rag_core.storage.jobs import claim_job

SPANISH = ("consulta", " el ", " la ", " los ", "petición", "debe ", "parámetros", "campo", "servidor")
SECONDS = 30


def assert_german(answer: Any, status: int, error: str | None = None) -> str:
    """The details of a failure, told in German."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error", "details"}
    said = f"{body['error']} {body['details']}".lower()
    assert [word for word in (*SPANISH, *ENGLISH) if word in said] == []
    if error is not None:
        assert body["error"] == error
    return str(body["details"])


@pytest.fixture
def beginning(request: pytest.FixtureRequest, template: str, filled: Filled) -> str:
    return filled("golden_of_rag_v2", _fill) if "golden" in request.fixturenames else template


@pytest.fixture
def golden() -> None:
    """Two notes, and a query of RAG V2 for each."""


def _fill(url: str) -> None:
    with filling_client(url) as client:
        travel = add_note(client, "Mañana viajo a Valparaíso con Lucía.")
        shopping = add_note(client, "Compré pan, leche y tomates.")
        for query, note, category, difficulty in (
            ("¿A dónde viajo con Lucía?", travel, "factual", "easy"),
            ("¿Qué compré con la leche?", shopping, "multi_hop", "hard"),
        ):
            body = {
                "query": query,
                "relevantDocumentIds": [note],
                "expectedAnswer": "Valparaíso" if note is travel else "pan",
                "keyFacts": ["Valparaíso"] if note is travel else [],
                "category": category,
                "difficulty": difficulty,
            }
            assert client.post("/api/v2/evaluation/golden-dataset", json=body).status_code == 201


@pytest.fixture
def working(engine: Engine) -> Iterator[None]:
    assert evaluation_job.STAGE  # importing it is what registers evaluations
    with running_jobs(engine.database, lambda: engine, poll_seconds=0.02):
        yield


def started(client: TestClient, **asked: object) -> str:
    answer = client.post("/api/v2/evaluation/run", json=asked)
    assert answer.status_code == 202, answer.text
    assert answer.json()["status"] == "started"
    return str(answer.json()["runId"])


def ended(client: TestClient, run_id: str) -> dict[str, Any]:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        state: dict[str, Any] = client.get(f"/api/v2/evaluation/runs/{run_id}").json()
        if state["status"] != "running":
            return state
        time.sleep(0.05)
    raise AssertionError(f"still running: {state}")


class TestRun:
    def test_a_run_is_started_and_its_results_are_there_when_it_is_done(self, client, golden, working) -> None:
        run_id = started(client, config={"strategy": "fulltext"})

        state = ended(client, run_id)

        assert (state["status"], state["progress"], state["error"]) == ("completed", {"done": 2, "total": 2}, None)
        results = state["results"]
        assert results["id"] == run_id
        assert (results["datasetName"], results["totalQueries"], results["failedQueries"]) == ("rag-v2", 2, 0)
        assert results["generationMetrics"] is None
        assert results["comparisonToBaseline"] is None
        metrics = results["retrievalMetrics"]
        assert set(metrics["precisionAtK"]) == set(metrics["recallAtK"]) == {"1", "3", "5", "10", "20"}
        assert (metrics["mrr"], metrics["ndcg"], metrics["map"], metrics["precisionAtK"]["5"]) == (1.0, 1.0, 1.0, 0.2)
        assert set(metrics["byCategory"]) == {"factual", "multi_hop"}
        assert {name: found["recallAt20"] for name, found in metrics["byDifficulty"].items()} == {
            "easy": 1.0,
            "hard": 1.0,
        }
        assert set(results["latencyMetrics"]) == {"p50", "p95", "p99", "byStage"}
        assert "retrieval" in results["latencyMetrics"]["byStage"]

    def test_answers_are_measured_when_they_are_asked_for(self, client, golden, working) -> None:
        state = ended(client, started(client, answers=True))

        generation = state["results"]["generationMetrics"]
        assert (generation["answers"], generation["judge"], generation["groundedness"]) == (2, None, None)
        assert generation["lexicalGroundedness"] is not None
        assert 0 < generation["expectedAnswerOverlap"] <= 1
        assert generation["keyFactsCovered"] == 1.0
        assert generation["citationSupport"] == 1.0

    def test_the_switches_of_rag_v2_are_taken(self, client, golden, working) -> None:
        state = ended(client, started(client, config={"rerankerEnabled": False, "graphEnabled": False}))

        config = state["results"]["config"]
        assert (config["rerankerEnabled"], config["graphEnabled"]) == (False, False)
        assert config["embeddingModel"].startswith("hashing")

    def test_sizes_of_chunks_are_refused_because_they_are_the_index_s(self, client, golden) -> None:
        answer = client.post("/api/v2/evaluation/run", json={"config": {"chunking": {"maxChunkSize": 256}}})

        assert "chunking wird beim Indexieren" in assert_german(answer, 400)

    def test_a_run_says_how_the_notes_it_searched_were_cut(self, client, golden, working, engine) -> None:
        def cut() -> str:
            return str(ended(client, started(client))["results"]["config"]["chunkingStrategy"])

        def index(fingerprint: str | None, *, where: str) -> None:
            with engine.database.transaction(engine.tenant()) as connection:
                connection.execute(
                    "update notes set indexed_fingerprint = %s where content like %s", (fingerprint, where)
                )

        all_of_it = cut()
        index(None, where="Compr%")
        half = cut()
        index("another", where="%")

        assert all_of_it == "sentence, 512 tokens, overlap 50 (2 notes)"
        assert half == "sentence, 512 tokens, overlap 50 (1 note); whole notes (1 note)"
        assert cut() == "pipeline another, unknown to this version (2 notes)"

    @pytest.mark.parametrize("group", ["zzz", None, 1, ["a"]])
    def test_a_switch_does_not_hide_a_group_that_is_none(self, client, golden, group) -> None:
        config = {"reranking": group, "rerankerEnabled": True}

        answer = client.post("/api/v2/evaluation/run", json={"config": config})

        assert answer.status_code == 400
        assert answer.json()["details"] == "reranking: muss ein Objekt sein"

    def test_a_category_limits_it(self, client, golden, working) -> None:
        state = ended(client, started(client, category="multi_hop"))

        assert state["results"]["totalQueries"] == 1

    def test_it_waits_until_a_server_is_free(self, client, golden) -> None:
        run_id = started(client)

        state = client.get(f"/api/v2/evaluation/runs/{run_id}").json()

        assert (state["status"], state["progress"], state["results"]) == ("running", {"done": 0, "total": None}, None)

    def test_without_a_set_of_rag_v2_the_default_set_is_asked(self, client, working) -> None:
        note = add_note(client, "Compré pan.")
        body = {
            "query": "¿pan?",
            "relevantNoteIds": [note],
            "expectedAnswer": "x",
            "category": "causal",
            "difficulty": 2,
        }
        assert client.post("/api/golden-dataset", json=body).status_code == 201

        results = ended(client, started(client))["results"]

        assert results["datasetName"] == "default"
        assert set(results["retrievalMetrics"]["byDifficulty"]) == {"2"}

    def test_a_failure_is_told(self, client, golden, engine, database_url) -> None:
        run_id = started(client)
        with psycopg.connect(database_url, autocommit=True) as owner:
            owner.execute("delete from brain.golden_queries")
        with running_jobs(engine.database, lambda: engine, poll_seconds=0.02):
            state = ended(client, run_id)

        assert state["status"] == "failed"
        assert state["error"].startswith("Der Lauf ist fehlgeschlagen; ")

    def test_a_server_that_was_killed_is_told_with_the_remedy(self, client, golden, engine, database_url) -> None:
        run_id = started(client)
        with engine.database.owner() as owner:
            mine = asked_under(engine.settings)["fingerprint"]
            claim_job(owner, worker="gone", kinds=["evaluation"], fingerprint=mine)
            owner.execute("update brain.evaluation_jobs set heartbeat_at = now() - interval '61 s'")

        with running_jobs(engine.database, lambda: engine, poll_seconds=0.02):
            state = ended(client, run_id)

        assert (state["status"], state["results"]) == ("failed", None)
        assert "POST /api/v2/evaluation/run" in state["error"]

    def test_a_run_and_the_end_of_its_job_are_stored_together(self, client, golden, engine, monkeypatch) -> None:
        finish, failures = jobs.finish_job, [DatabaseUnavailableError("the server went away; start it")]

        def fail_once(*values: Any, **named: Any) -> bool:
            if failures:
                raise failures.pop()
            return finish(*values, **named)

        monkeypatch.setattr(jobs, "finish_job", fail_once)
        run_id = started(client)
        with running_jobs(engine.database, lambda: engine, poll_seconds=0.02):
            state = ended(client, run_id)

        assert state["status"] == "failed"
        assert client.get("/api/v2/evaluation/history").json()["runs"] == []

    def test_a_run_that_was_given_back_meanwhile_is_stored_by_whoever_does_it_again(
        self, client, golden, engine, database_url, monkeypatch
    ) -> None:
        build, given_back = evaluation_job.evaluated_search, []

        def give_back(*values: Any, **named: Any) -> Any:
            if not given_back:
                given_back.append(True)
                with psycopg.connect(database_url, autocommit=True) as owner:
                    owner.execute("update brain.evaluation_jobs set state = 'queued', worker = null")
            return build(*values, **named)

        monkeypatch.setattr(evaluation_job, "evaluated_search", give_back)
        run_id = started(client)
        with running_jobs(engine.database, lambda: engine, poll_seconds=0.02):
            state = ended(client, run_id)

        assert (state["status"], state["error"], given_back) == ("completed", None, [True])
        assert [run["runId"] for run in client.get("/api/v2/evaluation/history").json()["runs"]] == [run_id]

    @pytest.mark.parametrize(
        ("parameters", "told"),
        [
            ({"concurrency": "x"}, "concurrency: "),
            ({"concurrency": 99}, "concurrency: "),
            ({"config": 5}, "config: "),
            ({"set": 1}, "set: "),
            ({"answers": "no"}, "answers: "),
            ({"fast": True}, "fast: "),
        ],
    )
    def test_a_job_with_parameters_that_cannot_be_taken_says_which(
        self, client, golden, engine, working, parameters, told
    ) -> None:
        run_id = str(submit(engine.database, engine.tenant(), "evaluation", parameters))

        state = ended(client, run_id)

        assert (state["status"], told in state["error"], "TypeError" in state["error"]) == ("failed", True, False)

    def test_a_run_is_left_alone_by_a_server_with_another_chat_model(self, client, golden, engine) -> None:
        run_id = started(client)
        other = dataclasses.replace(engine, settings=engine.settings.model_copy(update={"chat_model": "llama"}))

        with running_jobs(engine.database, lambda: other, poll_seconds=0.02):
            time.sleep(1)
            while_other = client.get(f"/api/v2/evaluation/runs/{run_id}").json()
        with running_jobs(engine.database, lambda: engine, poll_seconds=0.02):
            state = ended(client, run_id)

        assert (while_other["status"], while_other["progress"]["done"], state["status"]) == ("running", 0, "completed")

    def test_too_many_are_refused_in_german(self, client, golden, engine) -> None:
        for _ in range(20):
            submit(engine.database, engine.tenant(), "tuning", {})

        for path in ("run", "embedding-benchmark"):
            answer = client.post(f"/api/v2/evaluation/{path}", json={})
            assert "unerledigte Aufträge" in assert_german(answer, 429, "Zu viele Aufträge")

    @pytest.mark.parametrize(
        "body",
        [
            {"config": {"nada": 1}},
            {"config": {"topK": {"final": 0}}},
            {"config": {"topK": {"retrieval": 5, "reranking": 10, "final": 20}, "hybridSearch": {"rrfK": "x"}}},
            {"config": {"hybridSearch": {"semanticWeight": 0, "fulltextWeight": 0}}},
            {"config": {"embeddingModel": "otro"}},
            {"category": "temporal"},
            {"concurrency": 9},
            {"x": 1},
            [],
        ],
    )
    def test_a_bad_request_is_refused_in_german(self, client, golden, body) -> None:
        assert_german(client.post("/api/v2/evaluation/run", json=body), 400, "Ungültige Parameter")

        assert client.get("/api/v2/evaluation/history").json() == {"runs": []}

    def test_nothing_to_ask_is_refused_with_the_remedy(self, refusing: TestClient) -> None:
        details = assert_german(refusing.post("/api/v2/evaluation/run", json={}), 400, "Ungültige Parameter")

        assert "POST /api/v2/evaluation/golden-dataset" in details

    def test_an_unknown_set_is_not_found(self, refusing: TestClient) -> None:
        assert_german(refusing.post("/api/v2/evaluation/run", json={"datasetId": "nada"}), 404, "Nicht gefunden")


class TestReadingRuns:
    def test_an_evaluation_made_elsewhere_can_be_read(self, client, golden) -> None:
        body = {"query": "¿x?", "relevantNoteIds": [], "expectedAnswer": "x", "category": "causal", "difficulty": 2}
        body["relevantNoteIds"] = [client.get("/api/notes").json()["notes"][0]["id"]]
        client.post("/api/golden-dataset", json=body)
        run = client.post("/api/retrieve/evaluate", json={}).json()

        state = client.get(f"/api/v2/evaluation/runs/{run['evaluationId']}").json()

        assert (state["status"], state["results"]["datasetName"]) == ("completed", "default")

    @pytest.mark.parametrize("run_id", ["8f63f91e-7add-422d-aa4c-2b02467233a1", "x"])
    def test_an_unknown_run_is_told_in_german(self, refusing: TestClient, run_id: str) -> None:
        for answer in (
            refusing.get(f"/api/v2/evaluation/runs/{run_id}"),
            refusing.post(f"/api/v2/evaluation/runs/{run_id}/cancel"),
        ):
            assert_german(answer, 400 if run_id == "x" else 404)

    def test_another_tenants_run_is_not_found(self, client, golden, database_url) -> None:
        run_id = started(client)
        with psycopg.connect(database_url, autocommit=True) as owner:
            owner.execute("insert into brain.tenants (tenant_id) values ('otra')")
            owner.execute("update brain.evaluation_jobs set tenant_id = 'otra'")

        assert_german(client.get(f"/api/v2/evaluation/runs/{run_id}"), 404)


class TestCancelling:
    def test_a_run_that_waits_is_cancelled_at_once(self, client, golden) -> None:
        run_id = started(client)

        cancelled = client.post(f"/api/v2/evaluation/runs/{run_id}/cancel")

        assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
        assert client.get("/api/v2/evaluation/history").json() == {"runs": []}

    def test_a_run_that_is_done_stays_as_it_is(self, client, golden, working) -> None:
        run_id = started(client)
        ended(client, run_id)

        assert client.post(f"/api/v2/evaluation/runs/{run_id}/cancel").json()["status"] == "completed"


class TestHistory:
    def test_the_latest_run_comes_first(self, client, golden, working) -> None:
        ids = [started(client, config={"strategy": strategy}) for strategy in ("fulltext", "hybrid")]
        for run_id in ids:
            ended(client, run_id)

        runs = client.get("/api/v2/evaluation/history").json()["runs"]

        assert [run["runId"] for run in runs] == ids[::-1]
        assert len(client.get("/api/v2/evaluation/history", params={"limit": 1}).json()["runs"]) == 1
        assert runs[0]["precisionAt5"] == 0.2

    @pytest.mark.parametrize("limit", ["0", "101", "x"])
    def test_a_bad_limit_is_refused_in_german(self, refusing: TestClient, limit: str) -> None:
        details = assert_german(refusing.get("/api/v2/evaluation/history", params={"limit": limit}), 400)

        assert details.startswith("limit: ")


class TestRefusals:
    def test_a_wrong_host_is_told_in_ones_own_language_else_in_spanish(self, refusing: TestClient) -> None:
        wrong = {"Host": "example.org"}

        german = refusing.get("/api/v2/evaluation/history", headers=wrong | {"Accept-Language": "de"})

        assert_german(german, 400)
        assert "BRAIN_ALLOWED_HOSTS" in refusing.get("/api/v2/evaluation/history", headers=wrong).text

    def test_they_are_german_under_this_address_alone(self, refusing: TestClient) -> None:
        assert_german(refusing.get("/api/v2/nada"), 404, "Nicht gefunden")
        assert assert_german(refusing.delete("/api/v2/evaluation/run"), 405) == "Diese Adresse erlaubt: POST"
        assert_german(refusing.post("/api/v2/evaluation/run", content="x", headers={"Content-Type": "text/plain"}), 415)
        assert_german(
            refusing.post("/api/v2/evaluation/run", content="{", headers={"Content-Type": "application/json"}), 400
        )
        assert refusing.get("/api/v2x").json()["error"] == "No encontrado"
