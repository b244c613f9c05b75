"""Front matter: fields and body, and what cannot be read."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.errors import InvalidInputError
from rag_core.folders.front_matter import as_json, split_front_matter, start_of_fields, told_fields, with_fields


def test_fields_and_body_are_told_apart() -> None:
    read = split_front_matter("---\ntitle: Pan\ndate: 2024-04-03\ntags: [a, b]\n---\n\n# Pan\n")

    assert read.fields == {"title": "Pan", "date": date(2024, 4, 3), "tags": ["a", "b"]}
    assert read.body == "# Pan\n"
    assert read.warning is None


@pytest.mark.parametrize("text", ["# Pan", "", "---\nno end", "----\na: 1\n---\n", " ---\na: 1\n---\n"])
def test_a_text_without_front_matter_stays_as_it_is(text: str) -> None:
    assert split_front_matter(text).body == text


def test_empty_front_matter_has_no_fields() -> None:
    assert split_front_matter("---\n---\nHola").body == "Hola"


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("a: [1", "line 2"),
        ("- a", "fields"),
        ("a: &x [1]\nb: *x", "aliases"),
        ("a: 2024-13-45", ""),
        ("{" * 1000, ""),
        ("a: " + "x" * 100_001, "characters"),
    ],
)
def test_front_matter_that_cannot_be_read_stays_in_the_text(written: str, reason: str) -> None:
    text = f"---\n{written}\n---\nHola"

    read = split_front_matter(text)

    assert read.body == text
    assert read.fields == {}
    assert reason in (read.warning or "")


@pytest.mark.parametrize(
    "text",
    [
        "---\nvisibility: department\ndate: 2024-01-32\n---\nHola",
        "---\n{departments: &x [rrhh], b: *x}\n---\nHola",
        "---\nautora: Ana\nvisibility department\n---\nHola",
        "---\n? Visibilty\n: department\na: [1\n---\nHola",
        "---\nvisibility: department\n\nHola",
        "---\nvisibility: department\n----\nHola",
        "\n ----\n  visibility : department\n---\nHola",
        "\u2014-\nvisibility: department\n\u2014-\nHola",
    ],
)
def test_front_matter_that_cannot_be_read_and_hides_the_note_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="who may read the note"):
        split_front_matter(text)


@pytest.mark.parametrize(
    "text",
    ["---\n\nVer la visibilidad: buena", "----\nHola\n----\nvisibility: hidden", "Hola\n---\nvisibility: x\n---\n"],
)
def test_a_text_that_only_speaks_of_visibility_stays_as_it_is(text: str) -> None:
    assert split_front_matter(text).body == text


def test_a_billion_laughs_are_not_expanded() -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))]

    assert split_front_matter("---\n" + "\n".join(lines) + "\n---\nHola").fields == {}


def test_fields_of_programs_are_shown_and_no_part_of_the_text() -> None:
    fields = {"estado": "en\ncurso", "uid": 7, "publish": True, "con": ["Ana", None, 2], "más": {"a": 1}, "nada": ""}

    assert told_fields(fields | {"tags": ["x"]}) == [("con", "Ana, 2"), ("estado", "en curso"), ("uid", "7")]
    assert with_fields("Hola\n", fields) == "Hola\n\ncon: Ana, 2\nestado: en curso"
    assert with_fields("Hola\n", {"uid": 7}) == "Hola\n"


@pytest.mark.parametrize(
    ("text", "start"),
    [("Hola\n\nestado: hecho", 4), ("estado: hecho", 0), ("Hola", 4), ("Hola\n\nestado: hecho\n", 20)],
)
def test_the_fields_are_the_end_of_a_text(text: str, start: int) -> None:
    assert start_of_fields(text, {"estado": "hecho"}) == start


@given(st.text(alphabet="ab:-[]{}&*!#|>'\"\n 0129.,%@`\t?", max_size=200))
def test_whatever_stands_there_the_fields_are_json(written: str) -> None:
    read = split_front_matter(f"---\n{written}\n---\nHola")

    json.dumps({name: as_json(value) for name, value in read.fields.items()}, allow_nan=False)
    assert read.body.endswith("Hola")
