"""Experiments as readers meet them: answers of both sides, feedback over HTTP and from the page, and nobody hurt."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from trying import ALWAYS, NEVER, QUERY, ask, recorded, reported, waited_for
from trying import begin as begin  # noqa: PLC0414  a fixture, re-exported to pytest
from trying import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.api.app import create_app
from rag_core.errors import RetrievalFailedError, SearchCancelledError
from rag_core.experiments import candidates, serving
from rag_core.experiments.lifecycle import begin_experiment, end_experiment
from rag_core.experiments.live_query import Answered, LiveQuery
from rag_core.resilience.cancellation import Cancellation
from rag_core.runtime.engine import DEFAULT_TENANT, Engine, open_engine
from rag_core.settings import read_settings


def notes_of(answer: dict[str, Any]) -> list[UUID]:
    return list(dict.fromkeys(UUID(result["noteId"]) for result in answer["results"]))


def fail(*_: Any, **__: Any) -> Any:
    raise RetrievalFailedError("the candidate is broken")


def stumble(*_: Any, **__: Any) -> Any:
    raise ValueError("a defect that only the candidate has")


class TestSplit:
    def test_the_candidate_answers_the_queries_that_are_drawn_for_it(self, client, engine, begin) -> None:
        usual = ask(client)
        experiment = begin("split", share=ALWAYS)

        answer = ask(client)

        part = answer["metadata"]["experiment"]
        assert part["arm"] == "candidate"
        assert answer["metadata"]["strategy"] == "fulltext" != usual["metadata"]["strategy"]
        (record,) = recorded(engine, experiment)
        assert (str(record.id), record.arm) == (part["queryId"], "candidate")
        assert list(record.served_notes) == list(record.candidate_notes or ()) == notes_of(answer)
        assert record.control_notes is None
        assert record.candidate_ms is not None

    def test_the_control_answers_the_others_as_without_an_experiment(self, client, engine, begin) -> None:
        usual = ask(client)
        experiment = begin("split", share=NEVER)

        answer = ask(client)

        assert answer["metadata"]["experiment"]["arm"] == "control"
        assert answer["results"] == usual["results"]
        (record,) = recorded(engine, experiment)
        assert list(record.control_notes or ()) == notes_of(usual)
        assert record.control_ms is None  # the answer was kept from before

    @pytest.mark.parametrize("said", [{"config": {"topK": {"final": 5}}}, {"strategy": "hybrid"}])
    def test_a_query_that_says_how_to_search_does_not_take_part(self, client, engine, begin, said) -> None:
        experiment = begin("split", share=ALWAYS)

        answer = ask(client, **said)

        assert "experiment" not in answer["metadata"]
        assert recorded(engine, experiment) == []

    def test_how_many_results_are_wanted_and_which_notes_holds_for_both_sides(self, client, begin) -> None:
        begin("split", share=ALWAYS)

        answer = ask(client, topK=1, filters={"documentIds": ["n3"]})

        assert [result["externalId"] for result in answer["results"]] == ["n3"]

    @pytest.mark.parametrize("problem", [fail, stumble])
    def test_where_the_candidate_fails_the_control_answers(self, client, engine, begin, monkeypatch, problem) -> None:
        usual = ask(client)
        experiment = begin("split", share=ALWAYS)
        monkeypatch.setattr(candidates, "search", problem)

        answer = ask(client)

        assert answer["results"] == usual["results"]
        (record,) = recorded(engine, experiment)
        assert (record.arm, record.candidate_notes) == ("candidate", None)
        assert list(record.control_notes or ()) == notes_of(usual)
        assert reported(engine, experiment).to_json()["figures"]["candidate"]["failed"] == 1

    @pytest.mark.parametrize("problem", [fail, stumble])
    def test_a_candidate_that_fails_often_is_not_asked_for_a_while(self, client, begin, monkeypatch, problem) -> None:
        begin("split", share=ALWAYS)
        asked: list[str] = []

        def count(*_: Any, **__: Any) -> Any:
            asked.append("again")
            return problem()

        monkeypatch.setattr(candidates, "search", count)

        for _ in range(12):
            ask(client)

        assert len(asked) == 5

    def test_a_candidate_that_is_slow_leaves_the_control_time_to_answer(
        self, client, engine, begin, monkeypatch
    ) -> None:
        experiment = begin("split", share=ALWAYS)

        def stall(*_: Any, **__: Any) -> Any:
            time.sleep(7)  # more than half of the ten seconds that a request has here
            return fail()

        monkeypatch.setattr(candidates, "search", stall)
        began = time.monotonic()

        answer = ask(client)

        assert notes_of(answer)
        assert time.monotonic() - began < 7
        assert recorded(engine, experiment)[0].candidate_notes is None

    def test_a_query_that_cannot_be_searched_is_refused_as_ever(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)

        answer = client.post("/api/retrieve", json={"query": "  "})

        assert (answer.status_code, answer.json()["details"]) == (400, "La consulta no puede estar vacía")
        assert recorded(engine, experiment) == []

    def test_a_degraded_candidate_gives_way_to_the_control(self, client, engine, begin) -> None:
        usual = ask(client)
        experiment = begin("split", share=ALWAYS, override={"reranking": {"provider": "llm"}})

        answer = ask(client)

        assert (answer["results"], answer["metadata"]["warnings"]) == (usual["results"], [])
        (record,) = recorded(engine, experiment)
        assert (record.candidate_notes, record.is_degraded) == (None, False)

    @pytest.fixture
    def engine(self, database_url: str) -> Iterator[Engine]:
        """With a chat model that nobody serves, so that a candidate that re-ranks by it is degraded."""
        settings = read_settings(database_url=database_url, request_timeout_ms=10_000, chat_model="nadie")
        with open_engine(settings, pool_size=4) as opened:
            yield opened


class TestInterleaving:
    def test_the_list_holds_both_sides_notes_and_says_whose_they_are(self, client, engine, begin) -> None:
        experiment = begin("interleave")

        answer = ask(client)

        assert answer["metadata"]["experiment"]["arm"] == "interleaved"
        (record,) = recorded(engine, experiment)
        assert list(record.served_notes) == notes_of(answer)
        assert record.teams is not None
        assert len(record.teams) == len(record.served_notes)
        sides = {"control": record.control_notes or (), "candidate": record.candidate_notes or ()}
        assert all(note in sides[side] for note, side in zip(record.served_notes, record.teams, strict=True))
        assert set(record.served_notes) <= {*sides["control"], *sides["candidate"]}

    @pytest.mark.parametrize("problem", [fail, stumble])
    def test_where_the_candidate_fails_the_controls_list_is_served(
        self, client, engine, begin, monkeypatch, problem
    ) -> None:
        usual = ask(client)
        experiment = begin("interleave")
        monkeypatch.setattr(candidates, "search", problem)

        answer = ask(client)

        assert answer["results"] == usual["results"]
        assert recorded(engine, experiment)[0].teams is None

    def test_a_share_of_the_queries_takes_part(self, client, engine, begin) -> None:
        experiment = begin("interleave", share=NEVER)

        answer = ask(client)

        assert "experiment" not in answer["metadata"]
        assert recorded(engine, experiment) == []


class TestShadow:
    def test_the_candidate_answers_beside_and_nobody_sees_it(self, client, engine, begin) -> None:
        usual = ask(client)
        experiment = begin("shadow")

        answer = ask(client)

        assert answer["results"] == usual["results"]
        assert "experiment" not in answer["metadata"]
        (record,) = waited_for(engine, experiment, 1)
        assert list(record.served_notes) == list(record.control_notes or ()) == notes_of(usual)
        assert record.candidate_notes
        assert record.candidate_ms is not None

    def test_a_slow_candidate_slows_nobody_and_what_finds_no_place_is_dropped_and_counted(
        self, client, engine, begin, monkeypatch
    ) -> None:
        experiment = begin("shadow")
        real = candidates.search

        def slow(*args: Any, **more: Any) -> Any:
            time.sleep(3)
            return real(*args, **more)

        monkeypatch.setattr(candidates, "search", slow)
        began = time.monotonic()
        for _ in range(10):
            ask(client)
        took = time.monotonic() - began

        assert took < 3
        waited_for(engine, experiment, 10)
        figures = reported(engine, experiment).to_json()["figures"]
        assert (figures["queries"], figures["compared"], figures["dropped"]) == (10, 4, 6)

    @pytest.mark.parametrize("problem", [fail, stumble])
    def test_a_candidate_that_fails_is_counted_and_seen_by_nobody(
        self, client, engine, begin, monkeypatch, problem
    ) -> None:
        experiment = begin("shadow")
        monkeypatch.setattr(candidates, "search", problem)

        answer = ask(client)

        waited_for(engine, experiment, 1)
        assert notes_of(answer)
        figures = reported(engine, experiment).to_json()["figures"]
        assert (figures["failed_candidates"], figures["rank_biased_overlap"]) == (1, None)
        assert (engine.metrics.requests.total, engine.metrics.requests.errors) == (1, {})


class TestAReaderWhoLeaves:
    @pytest.fixture
    def leave(self) -> Cancellation:
        return Cancellation()

    @staticmethod
    def asked(client: TestClient, engine: Engine, leave: Cancellation) -> Answered:
        query = LiveQuery(tenant=DEFAULT_TENANT, text=QUERY, top_k=None, timeout_ms=20_000, cancellation=leave)
        return client.app.state.experiments.answer(engine, query)

    @pytest.mark.parametrize("mode", ["split", "interleave"])
    def test_is_not_kept_waiting_for_the_candidate(self, client, engine, begin, leave, monkeypatch, mode: str) -> None:
        experiment = begin(mode, share=ALWAYS if mode == "split" else 1.0)
        is_asked, may_end = threading.Event(), threading.Event()

        def stall(*_: Any, **__: Any) -> Any:
            is_asked.set()
            may_end.wait(10)
            return fail()

        monkeypatch.setattr(candidates, "search", stall)
        monkeypatch.setattr(serving, "LEAST_WAIT_MS", 10_000)

        with ThreadPoolExecutor(1) as thread:
            answering = thread.submit(self.asked, client, engine, leave)
            assert is_asked.wait(10)
            time.sleep(0.5)  # time for the control, which an interleaved list is begun with
            began = time.monotonic()
            leave.cancel()
            problem = answering.exception(20)
            seconds = time.monotonic() - began
            may_end.set()

        assert isinstance(problem, SearchCancelledError)
        assert seconds < 1
        assert recorded(engine, experiment) == []

    def test_is_not_given_a_degraded_candidates_answer_when_the_control_was_given_up(
        self, client, engine, begin, leave, monkeypatch
    ) -> None:
        experiment = begin("split", share=ALWAYS)
        found = candidates.search

        def degraded(*args: Any, **more: Any) -> Any:
            return replace(found(*args, **more), is_degraded=True)

        def given_up(*args: Any, **more: Any) -> Any:
            leave.cancel()
            return found(*args, **more)

        monkeypatch.setattr(candidates, "search", degraded)
        monkeypatch.setattr(serving, "search", given_up)

        with pytest.raises(SearchCancelledError):
            self.asked(client, engine, leave)

        assert recorded(engine, experiment) == []

    @pytest.mark.parametrize(("mode", "share"), [("split", NEVER), ("interleave", 1.0)])
    def test_has_seen_nothing_that_could_be_recorded(
        self, client, engine, begin, leave, monkeypatch, mode: str, share: float
    ) -> None:
        experiment = begin(mode, share=share)
        found = serving.search

        def found_too_late(*args: Any, **more: Any) -> Any:
            retrieval = found(*args, **more)
            leave.cancel()
            return retrieval

        monkeypatch.setattr(serving, "search", found_too_late)

        with pytest.raises(SearchCancelledError):
            self.asked(client, engine, leave)

        assert recorded(engine, experiment) == []


class TestRunning:
    def test_an_experiment_that_has_ended_takes_no_query(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)
        end_experiment(engine.database, DEFAULT_TENANT, experiment.name)
        client.app.state.experiments.running.forget()

        assert "experiment" not in ask(client)["metadata"]

    def test_no_word_of_a_query_is_kept(self, client, engine, begin) -> None:
        begin("interleave")
        ask(client, "¿dónde está el xilófono violeta?")

        with engine.database.owner() as connection:
            rows = connection.execute("select q::text from brain.experiment_queries q").fetchall()

        assert len(rows) == 1
        assert "xilófono" not in str(rows)

    def test_it_pauses_when_something_else_is_served_than_when_it_began(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)
        with engine.database.owner() as connection:
            connection.execute(
                """insert into brain.configurations (tenant_id, configuration_id, number, override, origin)
                values ('default', '00000000-0000-0000-0000-00000000000d', 1, '{"topK": {"retrieval": 40}}', 'manual')"""
            )
            connection.execute(
                """insert into brain.promotions (tenant_id, number, configuration_id, action)
                values ('default', 1, '00000000-0000-0000-0000-00000000000d', 'promote')"""
            )
        with (
            open_engine(engine.settings) as fresh,
            TestClient(create_app(fresh), base_url="http://127.0.0.1") as other,
        ):
            answer = ask(other)
            report = reported(fresh, experiment)

        assert "experiment" not in answer["metadata"]
        assert report.pause == "what is served is not what it was when it began"

    def test_another_tenants_experiment_is_not_ones_own(self, client, engine, begin) -> None:
        begin_experiment(
            engine,
            "otra",
            name="ajena",
            mode="split",
            share=ALWAYS,
            override={"strategy": "fulltext"},  # type: ignore[arg-type]
        )
        client.app.state.experiments.running.forget()

        assert "experiment" not in ask(client)["metadata"]
