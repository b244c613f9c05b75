"""`brain models` as a shell sees it: one JSON document, what people read, exit status."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from rag_core.cli import models  # noqa: F401  registers the commands
from rag_core.cli.app import app
from rag_core.storage.database import Database

Run = Callable[..., Result]


@pytest.fixture
def brain(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path) -> Run:
    """Run `brain models …` on the test's database."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path / "home"))
    return lambda *words: CliRunner().invoke(app, ["models", *words])


def told(done: Result) -> Any:
    """The one JSON document on stdout."""
    return json.loads(done.stdout)


def test_the_model_that_comes_with_the_program_is_listed_as_active(brain: Run) -> None:
    [model] = told(brain("list", "--json"))["models"]

    assert (model["name"], model["state"], model["is_active"], model["dimensions"]) == ("hashing", "active", True, 768)
    assert model["fusion"] == {"method": "relative_score", "semantic_weight": 0.25, "fulltext_weight": 0.75}
    assert (model["missing"], model["tenants"]) == (0, {})


def test_a_tenants_share_of_the_vectors_is_listed(brain: Run, tenant, make_note) -> None:
    make_note("La casa azul.")

    [model] = told(brain("list", "--json"))["models"]

    assert (model["missing"], model["tenants"]) == (2, {"pruebas": {"chunks": 1, "standard": 0, "contextual": 0}})
    assert "pruebas 0 %" in brain("list").stdout


def test_from_registration_to_retirement(brain: Run, database: Database, tenant, make_note) -> None:
    make_note("La casa azul.")

    added = brain("add", "hashing-64", "--provider", "hashing", "--dimensions", "64", "--json")
    refused = brain("promote", "hashing-64", "--json")
    promoted = brain("promote", "hashing-64", "--wait", "--json")
    too_soon = brain("retire", "hashing", "--json")
    back = brain("promote", "hashing", "--json")
    with database.owner() as connection:
        connection.execute("update brain.embedding_models set promoted_at = now() - interval '2 minutes'")
    retired = brain("retire", "hashing-64", "--json")

    assert (told(added)["state"], told(added)["is_new"]) == ("candidate", True)
    assert (refused.exit_code, set(told(refused))) == (1, {"error"})
    assert told(promoted) | {"seconds": 0} == {
        "active": "hashing-64",
        "former": "hashing",
        "is_changed": True,
        "embedded": 1,
        "reused": 1,
        "notes": 0,
        "rounds": 1,
        "seconds": 0,
    }
    assert (too_soon.exit_code, back.exit_code) == (1, 0)
    assert told(retired) == {"name": "hashing-64", "vectors": 2, "cached": 0, "had_index": False}


@pytest.mark.parametrize("step", ["backfill", "evaluate", "promote", "retire"])
def test_an_unknown_model_fails_with_those_there_are(brain: Run, step: str) -> None:
    done = brain(step, "nada", "--json")

    assert done.exit_code == 1
    assert "there is: hashing" in told(done)["error"]


def test_people_are_told_the_next_step(brain: Run) -> None:
    done = brain("add", "hashing-64", "--provider", "hashing", "--dimensions", "64")

    assert "`brain models backfill hashing-64` makes its vectors." in done.stderr


def test_a_dimension_out_of_bounds_is_wrong_usage(brain: Run) -> None:
    assert brain("add", "hashing-64", "--provider", "hashing", "--dimensions", "5000").exit_code == 2
