"""Which names are the same thing."""

import json
from collections import Counter
from pathlib import Path

import pytest

from rag_core.graph.mentions import read_mentions
from rag_core.graph.resolution import SAME, blocks, likeness, linked_in_note, name_key
from rag_core.model.entity import EntityKind
from rag_core.model.note import Language

PAIRS = Path(__file__).parents[1] / "data/entities/resolution.jsonl"


def are_same(kind: EntityKind, one: str, other: str, language: Language = "de") -> bool:
    found = likeness(kind, name_key(kind, one, language), name_key(kind, other, language))
    return found is not None and found.score >= SAME


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("PERSON", "Max Mustermann", "Mustermann, Max"),
        ("PERSON", "M. Mustermann", "Max Mustermann"),
        ("PERSON", "Frau von der Heide", "Katharina v. d. Heide"),
        ("PERSON", "max.mustermann@firma.example", "Max Mustermann"),
        ("ORG", "BMW", "Bayerische Motoren Werke"),
        ("ORG", "Rechenhof GmbH", "Rechenhof"),
        ("ORG", "Kent County Council", "Kent County Counci"),
        ("REGULATION", "BDSG", "Bundesdatenschutzgesetz"),
        ("LOCATION", "München", "Muenchen"),
        ("DATE", "12.01.2026", "12. Januar 2026"),
        ("MONEY", "1.399 €", "1399,00 Euro"),
    ],
)
def test_the_same_thing_has_many_names(kind: EntityKind, one: str, other: str) -> None:
    assert are_same(kind, one, other)
    assert are_same(kind, other, one)


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("PROJECT", "Projekt A1", "Projekt A2"),
        ("DATE", "Q1 2026", "Q2 2026"),
        ("PERSON", "Max Mustermann", "Mia Mustermann"),
        ("PERSON", "P. Meier", "Peter Maier"),
        ("PERSON", "Katharina von der Heide", "Sabine von der Heide"),
        ("ORG", "Sonnwerk GmbH", "Sonnwerk AG"),
        ("ORG", "Autohaus Lindau", "Autohaus Landau"),
        ("PRODUCT", "Keycloak 23", "Keycloak 24"),
        ("ORG", "Studio 20231 Film", "Studio 202312 Film"),
        ("MONEY", "1.399 €", "1.399 $"),
    ],
)
def test_what_differs_in_a_digit_a_name_or_a_form_is_another_thing(kind: EntityKind, one: str, other: str) -> None:
    assert not are_same(kind, one, other)


def test_names_that_are_the_same_share_a_block() -> None:
    assert set(blocks("PERSON", "max mustermann")) & set(blocks("PERSON", "m mustermann"))
    assert set(blocks("ORG", "bmw")) & set(blocks("ORG", "bayerische motoren werke"))


def test_a_short_name_is_the_one_fuller_name_of_its_note() -> None:
    text = "Birgit Lohmann llamó. Por la tarde vino Birgit."

    found = linked_in_note(read_mentions([(text, "es")], known={})[0], "es")

    assert [one.name for one in found] == ["Birgit Lohmann", "Birgit Lohmann"]


def test_a_short_name_of_two_in_a_note_stays_alone() -> None:
    text = "Vinieron Max Mustermann y Max Amend. Luego llamó Max."

    found = linked_in_note(read_mentions([(text, "es")], known={})[0], "es")

    assert [one.name for one in found] == ["Max Mustermann", "Max Amend", "Max"]


def test_labelled_pairs_are_merged_with_precision_of_nine_in_ten() -> None:
    counts = Counter[tuple[bool, bool]]()
    for line in PAIRS.read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        counts[are_same(pair["type"], pair["a"], pair["b"], pair["language"]), pair["same"]] += 1

    assert counts[True, True] / (counts[True, True] + counts[True, False]) >= 0.9
    assert counts[True, True] / (counts[True, True] + counts[False, True]) >= 0.75
