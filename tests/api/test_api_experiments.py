"""Experiments as readers meet them: answers of both sides, feedback over HTTP and from the page, and nobody hurt."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from rag_core.api.app import create_app
from rag_core.errors import RetrievalFailedError, SearchCancelledError
from rag_core.experiments import candidates, serving
from rag_core.experiments.lifecycle import begin_experiment, end_experiment
from rag_core.experiments.live_query import Answered, LiveQuery
from rag_core.experiments.report import fetch_report
from rag_core.experiments.serving import LiveExperiments
from rag_core.model.experiment import Experiment, ExperimentQuery
from rag_core.resilience.cancellation import Cancellation
from rag_core.runtime.engine import DEFAULT_TENANT, Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.experiments import list_experiment_queries

QUERY = "¿Qué dijo el médico de la rodilla?"
ALWAYS, NEVER = 1 - 1e-12, 1e-12
TEXTS = (
    "El médico miró la rodilla y dijo que descansara dos semanas.",
    "La rodilla dejó de doler cuando empecé a nadar los martes.",
    "Compré tomates y albahaca para la huerta de la abuela.",
    "El médico de mi madre cambió la cita al jueves por la tarde.",
    "En la reunión dijo Rosa que el presupuesto no alcanza.",
)
Begin = Callable[..., Experiment]


@pytest.fixture
def begin(engine: Engine, client: TestClient, add_note: Callable[..., Any]) -> Begin:
    """Begin an experiment on a handful of notes; the candidate searches by words alone unless it is told otherwise."""
    for number, text in enumerate(TEXTS):
        add_note(text, externalId=f"n{number}", title=f"Nota {number}")

    def start(mode: str, *, share: float = 1.0, override: dict[str, Any] | None = None) -> Experiment:
        candidate = {"strategy": "fulltext"} if override is None else override
        found = begin_experiment(
            engine, DEFAULT_TENANT, name=f"prueba {uuid4()}", mode=mode, share=share, override=candidate
        )
        client.app.state.experiments.running.forget()
        return found

    return start


def ask(client: TestClient, query: str = QUERY, **more: Any) -> dict[str, Any]:
    answer = client.post("/api/retrieve", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def recorded(engine: Engine, experiment: Experiment) -> list[ExperimentQuery]:
    with engine.database.transaction(DEFAULT_TENANT) as connection:
        return list_experiment_queries(connection, DEFAULT_TENANT, experiment.id)


def waited_for(engine: Engine, experiment: Experiment, count: int) -> list[ExperimentQuery]:
    until = time.monotonic() + 20
    while len(found := recorded(engine, experiment)) < count:
        assert time.monotonic() < until, f"{len(found)} of {count} records"
        time.sleep(0.05)
    return found


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
        assert fetch_report(engine, DEFAULT_TENANT, experiment.name).to_json()["figures"]["candidate"]["failed"] == 1

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
        figures = fetch_report(engine, DEFAULT_TENANT, experiment.name).to_json()["figures"]
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
        figures = fetch_report(engine, DEFAULT_TENANT, experiment.name).to_json()["figures"]
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
            report = fetch_report(fresh, DEFAULT_TENANT, experiment.name)

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
    """What is recorded is for those who see them all, so the others take no part."""

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


class TestPage:
    def test_a_note_that_is_opened_from_the_results_is_reported(self, client, engine, begin) -> None:
        experiment = begin("interleave")
        page = client.get("/", params={"q": QUERY}).text
        (record,) = recorded(engine, experiment)
        link = page.split('<h2 id="r1"><a href="')[1].split('"')[0].replace("&amp;", "&")

        note = client.get(link)

        assert note.status_code == 200
        assert recorded(engine, experiment)[0].opened == {record.served_notes[0]}
        assert "¿Responde esta nota a tu búsqueda?" in note.text

    def test_who_comes_back_to_the_results_gets_the_same_list_and_is_not_counted_twice(
        self, client, engine, begin
    ) -> None:
        experiment = begin("interleave")
        first = client.get("/", params={"q": QUERY}).text
        link = first.split('<h2 id="r1"><a href="')[1].split('"')[0].replace("&amp;", "&")
        back = client.get(link).text.split('<a href="/?')[1].split('"')[0].replace("&amp;", "&")

        again = client.get(f"/?{back}").text

        def titles(page: str) -> list[str]:
            return [part.split("</a>")[0].split(">")[-1] for part in page.split('<h2 id="r')[1:]]

        assert titles(again) == titles(first)
        assert len(recorded(engine, experiment)) == 1

    @pytest.mark.parametrize("mode", ["split", "interleave"])
    def test_the_id_of_an_answer_does_not_go_over_to_another_query(self, client, engine, begin, mode: str) -> None:
        experiment = begin(mode, share=ALWAYS)
        client.get("/", params={"q": QUERY})
        (record,) = recorded(engine, experiment)

        same = client.get("/", params={"q": QUERY, "consulta": str(record.id)}).text
        other = client.get("/", params={"q": "tomates y albahaca", "consulta": str(record.id)}).text

        assert f"/opinion/{record.id}/util" in same
        assert str(record.id) not in other
        assert '<h2 id="r1">' in other

    @pytest.mark.parametrize(
        ("method", "headers"),
        [
            ("HEAD", {}),
            ("GET", {"Sec-Purpose": "prefetch;prerender"}),
            ("GET", {"Purpose": "prefetch"}),
            ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}),
            ("GET", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}),
        ],
    )
    def test_a_note_that_nobody_reads_yet_is_not_opened(self, client, engine, begin, method, headers) -> None:
        experiment = begin("split", share=ALWAYS)
        answer = ask(client)
        query_id, note_id = answer["metadata"]["experiment"]["queryId"], answer["results"][0]["noteId"]

        note = client.request(method, f"/notas/{note_id}", params={"consulta": query_id}, headers=headers)

        assert note.status_code == 200
        assert recorded(engine, experiment)[0].feedback == ()

    def test_the_buttons_work_without_javascript(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)
        page = client.get("/", params={"q": QUERY}).text
        yes = page.split('formaction="')[1].split('"')[0].replace("&amp;", "&")

        answer = client.post(yes, headers={"content-type": "application/x-www-form-urlencoded"})

        assert answer.status_code == 200
        assert "Gracias por tu opinión" in answer.text
        assert recorded(engine, experiment)[0].is_helpful is True

    def test_another_way_of_searching_does_not_take_part(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)

        for more in ({"modo": "palabras"}, {"tiempo": "no"}):
            page = client.get("/", params={"q": QUERY, **more}).text
            assert "/opinion/" not in page

        assert recorded(engine, experiment) == []

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_a_search_that_a_page_of_another_origin_leads_to_takes_no_part(self, client, engine, begin, site) -> None:
        experiment = begin("split", share=ALWAYS)
        navigation = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}

        page = client.get("/", params={"q": QUERY}, headers=navigation)

        assert page.status_code == 200
        assert "/opinion/" not in page.text
        assert recorded(engine, experiment) == []

    def test_without_an_experiment_nobody_is_asked(self, client, add_note) -> None:
        add_note(TEXTS[0])

        assert "/opinion/" not in client.get("/", params={"q": QUERY}).text

    def test_an_opinion_leads_back_to_this_site_only(self, client, begin) -> None:
        begin("split", share=ALWAYS)
        query_id = ask(client)["metadata"]["experiment"]["queryId"]

        page = client.post(f"/opinion/{query_id}/util", params={"volver": "https://example.org/"}).text

        assert "example.org" not in page


class TestReading:
    def test_experiments_are_listed_newest_first(self, client, engine, begin) -> None:
        assert client.get("/api/experiments").json() == {"experiments": []}
        first = begin("split", share=ALWAYS)
        ask(client)
        end_experiment(engine.database, DEFAULT_TENANT, first.name)
        second = begin("shadow")

        listed = client.get("/api/experiments").json()["experiments"]

        assert [(one["id"], one["state"], one["queries"]) for one in listed] == [
            (str(second.id), "running", 0),
            (str(first.id), "stopped", 1),
        ]
        assert listed[1]["stoppedAt"] is not None
        assert listed[0]["candidate"]["strategy"] == "fulltext"

    @pytest.mark.parametrize("mode", ["split", "interleave", "shadow"])
    def test_one_is_read_by_its_name_or_id_with_its_figures(self, client, begin, mode) -> None:
        experiment = begin(mode, share=0.5)

        by_id = client.get(f"/api/experiments/{experiment.id}")
        by_name = client.get(f"/api/experiments/{experiment.name}").json()

        assert by_id.status_code == 200
        assert by_id.json() == by_name
        assert (by_name["name"], by_name["mode"], by_name["share"]) == (experiment.name, mode, 0.5)
        assert (by_name["isPaused"], by_name["conclusion"].split()[0]) == (False, "Todavía")
        assert {"split": "helpful", "interleave": "moreQueries", "shadow": "rankBiasedOverlap"}[mode] in by_name[
            "figures"
        ]

    def test_preferences_are_counted(self, client, engine, begin) -> None:
        experiment = begin("split", share=ALWAYS)
        query_id = ask(client)["metadata"]["experiment"]["queryId"]
        client.post("/api/experiments/feedback", json={"queryId": query_id, "kind": "helpful"})

        figures = client.get(f"/api/experiments/{experiment.name}").json()["figures"]

        assert (figures["candidate"]["helpful"], figures["candidate"]["helpfulRate"]) == (1, 1.0)

    def test_an_unknown_one_is_told_in_spanish(self, client, add_note) -> None:
        add_note("Una nota.")

        for name in ("ninguno", str(uuid4())):
            answer = client.get(f"/api/experiments/{name}")
            assert answer.status_code == 404
            assert answer.json()["details"].startswith("No existe ningún experimento con ese nombre")
