"""`brain experiment` as a shell sees it: begun, listed, shown, ended; and what is refused."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from typer.testing import CliRunner, Result

from rag_core.cli import experiments  # noqa: F401  registers the commands
from rag_core.cli.app import app
from rag_core.configuration.proposals import propose_configuration
from rag_core.model.experiment import ExperimentQuery
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Database
from rag_core.storage.experiments import find_experiment, insert_experiment_query, write_feedback

Run = Callable[..., Result]


@pytest.fixture
def brain(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tenant: TenantId) -> Run:
    """Run `brain experiment …` on the test's database, for its tenant."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BRAIN_TENANT", tenant)
    return lambda *words: CliRunner().invoke(app, ["experiment", *words])


@pytest.fixture
def wide(tmp_path: Path) -> str:
    """A file that asks for more candidates."""
    file = tmp_path / "wide.json"
    file.write_text('{"topK": {"retrieval": 50}}')
    return str(file)


def told(done: Result) -> Any:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


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


def test_from_start_to_stop(brain: Run, wide: str, database, tenant) -> None:
    started = told(brain("start", "más", "--mode", "interleave", "--share", "0.5", "--config", wide, "--json"))
    for won_by in ["candidate"] * 9 + ["control", None]:
        answered(database, tenant, "más", won_by=won_by)

    shown, read = told(brain("show", "más", "--json")), brain("show", "más").stdout
    stopped = told(brain("stop", "más", "--json"))
    listed = told(brain("list", "--json"))["experiments"]

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
def test_an_experiment_without_queries_yet_is_shown(brain: Run, wide: str, mode: str) -> None:
    brain("start", "nuevo", "--mode", mode, "--config", wide)

    shown = brain("show", "nuevo")

    assert shown.exit_code == 0
    assert told(brain("show", "nuevo", "--json"))["pause"] is None


def test_a_stored_configuration_is_tried_by_its_number(brain: Run, database, tenant) -> None:
    with database.transaction(tenant) as connection:
        made = propose_configuration(
            connection, tenant, override={"topK": {"retrieval": 30}}, embedding_model=None, origin="manual"
        )

    started = told(brain("start", "la del número", "--configuration", str(made.number), "--json"))

    assert started["candidate"]["topK"]["retrieval"] == 30
    with database.transaction(tenant) as connection:
        found = find_experiment(connection, tenant, "la del número")
    assert found.candidate_configuration_id == made.configuration_id


def test_one_experiment_runs_at_a_time_and_the_other_is_named(brain: Run, wide: str) -> None:
    brain("start", "uno", "--config", wide)

    second, same = brain("start", "dos", "--config", wide, "--json"), brain("start", "uno", "--config", wide, "--json")

    assert (second.exit_code, same.exit_code) == (1, 1)
    assert "'uno' is running" in json.loads(second.stdout)["error"]
    assert "there is an experiment 'uno' already" in json.loads(same.stdout)["error"]


def test_another_can_begin_when_the_first_has_ended(brain: Run, wide: str) -> None:
    brain("start", "uno", "--config", wide)
    brain("stop", "uno")

    assert brain("start", "dos", "--config", wide).exit_code == 0


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
    brain: Run, tmp_path: Path, words: list[str], content: str, problem: str
) -> None:
    file = tmp_path / "candidate.json"
    file.write_text(content)

    done = brain("start", "malo", "--config", str(file), *words, "--json")

    assert done.exit_code == 1
    assert problem in json.loads(done.stdout)["error"]
    assert told(brain("list", "--json"))["experiments"] == []


def test_without_a_candidate_nothing_begins(brain: Run) -> None:
    assert brain("start", "sin nada").exit_code == 2


def test_an_unknown_experiment_is_named(brain: Run) -> None:
    for step in ("show", "stop"):
        done = brain(step, "ninguno", "--json")
        assert done.exit_code == 1
        assert "'ninguno'" in json.loads(done.stdout)["error"]
