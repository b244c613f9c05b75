import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest
from command_line import Brain, printed_json
from filling import Filled, fill_with_notes

from rag_core.configuration.proposals import propose_configuration
from rag_core.configuration.schema import configure
from rag_core.configuration.served import OneConfiguration, ServedConfiguration, served_configuration
from rag_core.errors import InvalidInputError, JobCancelledError
from rag_core.evaluation.golden.importing import import_golden
from rag_core.evaluation.tuning.job import run_tuning
from rag_core.evaluation.tuning.record import fetch_queries, leg_search, record
from rag_core.evaluation.tuning.replay import Replay
from rag_core.evaluation.tuning.report import Tuning
from rag_core.evaluation.tuning.tune import differences, propose, tune
from rag_core.model.note import TenantId
from rag_core.reranking.weights import parse_weights, shipped_weights
from rag_core.runtime.engine import Engine
from rag_core.storage.configurations import list_configurations

THINGS = [
    "paraguas",
    "bufanda",
    "bicicleta",
    "guitarra",
    "maleta",
    "cámara",
    "mochila",
    "sombrero",
    "violín",
    "tablero",
]
PLACES = ["Cádiz", "Pamplona", "Soria"]
TIMEOUT_MS = 30_000


Note = dict[str, str]
Line = dict[str, Any]


def plain_diary() -> tuple[list[Note], list[Line]]:
    """Thirty notes, each of a thing lost somewhere, and a question to each that any search answers."""
    notes, lines = [], []
    for thing, place in itertools.product(THINGS, PLACES):
        name = f"{thing}-{place}"
        text = f"Hoy estuve en {place}. Perdí mi {thing} en la estación y nadie me ayudó."
        notes.append({"text": text, "external_id": name})
        lines.append({"query": f"¿qué pasó con mi {thing} en {place}?", "relevant_ids": [name]})
    return notes, lines


def diary_with_titles() -> tuple[list[Note], list[Line]]:
    """Notes with the thing and the place as a title; beside each the bare question, which shares more words.

    The shipped weights do not count titles: on the articles they were fitted on a title says nothing.
    """
    notes, lines = [], []
    for thing, place in itertools.product(THINGS, PLACES):
        name, question = f"{thing}-{place}", f"¿qué pasó con mi {thing} en {place}?"
        title = f"{thing} en {place}"
        notes.append({"text": f"Perdí mi {thing} y nadie me ayudó.", "title": title, "external_id": name})
        notes.append({"text": f"Me preguntan: {question} No contesto.", "external_id": f"eco-{name}"})
        lines.append({"query": question, "relevant_ids": [name]})
    return notes, lines


def diary_of_rare_words() -> tuple[list[Note], list[Line]]:
    """Thirty notes, asked for by a rare word misspelt: only likeness of letters finds them, the other word leads astray."""
    notes, lines = [], []
    for number, (thing, place) in enumerate(itertools.product(THINGS, PLACES)):
        rare = f"{thing}{place.lower()}"
        notes.append({"text": f"{rare} {rare} {rare}", "external_id": f"n{number}"})
        notes.append({"text": f"Seguimos el mapa, hoja {number}.", "external_id": f"mapa-{number}"})
        lines.append({"query": f"{rare}xx mapa", "relevant_ids": [f"n{number}"]})
    return notes, lines


DIARIES = {"diary": plain_diary, "titled_diary": diary_with_titles, "misspelt_diary": diary_of_rare_words}


@pytest.fixture
def beginning(request: pytest.FixtureRequest, template: str, filled: Filled) -> str:
    """The diary that the test asks for, indexed."""
    for name in DIARIES:
        if name in request.fixturenames:
            return filled(name, lambda url, name=name: fill_with_notes(url, DIARIES[name]()[0]))
    return template


@pytest.fixture
def diary() -> list[Line]:
    return plain_diary()[1]


@pytest.fixture
def titled_diary() -> list[Line]:
    return diary_with_titles()[1]


@pytest.fixture
def misspelt_diary() -> list[Line]:
    return diary_of_rare_words()[1]


def golden(database, tenant: TenantId, lines: list[dict], name: str = "default") -> None:
    content = [json.dumps(line, ensure_ascii=False).encode() for line in lines]
    assert import_golden(database, tenant, content, set_name=name).imported == len(lines)


def configurations(database, tenant: TenantId) -> list:
    with database.transaction(tenant) as connection:
        return list_configurations(connection, tenant, limit=10)


def serving(engine: Engine, override: dict) -> Engine:
    """The engine with another configuration served to everybody."""
    served = ServedConfiguration(config=configure(override), override=override, number=7)
    object.__setattr__(engine, "configurations", OneConfiguration(served=served))
    return engine


class Heard:
    """A job's progress that remembers the stages, and cancels at one of them."""

    def __init__(self, *, cancelled_at: str | None = None) -> None:
        self.stages: dict[str, tuple[int, int]] = {}
        self._cancelled_at = cancelled_at

    def report(self, stage: str, done: int, total: int) -> None:
        if stage == self._cancelled_at:
            raise JobCancelledError("cancelled")
        self.stages[stage] = (done, total)


def ticking(seconds: float) -> Callable[[], float]:
    """A clock that goes on so much at every look."""
    times = itertools.count()
    return lambda: next(times) * seconds


def test_what_is_better_on_held_out_queries_is_proposed_and_nothing_is_served_otherwise(
    brain: Brain, engine, database, tenant, titled_diary
) -> None:
    golden(database, tenant, titled_diary)

    done = brain("tune", "--parts", "reranking", "--json")
    said = done.json

    assert done.exit_code == 0
    assert (said["queries"], said["left_out"], said["folds"]) == (30, 0, 5)
    ndcg, mrr = said["metrics"]["ndcg_at_10"], said["metrics"]["mrr"]
    assert ndcg["tuned"] - ndcg["served"] == pytest.approx(ndcg["difference"])
    assert ndcg["difference"] > 0.2
    assert ndcg["interval"][0] <= ndcg["difference"] <= ndcg["interval"][1]
    assert ndcg["p_value"] < 0.02
    assert mrr["difference"] >= 0
    assert said["is_worth_proposing"]
    proposed = configurations(database, tenant)
    assert [one.number for one in proposed] == [said["number"]] == [1]
    assert proposed[0].origin == "tuning"
    assert proposed[0].evidence["metrics"]["ndcg_at_10"] == ndcg
    assert served_configuration(database, tenant, engine.model).number is None


def test_people_are_told_what_would_change_and_how_to_serve_it(brain: Brain, database, tenant, titled_diary) -> None:
    golden(database, tenant, titled_diary)

    shown = brain("tune", "--parts", "reranking")

    assert shown.exit_code == 0
    for told in ("nDCG@10", "MRR", "factual", "weights of the re-ranker", "tuned-", "5 of 5"):
        assert told in shown.output
    assert "proposed as configuration 1; brain promote 1 serves it" in shown.output


def test_a_dry_run_stores_nothing(brain: Brain, database, tenant, titled_diary) -> None:
    golden(database, tenant, titled_diary)

    said = printed_json(brain("tune", "--parts", "reranking", "--dry-run", "--json"))

    assert said["is_worth_proposing"]
    assert said["number"] is None
    assert configurations(database, tenant) == []


def test_where_nothing_is_better_nothing_is_proposed_and_the_message_says_so(
    brain: Brain, database, tenant, diary
) -> None:
    golden(database, tenant, diary)

    done = brain("tune", "--minutes", "0.5", "--json")
    said = done.json
    shown = brain("tune", "--parts", "threshold").stdout

    assert done.exit_code == 0
    assert said["metrics"]["ndcg_at_10"]["difference"] == 0
    assert (said["changes"], said["reranker"], said["is_worth_proposing"]) == ([], None, False)
    assert "nothing is proposed: nothing that was tried is better than what is served" in shown
    assert configurations(database, tenant) == []


def test_a_leg_that_leads_astray_loses_its_say(engine: Engine, database, tenant, misspelt_diary) -> None:
    golden(database, tenant, misspelt_diary)
    astray = {"strategy": "hybrid", "hybridSearch": {"semanticWeight": 0.0, "fulltextWeight": 1.0}}

    searched = leg_search(serving(engine, astray), tenant, timeout_ms=TIMEOUT_MS)
    found = tune(searched, set_name="default", parts=("fusion",), minutes=0.5)
    stored = propose(searched, found)

    assert found.objection is None
    ndcg = found.metrics[0]
    assert (ndcg.served, ndcg.tuned) == (0.0, pytest.approx(1.0, abs=0.2))
    [balance] = [change for change in found.changes if change.knob == "balance"]
    assert balance.served == (0.0, 1.0)
    assert balance.tuned[0] > 0
    [proposed] = configurations(database, tenant)
    assert stored.number == proposed.number
    assert configure(proposed.override) == found.config
    assert proposed.override["strategy"] == "hybrid"
    assert proposed.embedding_model == "hashing@1"


def test_what_is_served_is_measured_as_an_evaluation_of_it_would_be(engine: Engine, database, tenant, diary) -> None:
    golden(database, tenant, diary)
    queries = fetch_queries(database, tenant, "default")

    recording = record(leg_search(engine, tenant, timeout_ms=TIMEOUT_MS), queries, config=configure())
    figures = Replay(recording=recording).figures(configure(), weights=shipped_weights())

    assert figures.ndcg_at_10.tolist() == [1.0] * 30
    assert figures.reciprocal_rank.tolist() == [1.0] * 30


def test_weights_that_are_served_go_with_a_configuration_that_keeps_them(
    engine: Engine, database, tenant, misspelt_diary
) -> None:
    golden(database, tenant, misspelt_diary)
    own = {**shipped_weights().to_json(), "version": "mine"}
    with database.transaction(tenant) as connection:
        propose_configuration(connection, tenant, override={}, embedding_model=None, reranker_weights=own)
    served = ServedConfiguration(
        config=configure({"strategy": "hybrid", "hybridSearch": {"semanticWeight": 0.0, "fulltextWeight": 1.0}}),
        reranker_version="mine",
        weights=parse_weights(own),
    )
    object.__setattr__(engine, "configurations", OneConfiguration(served=served))

    searched = leg_search(engine, tenant, timeout_ms=TIMEOUT_MS)
    found = tune(searched, set_name="default", parts=("fusion",), minutes=0.5)
    stored = propose(searched, found)

    [new] = [one for one in configurations(database, tenant) if one.number == stored.number]
    assert new.reranker_version == "mine"


def test_without_time_only_what_is_served_is_measured(engine: Engine, database, tenant, diary) -> None:
    golden(database, tenant, diary)

    found = tune(leg_search(engine, tenant, timeout_ms=TIMEOUT_MS), set_name="default", minutes=1, clock=ticking(61))

    assert (found.tried, found.is_out_of_time) == (1, True)
    assert found.metrics[0].test.difference == 0
    assert found.objection is not None


def test_progress_counts_queries_and_folds(engine: Engine, database, tenant, diary) -> None:
    golden(database, tenant, diary)
    heard = Heard()

    told = run_tuning(engine, tenant, {"minutes": 0.02, "dry_run": True}, heard)

    assert heard.stages == {"recording": (30, 30), "searching": (600, 600)}
    assert told["number"] is None


@pytest.mark.parametrize("stage", ["recording", "searching"])
def test_a_cancelled_job_proposes_nothing(engine: Engine, database, tenant, titled_diary, stage) -> None:
    golden(database, tenant, titled_diary)

    with pytest.raises(JobCancelledError):
        run_tuning(engine, tenant, {"parts": "reranking"}, Heard(cancelled_at=stage))

    assert configurations(database, tenant) == []


@pytest.mark.parametrize("minutes", [0, -1, "five", True, 121])
def test_a_job_takes_no_more_than_two_hours(engine: Engine, tenant, minutes) -> None:
    with pytest.raises(InvalidInputError, match="up to 120"):
        run_tuning(engine, tenant, {"minutes": minutes}, Heard())


def test_too_few_queries_are_an_error_that_says_how_many_are_needed(brain: Brain, database, tenant, diary) -> None:
    golden(database, tenant, diary[:29], name="pocas")

    done = brain("tune", "--set", "pocas", "--json")
    said = done.json

    assert done.exit_code == 1
    assert "29 queries can be judged" in said["error"]
    assert "at least 30" in said["error"]


def test_an_unknown_set_is_an_error_that_lists_the_known_ones(brain: Brain, database, tenant, diary) -> None:
    golden(database, tenant, diary[:1], name="diario")

    done = brain("tune", "--set", "otro", "--json")
    said = done.json

    assert done.exit_code == 1
    assert "'otro' (there is: diario)" in said["error"]


def test_an_unknown_part_is_an_error_that_lists_the_parts(brain: Brain, tenant) -> None:
    done = brain("tune", "--parts", "fusion,luck", "--json")
    said = done.json

    assert done.exit_code == 1
    assert "'luck'; expected some of fusion, threshold, candidates, reranking" in said["error"]


def test_a_query_that_cannot_be_searched_is_left_out(engine: Engine, database, tenant, diary) -> None:
    golden(database, tenant, [*diary, {"query": "x" * 3000, "relevant_ids": diary[0]["relevant_ids"]}])

    searched = leg_search(engine, tenant, timeout_ms=TIMEOUT_MS)
    recording = record(searched, fetch_queries(database, tenant, "default"), config=configure())

    assert (len(recording.queries), recording.left_out) == (30, 1)


@pytest.mark.parametrize(
    "override",
    [
        {},
        {"topK": {"final": 10}},
        {"hybridSearch": {"threshold": 0.3, "semanticWeight": 0.25}, "graphRAG": {"weight": 0.0}},
        {"strategy": "fulltext", "reranking": {"enabled": False}},
    ],
)
def test_what_differs_from_the_defaults_gives_the_configuration_again(override) -> None:
    config = configure(override)

    found = differences(config)

    assert configure(found) == config
    assert (found == {}) == (override == {})


def test_tuning_needs_better_ndcg_and_no_lower_mrr(engine: Engine, database, tenant, titled_diary) -> None:
    golden(database, tenant, titled_diary)

    found = tune(leg_search(engine, tenant, timeout_ms=TIMEOUT_MS), set_name="default", parts=("reranking",))

    assert isinstance(found, Tuning)
    assert found.fitted_folds >= 1
    assert (found.objection is None) == (found.metrics[0].test.p_value < 0.02 and found.metrics[1].test.difference >= 0)
