"""`brain models` as a shell sees it: one JSON document, what people read, exit status."""

import pytest
from command_line import Brain, printed_json

from rag_core.storage.database import Database

pytestmark = pytest.mark.usefixtures("without_tenant")


def test_the_model_that_comes_with_the_program_is_listed_as_active(brain: Brain) -> None:
    [model] = printed_json(brain("models", "list", "--json"))["models"]

    assert (model["name"], model["state"], model["is_active"], model["dimensions"]) == ("hashing", "active", True, 768)
    assert model["fusion"] == {"method": "relative_score", "semantic_weight": 0.25, "fulltext_weight": 0.75}
    assert (model["missing"], model["tenants"]) == (0, {})


def test_a_tenants_share_of_the_vectors_is_listed(brain: Brain, tenant, make_note) -> None:
    make_note("La casa azul.")

    [model] = printed_json(brain("models", "list", "--json"))["models"]

    assert (model["missing"], model["tenants"]) == (2, {"pruebas": {"chunks": 1, "standard": 0, "contextual": 0}})
    assert "pruebas 0 %" in brain("models", "list").stdout


def test_from_registration_to_retirement(brain: Brain, database: Database, tenant, make_note) -> None:
    make_note("La casa azul.")

    added = brain("models", "add", "hashing-64", "--provider", "hashing", "--dimensions", "64", "--json")
    refused = brain("models", "promote", "hashing-64", "--json")
    promoted = brain("models", "promote", "hashing-64", "--wait", "--json")
    too_soon = brain("models", "retire", "hashing", "--json")
    back = brain("models", "promote", "hashing", "--json")
    with database.owner() as connection:
        connection.execute("update brain.embedding_models set promoted_at = now() - interval '2 minutes'")
    retired = brain("models", "retire", "hashing-64", "--json")

    assert (printed_json(added)["state"], printed_json(added)["is_new"]) == ("candidate", True)
    assert set(printed_json(refused, exit_code=1)) == {"error"}
    assert printed_json(promoted) | {"seconds": 0} == {
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
    assert printed_json(retired) == {"name": "hashing-64", "vectors": 2, "cached": 0, "had_index": False}


@pytest.mark.parametrize("step", ["backfill", "evaluate", "promote", "retire"])
def test_an_unknown_model_fails_with_those_there_are(brain: Brain, step: str) -> None:
    done = brain("models", step, "nada", "--json")

    assert done.exit_code == 1
    assert "there is: hashing" in printed_json(done, exit_code=1)["error"]


def test_people_are_told_the_next_step(brain: Brain) -> None:
    done = brain("models", "add", "hashing-64", "--provider", "hashing", "--dimensions", "64")

    assert "`brain models backfill hashing-64` computes its vectors." in done.stderr


def test_a_dimension_out_of_bounds_is_wrong_usage(brain: Brain) -> None:
    assert brain("models", "add", "hashing-64", "--provider", "hashing", "--dimensions", "5000").exit_code == 2
