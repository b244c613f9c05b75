import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from api_answers import assert_spanish
from asked_notes import Scripted
from fastapi.testclient import TestClient

from rag_core.api.app import create_app
from rag_core.api.brain_sync import evaluation
from rag_core.chat import Message
from rag_core.runtime.engine import Engine

METRICS = {
    "hitRateK1",
    "hitRateK3",
    "hitRateK5",
    "hitRateK10",
    "mrr",
    "ndcgAt10",
    "recallAt20",
    "faithfulness",
    "answerRelevance",
    "latencyP50",
    "latencyP95",
    "latencyP99",
}


@pytest.fixture
def golden(client: TestClient, add_note) -> None:
    travel = add_note("Mañana viajo a Valparaíso con Lucía.")
    shopping = add_note("Compré pan, leche y tomates.")
    for query, note, category in (
        ("¿A dónde viajo con Lucía?", travel, "factual"),
        ("¿Por qué compré tomates?", shopping, "causal"),
    ):
        body = {
            "query": query,
            "relevantNoteIds": [note["id"]],
            "expectedAnswer": "A Valparaíso" if note is travel else "Para una ensalada",
            "category": category,
            "difficulty": 1,
        }
        assert client.post("/api/golden-dataset", json=body).status_code == 201


@dataclass
class Judging(Scripted):
    """A chat model that answers with the same sentence always, and as a judge supports no claim and gives 4 of 10."""

    def complete(self, messages: Sequence[Message], **options: Any) -> str:
        verdicts = options["schema"]["properties"].get("verdicts")
        if verdicts is None:
            return json.dumps({"score": 4})
        return json.dumps({"verdicts": [{"id": n, "supported": False} for n in range(1, verdicts["minItems"] + 1)]})


@pytest.fixture
def judging(engine: Engine, client: TestClient, golden: None) -> Iterator[TestClient]:
    """Notes and golden set with a chat model that answers and judges."""
    chat = Judging(["Compré pan, leche y tomates [1]."])
    with TestClient(create_app(replace(engine, chat=chat)), base_url="http://127.0.0.1") as opened:
        yield opened


class TestPostEvaluate:
    def test_it_measures_the_golden_set(self, client: TestClient, golden: None) -> None:
        answer = client.post("/api/retrieve/evaluate", json={"config": {"strategy": "fulltext"}})

        run = answer.json()
        assert answer.status_code == 200
        assert set(run["metrics"]) == METRICS
        assert (run["totalQueries"], run["degradedQueries"], run["failedQueries"]) == (2, 0, 0)
        assert (run["metrics"]["hitRateK1"], run["metrics"]["mrr"]) == (1.0, 1.0)
        assert run["metrics"]["latencyP50"] <= run["metrics"]["latencyP95"] <= run["metrics"]["latencyP99"]
        assert run["timestamp"].endswith("Z")
        assert len(run["configHash"]) == 16

    def test_quotations_are_held_to_their_notes_and_to_the_expected_answers(
        self, client: TestClient, golden: None
    ) -> None:
        run = client.post("/api/retrieve/evaluate", json={}).json()

        # "Mañana viajo a Valparaíso con Lucía.": 2 · 1 shared word / (4 + 1); "Compré pan, leche y tomates." shares none.
        assert run["metrics"]["faithfulness"] == 1.0
        assert run["metrics"]["answerRelevance"] == pytest.approx((2 / 5 + 0) / 2)
        assert run["answers"] == {
            "answerer": "extractive@4",
            "judgedBy": "quotations",
            "answered": 2,
            "refused": 0,
            "failed": 0,
        }
        stored = client.get("/api/retrieve/metrics").json()["evaluations"][0]["metrics"]
        assert (stored["faithfulness"], stored["answerRelevance"]) == (1.0, pytest.approx(0.2))

    def test_a_model_s_answers_are_judged_by_a_model(self, judging: TestClient) -> None:
        run = judging.post("/api/retrieve/evaluate", json={}).json()

        assert (run["metrics"]["faithfulness"], run["metrics"]["answerRelevance"]) == (0.0, pytest.approx(0.4))
        assert run["answers"]["judgedBy"].startswith("chat:scripted")

    def test_answers_that_different_judges_judged_are_not_compared(self, client, judging) -> None:
        quoted, judged = (
            one.post("/api/retrieve/evaluate", json={}).json()["evaluationId"] for one in (client, judging)
        )

        compared = client.get("/api/retrieve/compare", params={"baseline": quoted, "candidate": judged}).json()

        assert compared["improvements"]["mrr"] == 0
        assert (compared["improvements"]["faithfulness"], compared["improvements"]["answerRelevance"]) == (None, None)

    def test_answers_can_be_left_out(self, client: TestClient, golden: None) -> None:
        run = client.post("/api/retrieve/evaluate", json={"answers": False}).json()

        assert run["answers"] is None
        assert (run["metrics"]["faithfulness"], run["metrics"]["answerRelevance"]) == (None, None)

    def test_a_model_answers_no_more_than_it_can_while_somebody_waits(
        self, judging: TestClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(evaluation, "MAX_ANSWERED_BY_MODEL", 1)

        unasked = judging.post("/api/retrieve/evaluate", json={}).json()
        refused = judging.post("/api/retrieve/evaluate", json={"answers": True})

        assert (unasked["answers"], unasked["metrics"]["faithfulness"]) == (None, None)
        assert "POST /api/v2/evaluation/run" in assert_spanish(refused, 400, "Parámetros inválidos")

    def test_a_category_limits_it(self, client: TestClient, golden: None) -> None:
        run = client.post("/api/retrieve/evaluate", json={"category": "causal"}).json()

        assert run["totalQueries"] == 1

    def test_more_than_it_can_ask_at_once_is_refused_with_the_way_to_do_it(
        self, client: TestClient, golden: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(evaluation, "MAX_QUERIES", 1)

        details = assert_spanish(client.post("/api/retrieve/evaluate", json={}), 400, "Parámetros inválidos")

        assert "2 consultas" in details
        assert "POST /api/v2/evaluation/run" in details
        assert client.post("/api/retrieve/evaluate", json={"category": "causal"}).status_code == 200

    def test_the_hash_depends_on_the_configuration_alone(self, client: TestClient, golden: None) -> None:
        hashes = [
            client.post("/api/retrieve/evaluate", json={"config": {"strategy": strategy}}).json()["configHash"]
            for strategy in ("fulltext", "fulltext", "hybrid")
        ]

        assert hashes[0] == hashes[1] != hashes[2]

    def test_an_empty_golden_set_is_refused_with_the_remedy(self, refusing: TestClient) -> None:
        details = assert_spanish(refusing.post("/api/retrieve/evaluate", json={}), 400, "Parámetros inválidos")

        assert "POST /api/golden-dataset" in details

    def test_a_category_without_queries_is_refused(self, client: TestClient, golden: None) -> None:
        assert_spanish(client.post("/api/retrieve/evaluate", json={"category": "temporal"}), 400)

    @pytest.mark.parametrize(
        "body",
        [{"category": "nada"}, {"config": {"nada": 1}}, {"config": {"topK": {"final": 0}}}, {"x": 1}, []],
    )
    def test_a_bad_request_is_refused_in_spanish(self, refusing: TestClient, body: object) -> None:
        assert_spanish(refusing.post("/api/retrieve/evaluate", json=body), 400, "Parámetros inválidos")

    def test_without_a_body_nothing_is_run(self, refusing: TestClient) -> None:
        details = assert_spanish(refusing.post("/api/retrieve/evaluate"), 400)

        assert details == "Falta el cuerpo de la petición, un objeto JSON"


class TestGetMetrics:
    def test_the_latest_run_comes_first(self, client: TestClient, golden: None) -> None:
        runs = [client.post("/api/retrieve/evaluate", json={}).json() for _ in range(2)]

        found = client.get("/api/retrieve/metrics").json()["evaluations"]

        assert [run["id"] for run in found] == [runs[1]["evaluationId"], runs[0]["evaluationId"]]
        assert found[0]["configHash"] == runs[1]["configHash"]
        assert found[0]["config"]["strategy"] == "hybrid+rerank"
        assert {"hitRateK10", "mrr", "faithfulness", "answerRelevance", "latencyP95"} <= set(found[0]["metrics"])
        assert found[0]["timestamp"] == runs[1]["timestamp"]

    def test_runs_are_limited_and_filtered(self, client: TestClient, golden: None) -> None:
        first = client.post("/api/retrieve/evaluate", json={"config": {"strategy": "fulltext"}}).json()
        client.post("/api/retrieve/evaluate", json={})

        limited = client.get("/api/retrieve/metrics", params={"limit": 1}).json()["evaluations"]
        filtered = client.get("/api/retrieve/metrics", params={"configHash": first["configHash"]}).json()

        assert len(limited) == 1
        assert [run["id"] for run in filtered["evaluations"]] == [first["evaluationId"]]

    def test_without_runs_the_list_is_empty(self, client: TestClient) -> None:
        assert client.get("/api/retrieve/metrics").json() == {"evaluations": []}

    @pytest.mark.parametrize("limit", ["0", "51", "x", ""])
    def test_a_bad_limit_is_refused_in_spanish(self, refusing: TestClient, limit: str) -> None:
        answer = refusing.get("/api/retrieve/metrics", params={"limit": limit})

        assert assert_spanish(answer, 400).startswith("limit: ")
