"""Word documents: labels of lists and numbered headings, as Word shows them."""

from collections.abc import Sequence

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from office_files import parsed, saved


def level(depth: int, number_format: str, label: str, *, start: int = 1, legal: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="{start}"/><w:numFmt w:val="{number_format}"/>{legal}'
        f'<w:lvlText w:val="{label}"/></w:lvl>'
    )


def text_of_list(levels: Sequence[str], items: Sequence[tuple[int, str]], *, style: str = "") -> str:
    """Text of a document with paragraphs of one list, given by their depths and texts."""
    word = Document()
    word.part.numbering_part.element.extend(
        parse_xml(
            f'<w:numbering {nsdecls("w")}><w:abstractNum w:abstractNumId="90">{"".join(levels)}</w:abstractNum>'
            '<w:num w:numId="91"><w:abstractNumId w:val="90"/></w:num></w:numbering>'
        )
    )
    for depth, text in items:
        properties = word.add_paragraph(text, style=style or None)._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_numId().val = 91
        properties.get_or_add_ilvl().val = depth
    return parsed("lista.docx", saved(word)).text


@pytest.mark.parametrize(
    ("number_format", "label", "start", "text"),
    [
        ("decimal", "%1.", 1, "1. pan"),
        ("decimal", "%1)", 7, "7) pan"),
        ("decimal", "Artículo %1.", 2, "- Artículo 2. pan"),
        ("decimal", "", 1, "- pan"),
        ("decimalZero", "%1", 3, "- 03 pan"),
        ("lowerLetter", "%1)", 1, "- a) pan"),
        ("upperLetter", "(%1)", 26, "- (Z) pan"),
        ("lowerLetter", "%1.", 28, "- bb. pan"),
        ("lowerLetter", "%1.", 2_000_000_000, "- xxxxxxxxxx. pan"),
        ("upperRoman", "%1.", 1994, "- MCMXCIV. pan"),
        ("lowerRoman", "%1.", 48, "- xlviii. pan"),
        ("lowerRoman", "%1.", 4000, "4000. pan"),
        ("bullet", "•", 1, "- pan"),
        ("none", "%1.", 1, "- pan"),
        ("ordinal", "%1.", 1, "1. pan"),
    ],
)
def test_items_have_the_label_of_their_level(number_format: str, label: str, start: int, text: str) -> None:
    assert text_of_list([level(0, number_format, label, start=start)], [(0, "pan")]) == text


def test_a_label_counts_the_levels_above() -> None:
    levels = [level(0, "upperRoman", "%1."), level(1, "decimal", "%1.%2")]

    text = text_of_list(levels, [(0, "uno"), (1, "dos"), (1, "tres"), (0, "cuatro"), (1, "cinco")])

    assert text == "- I. uno\n  - I.1 dos\n  - I.2 tres\n- II. cuatro\n  - II.1 cinco"


def test_a_level_without_items_counts_as_begun() -> None:
    levels = [level(0, "decimal", "%1.", start=4), level(1, "lowerLetter", "%1.%2")]

    assert text_of_list(levels, [(1, "dos")]) == "- 4.a dos"


@pytest.mark.parametrize(("legal", "text"), [("<w:isLgl/>", "1.1 dos"), ('<w:isLgl w:val="0"/>', "I.1 dos")])
def test_a_legal_label_has_digits_alone(legal: str, text: str) -> None:
    levels = [level(0, "upperRoman", "%1."), level(1, "decimal", "%1.%2", legal=legal)]

    assert text_of_list(levels, [(0, "uno"), (1, "dos")]) == f"- I. uno\n  - {text}"


def test_blank_items_count_and_are_not_written() -> None:
    assert text_of_list([level(0, "lowerLetter", "%1)")], [(0, "uno"), (0, " "), (0, "tres")]) == "- a) uno\n- c) tres"


def test_numbered_headings_have_their_number() -> None:
    levels = [level(0, "decimal", "%1."), level(1, "decimal", "%1.%2")]

    text = text_of_list(levels, [(0, "Objeto"), (1, "Alcance"), (1, "Plazo")], style="Heading 2")

    assert text == "## 1. Objeto\n\n## 1.1 Alcance\n\n## 1.2 Plazo"
