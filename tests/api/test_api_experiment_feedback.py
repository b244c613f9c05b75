"""Feedback on answers of an experiment, and readers who see a part of the notes."""

from dataclasses import replace
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from trying import ALWAYS, QUERY, ask, recorded, waited_for
from trying import begin as begin  # noqa: PLC0414  a fixture, re-exported to pytest
from trying import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.experiments.lifecycle import end_experiment
from rag_core.experiments.live_query import Answered, LiveQuery
from rag_core.experiments.serving import LiveExperiments
from rag_core.runtime.engine import DEFAULT_TENANT, Engine


class TestFeedback:
    def test_what_is_said_twice_is_kept_once(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)
        answer = ask(client)
        body = {
            "queryId": answer["metadata"]["experiment"]["queryId"],
            "noteId": answer["results"][0]["noteId"],
            "kind": "open",
        }

        first, second = (client.post("/api/experiments/feedback", json=body) for _ in range(2))

        assert (first.status_code, first.json()) == (200, {**body, "isNew": True})
        assert second.json()["isNew"] is False
        assert len(recorded(engine, experiment)[0].feedback) == 1

    def test_who_changes_their_mind_is_counted_by_the_last_word(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)
        query_id = ask(client)["metadata"]["experiment"]["queryId"]

        for kind in ("helpful", "unhelpful", "helpful", "unhelpful"):
            client.post("/api/experiments/feedback", json={"queryId": query_id, "kind": kind})

        (record,) = recorded(engine, experiment)
        assert [given.kind for given in record.feedback] == ["unhelpful"]
        assert record.is_helpful is False

    def test_when_the_experiment_has_ended_nothing_is_taken_any_more(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)
        answer = ask(client)
        query_id, note_id = answer["metadata"]["experiment"]["queryId"], answer["results"][0]["noteId"]
        end_experiment(engine.database, DEFAULT_TENANT, experiment.name)

        said = client.post("/api/experiments/feedback", json={"queryId": query_id, "kind": "helpful"})
        button = client.post(f"/opinion/{query_id}/util")
        note = client.get(f"/notas/{note_id}", params={"q": QUERY, "consulta": query_id})

        assert (said.status_code, said.json()["error"]) == (409, "Conflicto")
        assert said.json()["details"] == "El experimento ha terminado; sus respuestas ya no admiten opiniones"
        assert (button.status_code, "Esta respuesta ya no admite opiniones" in button.text) == (409, True)
        assert (note.status_code, "/opinion/" in note.text) == (200, False)
        assert recorded(engine, experiment)[0].feedback == ()

    def test_an_unknown_answer_is_404(self, client) -> None:
        answer = client.post("/api/experiments/feedback", json={"queryId": str(uuid4()), "kind": "helpful"})

        assert answer.status_code == 404
        assert answer.json()["error"] == "No encontrado"

    @pytest.mark.parametrize("body", [{"kind": "open"}, {"kind": "helpful", "noteId": str(uuid4())}, {"kind": "nice"}])
    def test_a_word_on_what_was_not_served_is_400(self, client, begin, body) -> None:
        begin("split", share=ALWAYS)
        query_id = ask(client)["metadata"]["experiment"]["queryId"]

        answer = client.post("/api/experiments/feedback", json={"queryId": query_id, **body})

        assert answer.status_code == 400
        assert answer.json()["error"] == "Parámetros inválidos"


class TestWhoSeesAPartOfTheNotes:
    """Records are for those who see all notes, so the others take no part."""

    def answered(self, client: TestClient, engine: Engine) -> Answered:
        limited = replace(engine, database=engine.database.seen_by(["ventas"]))
        asked = LiveQuery(tenant=DEFAULT_TENANT, text=QUERY, top_k=None, timeout_ms=10_000)
        experiments: LiveExperiments = client.app.state.experiments  # type: ignore[attr-defined]
        return experiments.answer(limited, asked)

    @pytest.mark.parametrize("mode", ["split", "interleave", "shadow"])
    def test_is_answered_as_without_an_experiment(self, client, engine, begin, mode) -> None:
        experiment = begin(mode, share=ALWAYS)
        ask(client)  # the process knows of the experiment now
        waited_for(engine, experiment, 1)

        answer = self.answered(client, engine)

        ask(client)  # takes along what waits to be recorded
        waited_for(engine, experiment, 2)
        assert answer.participation is None
        assert answer.retrieval.strategy != "fulltext"
        assert len(recorded(engine, experiment)) == 2

    def test_hides_no_experiment_from_the_others(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)

        self.answered(client, engine)
        ask(client)

        assert len(recorded(engine, experiment)) == 1
