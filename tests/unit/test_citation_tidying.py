import pytest
from unit.citing import FIELD, VET, source

from rag_core.answering.verification.check import check_citations
from rag_core.answering.verification.citations import parse_citations

SOURCES = [source(1, VET), source(2, FIELD)]


def cleaned(text: str, language="es") -> str:
    return check_citations(text, SOURCES, language=language).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run [9].", "Run."),
        ("And [9], too", "And, too"),
        ("Llovió [9] mucho.", "Llovió mucho."),
        ("Llovió[9]mucho.", "Llovió mucho."),
        ("Llovió. [9] Luego no.", "Llovió. Luego no."),
        ("Llovió. [9].", "Llovió."),
        ("Llovió, [9].", "Llovió."),
        ("¿Llovió [9]?", "¿Llovió?"),
        ("Llovió [9], [1].", "Llovió [1]."),
        ("Llovió [1], [9].", "Llovió [1]."),
        ("Llovió [1] y [9].", "Llovió [1]."),
        ("Llovió [1, 9].", "Llovió [1]."),
        ("Llovió [7-9].", "Llovió."),
        ("Llovió ([9]).", "Llovió."),
        ("Llovió ([9], [8]) hoy.", "Llovió hoy."),
        ("Llovió (véase [9]) hoy.", "Llovió hoy."),
        ("Llovió (ayer [9]) hoy.", "Llovió (ayer) hoy."),
        ("Llovió «[9]» hoy.", "Llovió hoy."),
        ("Llovió **[9]** hoy.", "Llovió hoy."),
        ("**Nota** [9] **final** de hoy.", "**Nota** **final** de hoy."),
        ("Llovió, según [9].", "Llovió."),
        ("Según la nota [9], llovió.", "Llovió."),
        ("Y según [9], llovió.", "Y llovió."),
        ("Y, según [9], llovió.", "Y llovió."),
        ("Llovió y, según la nota [9], nevó.", "Llovió y nevó."),
        ("Además, según [9], llovió.", "Además, llovió."),
        ("Llovió. [9]. Nevó.", "Llovió. Nevó."),
        ("Uno.\n\n[9]\n\nDos.", "Uno.\n\nDos."),
        ("- Uno [9]\n- Dos\n", "- Uno\n- Dos\n"),
        ("- [9] Uno\n- Dos\n", "- Uno\n- Dos\n"),
        ("Llovió [9](https://a.b/c).", "Llovió."),
        ("Llovió [1](https://a.b/c).", "Llovió [1]."),
        ("Llovió [Quelle: Nada].", "Llovió."),
        ("Llovió [[9]9] y ya.", "Llovió y ya."),
        ("Llovió [1", "Llovió"),
        ("Llovió [Quelle: Tru", "Llovió"),
        ("[9]", ""),
    ],
)
def test_what_hung_on_a_mark_goes_with_it(text: str, expected: str) -> None:
    assert cleaned(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Llovió [N1].", "Llovió [1]."),
        ("Llovió [n02,N1].", "Llovió [2, 1]."),
        ("Llovió [1-2].", "Llovió [1, 2]."),
        ("Llovió 【1】.", "Llovió [1]."),
        ("Llovió [Fuente 2].", "Llovió [2]."),
        ("Llovió. [N1] Fin.", "Llovió. [1] Fin."),
    ],
)
def test_marks_that_stay_have_one_form_where_they_stand(text: str, expected: str) -> None:
    assert cleaned(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Run . And , too  [1] ( ) ..",
        "En [2019] llovió [1] y [sic] ya.\n\n  - a  b\n",
        "Código: `x[i]`… y `[]` [2].",
        "Llovió [y esto sigue un buen rato sin cerrarse nunca",
    ],
)
def test_without_a_mark_to_take_out_or_rewrite_nothing_changes(text: str) -> None:
    assert cleaned(text) == text


def test_each_language_has_its_leading_words() -> None:
    assert cleaned("Laut [9], es regnete.", "de") == "Es regnete."
    assert cleaned("It rained (see [9]) today.", "en") == "It rained today."


def test_marks_nested_to_confuse_leave_no_mark() -> None:
    nested = "[" * 9 + "9]" * 9

    assert parse_citations(cleaned(f"Llovió {nested} hoy."), SOURCES) == ()


def test_every_number_taken_out_is_counted() -> None:
    assert check_citations("Uno [9]. Dos [1, 8, 7]. Tres [Quelle: Nada].", SOURCES, language="es").removed == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nevó !([9])[a] hoy.", "Nevó ! [a] hoy."),
        ("Nevó !**[9]**[a]**[9]**(c) hoy.", "Nevó  hoy."),
        ("Nevó ‹[1]**[9]**(c) hoy.", "Nevó ‹[1] (c) hoy."),
        ("Nevó < [9]!b> hoy.", "Nevó  hoy."),
        ("[a][9] : /c", "[a] : /c"),
    ],
)
def test_marks_that_are_taken_out_leave_no_markup_behind(text: str, expected: str) -> None:
    assert cleaned(text) == expected
