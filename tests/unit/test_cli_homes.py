"""A command that only reads makes no database where it is called by mistake."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rag_core.cli import (  # noqa: F401  they register the commands
    alerts,
    asking,
    conversations,
    documents,
    experiments,
    folders,
    golden,
    migration_status,
    operation,
    proposals,
    runs,
    searching,
)
from rag_core.cli.app import app
from rag_core.runtime.homes import read_settings_to_read


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder without a home, which nothing else names either."""
    monkeypatch.delenv("BRAIN_HOME", raising=False)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["search", "tarta"],
        ["ask", "¿qué tarta?"],
        ["conversations"],
        ["status"],
        ["folder", "list"],
        ["folder", "status", "Notas"],
        ["document", "list"],
        ["runs"],
        ["alerts"],
        ["golden", "list"],
        ["golden", "proposals"],
        ["migration", "status"],
        ["experiment", "list"],
    ],
    ids=" ".join,
)
def test_where_there_is_no_home_it_is_said_and_none_is_made(elsewhere: Path, words: list[str]) -> None:
    done = CliRunner().invoke(app, words)

    assert done.exit_code == 1
    assert f"there are no notes at {elsewhere / '.brain'}" in done.stderr
    assert "`brain import FILE`" in done.stderr
    assert list(elsewhere.iterdir()) == []


def test_the_doctor_finds_no_home_and_makes_none(elsewhere: Path) -> None:
    done = CliRunner().invoke(app, ["doctor", "--json"])

    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert done.exit_code == 1
    assert not checks["database"]["ok"]
    assert f"there are no notes at {elsewhere / '.brain'}" in checks["database"]["found"]
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("name", ["BRAIN_HOME", "DATABASE_URL"])
def test_a_place_that_is_named_is_used_whatever_is_there(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, str(elsewhere / "casa"))

    assert read_settings_to_read().home.name in {"casa", ".brain"}


def test_a_home_in_the_folder_is_found(elsewhere: Path) -> None:
    (elsewhere / ".brain" / "postgres").mkdir(parents=True)

    assert read_settings_to_read().home == elsewhere / ".brain"
