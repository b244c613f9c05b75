"""Likeness of a parsed document to what it should be: its words, and the cells of its tables."""

import csv
import html
import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from pptx import Presentation

from rag_core.model.document import DocumentTable, ParsedDocument

Cells = Mapping[tuple[int, int], str]
"""Text by row and column, blank cells left out."""
_UNSEEN = re.compile(r"<!--.*?-->|(?<=\])\([^)\s]*\)|<[^>\n]+>", re.DOTALL)
_WORD = re.compile(r"[^\W_]+")
_TABLE = re.compile(r"^\|.*\|(?:\n\|.*\|)+[ \t]*$", re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CellScore:
    """Precision, recall and their harmonic mean.

    ``f1_shifted`` allows each table one offset of rows and columns: a caption taken for a row then costs that row alone.
    """

    precision: float
    recall: float
    f1: float
    f1_shifted: float


def words(markdown: str) -> list[str]:
    """Words in order, without Markdown's marks, targets of links, comments and tags."""
    return _WORD.findall(unicodedata.normalize("NFKC", html.unescape(_UNSEEN.sub(" ", markdown))))


def similarity(found: str, expected: str) -> float:
    """Ratio of two texts' common words in order: 2 · common / (words of both), 0 to 1."""
    return SequenceMatcher(None, words(found), words(expected), autojunk=False).ratio()


def like_with_like(markdown: str) -> str:
    """Text whose tables are lists of cells, so that parsers of other conventions can be compared.

    Columns are read downwards: one parser joins two lines of a row where another has two rows. A cell that its left or upper
    neighbour repeats stands once: one parser fills merged cells, another leaves them blank. Numbers that stand for missing
    headers are left out.
    """
    return _TABLE.sub(lambda table: "\n".join(_cells_downwards(table[0])), markdown)


def _cells_downwards(table: str) -> list[str]:
    lines = (line.strip()[1:-1] for line in table.splitlines() if not _RULE.fullmatch(line))
    rows = [[cell.strip() for cell in _BAR.split(line)] for line in lines]
    rows[:1] = [["" if cell == str(place) else cell for place, cell in enumerate(row, 1)] for row in rows[:1]]
    cells = {(row, column): cell for row, line in enumerate(rows) for column, cell in enumerate(line)}
    ordered = sorted(cells, key=lambda place: place[::-1])
    return [
        cells[row, column]
        for row, column in ordered
        if cells[row, column] not in {cells.get((row - 1, column)), cells.get((row, column - 1))}
    ]


def without_notes(document: ParsedDocument, slides: bytes) -> str:
    """Text of a presentation without its speaker notes, which python-pptx names."""
    notes = {
        (number, line.strip())
        for number, slide in enumerate(Presentation(io.BytesIO(slides)).slides, 1)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None
        for line in slide.notes_slide.notes_text_frame.text.splitlines()
    }
    texts = ((block.page, document.text[block.start : block.end]) for block in document.blocks)
    return "\n\n".join(text for page, text in texts if (page, text) not in notes)


def expected_tables(path: Path) -> list[Cells]:
    """Tables of an annotation (.json: each region of a page is one) or of a .csv, which is one."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as lines:
            return [cells_of(list(csv.reader(lines)))]
    regions = [
        region for table in json.loads(path.read_text(encoding="utf-8"))["tables"] for region in table["regions"]
    ]
    return [
        {(cell["row"], cell["col"]): text for cell in region["cells"] if (text := _plain(cell["text"]))}
        for region in regions
    ]


def found_tables(tables: Iterable[DocumentTable]) -> list[Cells]:
    """Tables of a document; headers that are numbers of their columns were put there by the builder."""
    return [cells_of([row for row in (_headers(table), *table.rows) if any(row)]) for table in tables]


def score_cells(found: Sequence[Cells], expected: Sequence[Cells]) -> CellScore:
    """Score cells: one is right if its text is that of the expected cell at its row and column, blanks aside.

    Each expected table is compared with the found table, of those left, that has most of its cells.
    """
    left, pairs = list(found), []
    for wanted in sorted(expected, key=len, reverse=True):
        best = max(left, key=lambda table: _right_shifted(table, wanted), default={})
        pairs.append((best, wanted))
        left = [table for table in left if table is not best]
    sizes = sum(len(best) for best, _ in pairs), sum(len(wanted) for _, wanted in pairs)
    right = sum(best.get(place) == text for best, wanted in pairs for place, text in wanted.items())
    shifted = sum(_right_shifted(best, wanted) for best, wanted in pairs)
    return CellScore(
        precision=right / sizes[0] if sizes[0] else 0.0,
        recall=right / sizes[1],
        f1=2 * right / sum(sizes),
        f1_shifted=2 * shifted / sum(sizes),
    )


def unspaced(tables: Iterable[Cells]) -> list[Cells]:
    """Tables without the spaces in their cells: annotations leave out some."""
    return [{place: "".join(text.split()) for place, text in table.items()} for table in tables]


def _right_shifted(found: Cells, wanted: Cells) -> int:
    """Cells that are right under the best offset."""
    offsets = Counter(
        (row - other_row, column - other_column)
        for (row, column), text in wanted.items()
        for (other_row, other_column), other in found.items()
        if other == text
    )
    return max(offsets.values(), default=0)


def _headers(table: DocumentTable) -> tuple[str, ...]:
    return tuple("" if name == str(place) else name for place, name in enumerate(table.headers, 1))


def cells_of(rows: Sequence[Sequence[str]]) -> Cells:
    """Cells of rows of text."""
    return {
        (row, column): text
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
        if (text := _plain(cell))
    }


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())
