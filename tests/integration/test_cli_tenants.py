"""`brain tenant`: what it prints, and that it asks before it deletes."""

import pytest
from command_line import Brain, printed_json

from rag_core.cli import tenants

pytestmark = pytest.mark.usefixtures("without_tenant")


def test_one_is_made_limited_shown_and_deleted(brain: Brain, make_note) -> None:
    assert printed_json(brain("tenant", "create", "ana", "--json")) == {"name": "ana"}
    assert "there is a tenant ana already" in brain("tenant", "create", "ana").stderr
    limits = printed_json(brain("tenant", "limit", "ana", "--max-notes", "2", "--per-minute", "30", "--json"))
    assert (limits["max_notes"], limits["questions_per_minute"], limits["questions_per_hour"]) == (2, 30, None)
    assert printed_json(brain("tenant", "limit", "ana", "--max-notes", "none", "--json"))["max_notes"] is None
    make_note("Una nota.", owner="ana", metadata={"visibility": "department", "department": "Ventas"})

    shown = printed_json(brain("tenant", "show", "ana", "--json"))
    deleted = printed_json(brain("tenant", "delete", "ana", "--json"))

    assert (shown["notes"], shown["audiences"], shown["rows"]["chunks"]) == (1, {"department ventas": 1}, 1)
    assert (deleted["rows"]["notes"], deleted["dagster"]) == (1, {"partitions": 0, "runs": 0})
    assert [tenant["name"] for tenant in printed_json(brain("tenant", "list", "--json"))] == ["pruebas"]


def test_tables_are_for_people(brain: Brain, make_note) -> None:
    make_note("Una nota.")

    assert "pruebas" in brain("tenant", "list").stdout
    assert "everybody" in brain("tenant", "show", "pruebas").stdout
    assert "deleted tenant pruebas and all of its rows" in brain("tenant", "delete", "pruebas", "--yes").stdout


def test_without_anybody_to_ask_nothing_is_deleted(brain: Brain, tenant) -> None:
    done = brain("tenant", "delete", "pruebas")

    assert (done.exit_code, "Use --yes" in done.stderr) == (1, True)
    assert len(printed_json(brain("tenant", "list", "--json"))) == 1


@pytest.mark.parametrize(("typed", "left"), [("pruebas\n", 0), ("prueba\n", 1), ("y\n", 1)])
def test_only_whoever_types_the_name_deletes(brain: Brain, tenant, monkeypatch, typed: str, left: int) -> None:
    monkeypatch.setattr(tenants, "_is_somebody_there", lambda: True)

    brain("tenant", "delete", "pruebas", typed=typed)

    assert len(printed_json(brain("tenant", "list", "--json"))) == left


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["create", "Ana"], "'Ana' is no name for a tenant"),
        (["show", "nadie"], "there is no tenant 'nadie'"),
        (["limit", "nadie", "--max-notes", "3"], "there is no tenant 'nadie'"),
        (["delete", "nadie", "--yes"], "there is no tenant 'nadie'"),
    ],
)
def test_what_cannot_be_done_is_told(brain: Brain, words: list[str], said: str) -> None:
    done = brain("tenant", *words)

    assert (done.exit_code, said in done.stderr) == (1, True)


@pytest.mark.parametrize("value", ["0", "-1", "muchas", "99999999999"])
def test_a_limit_is_a_number_or_none(brain: Brain, tenant, value: str) -> None:
    assert brain("tenant", "limit", "pruebas", f"--max-notes={value}").exit_code == 2
