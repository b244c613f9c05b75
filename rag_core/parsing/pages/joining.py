"""Lines into running text, and what goes on in another column or on another page."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rag_core.parsing.building import LaterPart
from rag_core.parsing.pages.markers import split_item
from rag_core.parsing.pages.parts import PageBlock, PageTable

_SOFT_HYPHEN = "\xad"
_HYPHENS = f"-\u2010{_SOFT_HYPHEN}"
_HYPHENATED = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)+")
_LAST_PART = re.compile(rf"([^\W\d_]+)[{_HYPHENS}]$")
_FIRST_PART = re.compile(r"[^\W\d_]+")
_CONJUNCTIONS = frozenset({"y", "e", "o", "u", "ni", "and", "or", "to", "und", "oder", "bis", "sowie"})
_ENDED = re.compile(r"[.!?:…][\"'”\u2019»)\]]*$")
_SAME_COLUMN = 6.0
"""Points by which a column of a table may be off on the next page."""

Rows = Sequence[tuple[str, ...]]


def hyphenated_words(lines: Iterable[str]) -> frozenset[str]:
    """Words with a hyphen within a line, in lower case: those keep it where it falls at the end of one."""
    return frozenset(word.lower() for line in lines for word in _HYPHENATED.findall(line))


def join_lines(lines: Iterable[str], *, hyphenated: frozenset[str] = frozenset()) -> str:
    """One text of lines; a word parted at the end of one is put together, without the hyphen unless that is its own.

    A hyphen is a word's own where the next line does not begin with a small letter, or where the word is in ``hyphenated``. One
    before a conjunction stands for a part left out ("Vor- und Nachteile").
    """
    parts: list[str] = []
    for line in filter(None, (line.strip() for line in lines)):
        if parts:
            parts[-1] = _before(parts[-1], line, hyphenated)
        parts.append(line)
    return "".join(parts).replace(_SOFT_HYPHEN, "")


def _before(text: str, line: str, hyphenated: frozenset[str]) -> str:
    """A line as it stands before the next one: with a space, with its hyphen, or without it."""
    before, after = _LAST_PART.search(text), _FIRST_PART.match(line)
    if text[-1] not in _HYPHENS or len(text) < 2 or text[-2].isspace():
        return f"{text} "
    if not before or not after or not after[0][0].islower():
        return text
    if after[0].lower() in _CONJUNCTIONS:
        return f"{text} "
    is_own = f"{before[1]}-{after[0]}".lower() in hyphenated
    return text if is_own else text[:-1]


def join_blocks(blocks: Iterable[PageBlock]) -> list[PageBlock]:
    """Blocks with those put together that go on in the next column or on the next page: paragraphs and tables."""
    joined: list[PageBlock] = []
    for block in blocks:
        place = _place_to_go_on(joined, block) if block.opens else None
        if place is None:
            joined.append(block)
        else:
            joined[place] = _appended(joined[place], block)
    return joined


def _place_to_go_on(joined: Sequence[PageBlock], block: PageBlock) -> int | None:
    """Place of the last block that is neither a footnote nor without words, if this one goes on with it."""
    for place in range(len(joined) - 1, -1, -1):
        before = joined[place]
        if before.last_page < block.page - 1:
            return None
        if not before.table and (block.table is None) and _is_beside_the_text(before, block):
            continue
        goes_on = _is_same_table(before, block) if block.table else _is_same_paragraph(before, block)
        return place if goes_on else None
    return None


def _is_beside_the_text(before: PageBlock, block: PageBlock) -> bool:
    has_words = any(letter.isalpha() for line in before.lines for letter in line.text)
    return not has_words or before.style[0] < block.style[0] - 0.5


def _is_same_paragraph(before: PageBlock, block: PageBlock) -> bool:
    if (
        before.table
        or split_item(block.lines[0].text)
        or abs(before.style[0] - block.style[0]) > 0.5
        or before.style[1] != block.style[1]
    ):
        return False
    *_, last = before.all_lines
    is_ended = _ENDED.search(last.text) is not None
    is_full = len(before.lines) > 1 and last.box[2] > before.box[2] - 2 * last.size and not before.continued
    begins_small = block.lines[0].text[0].islower()
    return not is_ended and (begins_small or last.text[-1] in _HYPHENS or (is_full and not before.style[1]))


def _is_same_table(before: PageBlock, block: PageBlock) -> bool:
    """Tell whether a table goes on: on the next page, with the header again or with equal columns and no header of its own."""
    one, other = before.table, block.table
    if not one or not other or before.last_page != block.page - 1 or len(one.columns) != len(other.columns):
        return False
    if one.rows[0] == other.rows[0]:
        return True
    return all(map(_is_same_column, one.columns, other.columns)) and not _has_own_header(other)


def _is_same_column(one: tuple[float, float], other: tuple[float, float]) -> bool:
    offsets = (one[0] - other[0], one[1] - other[1], sum(one) / 2 - sum(other) / 2)
    return min(map(abs, offsets)) <= _SAME_COLUMN


def _has_own_header(table: PageTable) -> bool:
    """Tell whether the first row has no figures, but the second one has."""
    figures = [any(letter.isdigit() for text in row for letter in text) for row in table.rows[:2]]
    return figures == [False, True]


def _appended(before: PageBlock, block: PageBlock) -> PageBlock:
    if not before.table or not block.table:
        return replace(
            before,
            continued=before.continued + block.lines,
            last_page=block.last_page,
            later=(*before.later, LaterPart(start=len(before.all_lines), page=block.page, box=block.box)),
        )
    rows, repeated = before.table.rows, _repeated_rows(before.table.rows, block.table.rows)
    return replace(
        before,
        table=replace(before.table, rows=rows + block.table.rows[repeated:]),
        last_page=block.last_page,
        later=(*before.later, LaterPart(start=len(rows), page=block.page, box=block.box)),
    )


def _repeated_rows(rows: Rows, following: Rows) -> int:
    """Rows of the header that the next page has again; one with blank cells has another below it."""
    count = 0
    while count < min(len(rows), len(following)) and rows[count] == following[count]:
        count += 1
        if all(rows[count - 1]):
            break
    return count
