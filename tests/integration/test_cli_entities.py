"""`brain entity`: list, show, merge, split, rename."""

from collections.abc import Callable

import pytest
from causal_notes import read_notes as read_notes  # noqa: PLC0414  a fixture, re-exported to pytest
from command_line import Brain, printed_json


@pytest.fixture(autouse=True)
def _notes(make_note: Callable[..., object], read_notes: Callable[..., object]) -> None:
    make_note("Cené con Birgit Lohmann y con Rosa Ferrer en Sevilla.")
    make_note("Comí con Birgit Lohmann.")
    read_notes()


def test_entities_are_listed_by_notes_and_shown_with_their_names(brain: Brain) -> None:
    listed = printed_json(brain("entity", "list", "--kind", "PERSON", "--json"))["entities"]
    shown = printed_json(brain("entity", "show", "birgit lohmann", "--json"))

    assert [(one["name"], one["notes"]) for one in listed] == [("Birgit Lohmann", 2), ("Rosa Ferrer", 1)]
    assert [(one["name"], one["decided_by"]) for one in shown["names"]] == [("Birgit Lohmann", "rules")]
    assert {one["text"] for one in shown["places"]} == {
        "Cené con Birgit Lohmann y con Rosa Ferrer en Sevilla.",
        "Comí con Birgit Lohmann.",
    }
    assert [one["name"] for one in shown["beside"]] == ["Rosa Ferrer", "Sevilla"]


def test_relations_are_shown_as_a_sentence_says_them(brain: Brain, make_note, read_notes, monkeypatch) -> None:
    make_note("Birgit Lohmann trabaja en Renfe.")
    read_notes()
    monkeypatch.setenv("BRAIN_LANGUAGE", "es")

    [told] = printed_json(brain("entity", "show", "Renfe", "--json"))["relations"]
    shown = brain("entity", "show", "Renfe").stdout

    assert (told["kind"], told["is_source"], told["name"]) == ("WORKS_FOR", False, "Birgit Lohmann")
    assert "Birgit Lohmann trabaja en Renfe" in shown
    assert "Relaciones" in shown


def test_entities_are_merged_split_and_renamed(brain: Brain) -> None:
    merged = printed_json(brain("entity", "merge", "Rosa Ferrer", "Birgit Lohmann", "--json"))
    split = printed_json(brain("entity", "split", "Birgit Lohmann", "Rosa Ferrer", "--json"))
    renamed = printed_json(brain("entity", "rename", "Rosa Ferrer", "Rosa", "--json"))

    assert (merged["name"], merged["mentions"]) == ("Birgit Lohmann", 3)
    assert (split["name"], split["mentions"]) == ("Rosa Ferrer", 1)
    assert (renamed["name"], renamed["id"]) == ("Rosa", split["id"])


def test_a_renamed_entity_is_found_by_either_name(brain: Brain) -> None:
    brain("entity", "rename", "Rosa Ferrer", "La jefa")

    found = [printed_json(brain("entity", "show", name, "--json"))["id"] for name in ("la jefa", "Rosa Ferrer")]

    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("show", "Quimbaya"), "ninguna nota nombra 'Quimbaya'; `brain entity list` enumera lo que nombran"),
        (("merge", "Rosa Ferrer", "Rosa Ferrer"), "Rosa Ferrer ya es esa entidad"),
        (
            ("merge", "Rosa Ferrer", "Sevilla"),
            "Rosa Ferrer y Sevilla son de dos tipos, pero solo se unen entidades del",
        ),
        (("split", "Rosa Ferrer", "Rosa"), "Rosa Ferrer no tiene el nombre 'Rosa'"),
    ],
)
def test_errors_are_told_in_spanish(brain: Brain, monkeypatch: pytest.MonkeyPatch, words, told) -> None:
    monkeypatch.setenv("BRAIN_LANGUAGE", "es")

    assert told in brain("entity", *words).stderr


def test_tables_and_messages_are_for_people(brain: Brain) -> None:
    assert "Birgit Lohmann" in brain("entity", "list", "birgit").stdout
    assert "Sevilla" in brain("entity", "show", "Birgit Lohmann").stdout
    assert "is shown as Rosa now" in brain("entity", "rename", "Rosa Ferrer", "Rosa").stdout
    assert "is one with Birgit Lohmann now" in brain("entity", "merge", "Rosa", "Birgit Lohmann").stdout
    assert "is an entity of its own now" in brain("entity", "split", "Birgit Lohmann", "Rosa Ferrer").stdout
    assert "No note names such an entity." in brain("entity", "list", "Quimbaya").stderr
    assert "no note names 'Quimbaya'" in brain("entity", "show", "Quimbaya").stderr
