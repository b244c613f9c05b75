"""Rows that are too long with their headers: parted by columns, each part with its own headers and the row's first cell."""

from itertools import pairwise

import pytest
from builders import make_hit
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_core.answering.sources.context import build_context
from rag_core.chunking import CHUNKERS, ChunkSpan, sentence_spans
from rag_core.chunking.packing import CHARACTERS_PER_TOKEN
from rag_core.chunking.structure import cell_spans, cells_of, structure_of
from rag_core.model.chunk import TablePart

STATIONS = ("Norte", "Sur", "Este", "Oeste", "Puerto", "Sierra")


def table_of(headers: list[str], rows: list[list[str]]) -> str:
    lines = [headers, ["---"] * len(headers), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def row_parts(text: str, *, max_tokens: int) -> list[ChunkSpan]:
    spans = CHUNKERS.get("sentence").spans(
        text, sentence_spans(text, "es"), max_tokens=max_tokens, overlap_tokens=0, min_tokens=0
    )
    return [span for span in spans if span.kind == "table_segment"]


def headers_of(part: ChunkSpan) -> tuple[str, ...]:
    return part.table.headers if part.table else ()


def length_told(text: str, part: ChunkSpan) -> int:
    """Characters of a part with its caption and the headers of its filled cells."""
    content = text[part.start : part.end]
    named = zip(headers_of(part), cells_of(content), strict=False)
    caption = (part.table and part.table.caption) or ""
    return len(content.rstrip()) + len(caption) + sum(len(header) for header, cell in named if cell)


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| a | b |\n", ["| a ", "| b |\n"]),
        ("a | b", ["a ", "| b"]),
        ("  | a \\| b | | c |\n\n", ["  | a \\| b ", "| ", "| c |\n\n"]),
        ("| a | |\n", ["| a ", "| |\n"]),
        ("|| a |", ["|", "| a |"]),
        ("| a", ["| a"]),
    ],
)
def test_the_cells_of_a_row_tile_it(row: str, cells: list[str]) -> None:
    text = f"x\n{row}y"

    assert [text[start:end] for start, end in cell_spans(text, (2, 2 + len(row)))] == cells
    assert tuple(name for cell in cells for name in cells_of(cell)) == cells_of(row)


def test_a_wide_row_is_parted_by_columns_that_know_their_headers_and_its_first_cell() -> None:
    headers = ["Mes", *(f"Estación {name}" for name in STATIONS)]
    rows = [[month, *(f"{month} {name.lower()}" for name in STATIONS)] for month in ("enero", "marzo")]
    text = f"Lluvia\n\n{table_of(headers, rows)}"

    parts = row_parts(text, max_tokens=32)

    told = [(part.table.caption, part.table.headers, text[part.start : part.end]) for part in parts if part.table]
    assert told[:3] == [
        ("Lluvia", ("Mes", *headers[1:4]), "| enero | enero norte | enero sur | enero este "),
        ("Lluvia. Mes: enero", (*headers[4:7],), "| enero oeste | enero puerto | enero sierra |\n"),
        ("Lluvia", ("Mes", *headers[1:4]), "| marzo | marzo norte | marzo sur | marzo este "),
    ]
    assert len(told) == 4


def test_rows_that_fit_with_the_headers_of_their_filled_cells_stay_together() -> None:
    headers = ["Mes", *(f"Estación de medida {number}" for number in range(12))]
    text = table_of(headers, [["enero", *[""] * 11, "3"]] * 40)

    parts = row_parts(text, max_tokens=64)

    assert {headers_of(part) for part in parts} == {tuple(headers)}
    assert len(parts) < 10


words = st.text(alphabet="abc |", max_size=30).map(lambda text: text.strip(" |").replace("|", "\\|"))


@settings(max_examples=200)
@given(
    headers=st.lists(words, min_size=2, max_size=12),
    rows=st.lists(st.lists(words, min_size=2, max_size=14), min_size=1, max_size=4),
    max_tokens=st.integers(12, 60),
)
def test_parts_tile_their_rows_and_have_the_headers_of_their_cells_within_the_limit(
    headers: list[str], rows: list[list[str]], max_tokens: int
) -> None:
    text = table_of(headers, rows)
    (table,) = structure_of(text).tables

    parts = row_parts(text, max_tokens=max_tokens)

    bounds = [(part.start, part.end) for part in parts] or [table.rows[0], (table.rows[0][1], len(text))]
    assert (bounds[0][0], bounds[-1][1]) == (table.rows[0][0], len(text))
    assert all(one[1] == other[0] for one, other in pairwise(bounds))
    for part in parts:
        (row,) = [row for row in table.rows if row[0] <= part.start < row[1]]
        cells = cell_spans(text, row)
        at = next((at for at, (start, _) in enumerate(cells) if start == part.start), None)
        own = headers_of(part)
        if part.end <= row[1] and len(own) > 1:
            assert at is not None
            assert own == tuple([*table.headers, *[""] * len(cells)][at : at + len(own)])
            assert length_told(text, part) <= max_tokens * CHARACTERS_PER_TOKEN


ROWS = "| enero | 3 | 5 | 8 |\n| marzo | 2 | 4 | 6 |"


@pytest.mark.parametrize(
    ("match", "columns"),
    [
        ("| 5 | 8 |\n", "Este: 5; Oeste: 8"),
        ("| enero | 3 | 5 | 8 |\n", "Este | Oeste"),
        (ROWS, "Este | Oeste"),
    ],
)
def test_a_prompt_pairs_headers_with_cells_where_more_of_their_row_is_shown(match: str, columns: str) -> None:
    table = TablePart(kind="table_segment", start=0, headers=("Este", "Oeste"), caption="Lluvia. Mes: enero")
    start = ROWS.index(match)

    context = build_context([make_hit(ROWS, content=match, bounds=(start, start + len(match)), table=table)])

    assert f'"table": "Lluvia. Mes: enero", "columns": "{columns}"' in context.text
