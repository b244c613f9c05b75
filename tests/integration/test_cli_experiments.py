"""`brain experiment` as a shell sees it: begun, listed, shown, ended; and what is refused."""

import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from command_line import Brain, printed_json

from rag_core.configuration.proposals import propose_configuration
from rag_core.model.experiment import ExperimentQuery
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Database
from rag_core.storage.experiments import find_experiment, insert_experiment_query, write_feedback


@pytest.fixture
def wide(tmp_path: Path) -> str:
    """A file that asks for more candidates."""
    file = tmp_path / "wide.json"
    file.write_text('{"topK": {"retrieval": 50}}')
    return str(file)


def answered(database: Database, tenant: TenantId, name: str, *, won_by: str | None) -> None:
    """An interleaved query of two notes, of which the winner's was opened."""
    notes = NoteId(uuid4()), NoteId(uuid4())
    with database.transaction(tenant) as connection:
        asked = ExperimentQuery(
            id=uuid4(),
            experiment_id=find_experiment(connection, tenant, name).id,
            arm="interleaved",
            asked_at=datetime.now(UTC),
            served_notes=notes,
            teams=("control", "candidate"),
            control_notes=notes[:1],
            candidate_notes=notes[1:],
        )
        insert_experiment_query(connection, tenant, asked)
        if won_by is not None:
            opened = notes[("control", "candidate").index(won_by)]
            write_feedback(connection, tenant, asked.id, note_id=opened, kind="open")


def test_from_start_to_stop(brain: Brain, wide: str, database, tenant) -> None:
    started = printed_json(
        brain("experiment", "start", "más", "--mode", "interleave", "--share", "0.5", "--config", wide, "--json")
    )
    for won_by in ["candidate"] * 9 + ["control", None]:
        answered(database, tenant, "más", won_by=won_by)

    shown, read = printed_json(brain("experiment", "show", "más", "--json")), brain("experiment", "show", "más").stdout
    stopped = printed_json(brain("experiment", "stop", "más", "--json"))
    listed = printed_json(brain("experiment", "list", "--json"))["experiments"]

    assert (started["mode"], started["share"], started["state"]) == ("interleave", 0.5, "running")
    assert (started["control"]["topK"]["retrieval"], started["candidate"]["topK"]["retrieval"]) == (20, 50)
    figures = shown["figures"]
    assert (figures["wins"], figures["losses"], figures["undecided"]) == (9, 1, 1)
    assert figures["p_value"] == pytest.approx(22 / 1024)
    assert (
        shown["conclusion"]
        == "Readers prefer the candidate: the candidate won 90 % of 10 decided queries (p = 0.0215)."
    )
    assert "Readers prefer the candidate" in read
    assert (stopped["state"], stopped["figures"]) == ("stopped", figures)
    assert [(one["name"], one["state"], one["queries"]) for one in listed] == [("más", "stopped", 11)]


@pytest.mark.parametrize("mode", ["split", "shadow", "interleave"])
def test_an_experiment_without_queries_yet_is_shown(brain: Brain, wide: str, mode: str) -> None:
    brain("experiment", "start", "nuevo", "--mode", mode, "--config", wide)

    shown = brain("experiment", "show", "nuevo")

    assert shown.exit_code == 0
    assert printed_json(brain("experiment", "show", "nuevo", "--json"))["pause"] is None


def test_a_stored_configuration_is_tried_by_its_number(brain: Brain, database, tenant) -> None:
    with database.transaction(tenant) as connection:
        made = propose_configuration(
            connection, tenant, override={"topK": {"retrieval": 30}}, embedding_model=None, origin="manual"
        )

    started = printed_json(brain("experiment", "start", "la del número", "--configuration", str(made.number), "--json"))

    assert started["candidate"]["topK"]["retrieval"] == 30
    with database.transaction(tenant) as connection:
        found = find_experiment(connection, tenant, "la del número")
    assert found.candidate_configuration_id == made.configuration_id


def test_one_experiment_runs_at_a_time_and_the_other_is_named(brain: Brain, wide: str) -> None:
    brain("experiment", "start", "uno", "--config", wide)

    second, same = (
        brain("experiment", "start", "dos", "--config", wide, "--json"),
        brain("experiment", "start", "uno", "--config", wide, "--json"),
    )

    assert (second.exit_code, same.exit_code) == (1, 1)
    assert "'uno' is running" in json.loads(second.stdout)["error"]
    assert "there is an experiment 'uno' already" in json.loads(same.stdout)["error"]


def test_another_can_begin_when_the_first_has_ended(brain: Brain, wide: str) -> None:
    brain("experiment", "start", "uno", "--config", wide)
    brain("experiment", "stop", "uno")

    assert brain("experiment", "start", "dos", "--config", wide).exit_code == 0


@pytest.mark.parametrize(
    ("words", "content", "problem"),
    [
        (["--share", "0"], '{"topK": {"retrieval": 50}}', "the share is 0.0"),
        (["--share", "1.5"], '{"topK": {"retrieval": 50}}', "the share is 1.5"),
        (["--mode", "split", "--share", "1"], '{"topK": {"retrieval": 50}}', "leaves the control without queries"),
        ([], "{}", "the candidate is what is served"),
        ([], '{"chunking": {"maxChunkSize": 256}}', "chunking is decided when notes are indexed"),
        ([], '{"topK": {"retrieval": 500}}', "topK.retrieval"),
        ([], '{"reranking": {"provider": "http"}}', "reranking.provider"),
    ],
)
def test_a_candidate_that_tells_nothing_or_cannot_be_searched_with_is_refused(
    brain: Brain, tmp_path: Path, words: list[str], content: str, problem: str
) -> None:
    file = tmp_path / "candidate.json"
    file.write_text(content)

    done = brain("experiment", "start", "malo", "--config", str(file), *words, "--json")

    assert done.exit_code == 1
    assert problem in json.loads(done.stdout)["error"]
    assert printed_json(brain("experiment", "list", "--json"))["experiments"] == []


def test_without_a_candidate_nothing_begins(brain: Brain) -> None:
    assert brain("experiment", "start", "sin nada").exit_code == 2


def test_an_unknown_experiment_is_named(brain: Brain) -> None:
    for step in ("show", "stop"):
        done = brain("experiment", step, "ninguno", "--json")
        assert done.exit_code == 1
        assert "'ninguno'" in json.loads(done.stdout)["error"]
