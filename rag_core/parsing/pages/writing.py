"""Blocks of all pages into the document: headings by their style, lists, captions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rag_core.model.document import Box, bounds
from rag_core.parsing.building import DocumentBuilder, LaterPart
from rag_core.parsing.pages.joining import hyphenated_words, join_lines
from rag_core.parsing.pages.markers import has_leader, is_caption, split_item, without_leaders
from rag_core.parsing.pages.parts import PageBlock
from rag_core.parsing.recognition import RecognisedText

_LARGER = 1.15
_MAX_CHARACTERS = 200
_MAX_LINES = 3
_STEP = 6.0
"""Points by which an item of a list stands deeper than another."""

Style = tuple[float, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """A block with its text, its style where it is a heading, and mark and text where it is a list item.

    ``later`` are its parts elsewhere, by rows of a table or by characters of the text.
    """

    block: PageBlock
    text: str
    later: tuple[LaterPart, ...]
    heading: Style | None
    item: tuple[str, str] | None


def write_blocks(
    builder: DocumentBuilder, blocks: Sequence[PageBlock], *, recognised: Mapping[int, RecognisedText]
) -> None:
    """Add blocks to a document; ``recognised`` are the pages whose text was recognised."""
    written = list(_text_blocks(blocks))
    styles = sorted({one.heading for one in written if one.heading}, reverse=True)
    before = ""
    for is_list, group in groupby(_by_lists(written), key=lambda entry: entry[0]):
        members = [one for _, one in group]
        if is_list:
            _write_list(builder, members, recognised.get(members[0].block.page))
            continue
        for one in members:
            _write(builder, one, styles, before, recognised)
            before = one.text


def _body_size(blocks: Iterable[PageBlock]) -> float:
    """Font size of most text outside of tables."""
    sizes = Counter[float]()
    for block in blocks:
        for line in block.all_lines:
            sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)


def _text_blocks(blocks: Sequence[PageBlock]) -> Iterator[TextBlock]:
    body_size = _body_size(blocks)
    hyphenated = hyphenated_words(line.text for block in blocks for line in block.all_lines)
    for block in blocks:
        lines = [line.text for line in block.all_lines]
        text = without_leaders(join_lines(lines, hyphenated=hyphenated))
        is_heading = not block.table and _is_heading(block, text, body_size)
        item = None if is_heading or block.table else split_item(text)
        heading = block.style if is_heading else None
        later = block.later if block.table else _by_characters(block.later, lines, text, hyphenated)
        yield TextBlock(block=block, text=text, later=later, heading=heading, item=item)


def _by_characters(
    later: Iterable[LaterPart], lines: Sequence[str], text: str, hyphenated: frozenset[str]
) -> tuple[LaterPart, ...]:
    """Parts by the characters before them instead of the lines; a word of two pages belongs to the former."""
    starts = {
        part: len(join_lines(lines[: part.start + 1], hyphenated=hyphenated)) - len(join_lines([lines[part.start]]))
        for part in later
    }
    return tuple(replace(part, start=text.find(" ", start - 1) + 1) for part, start in starts.items())


def _is_heading(block: PageBlock, text: str, body_size: float) -> bool:
    """Tell whether a short block is larger than the text, or bold and no sentence."""
    size, is_bold = block.style
    if len(text) > _MAX_CHARACTERS or len(block.all_lines) > _MAX_LINES or is_caption(text) or has_leader(text):
        return False
    is_large = size >= _LARGER * body_size
    is_set_off = is_bold and size > 0.95 * body_size and text[-1] not in ".,;:"
    return sum(letter.isalpha() for letter in text) > 1 and (is_large or is_set_off)


def _by_lists(written: Iterable[TextBlock]) -> Iterator[tuple[int, TextBlock]]:
    """Each block with the number of its list, 0 for those that are in none; a list ends with its column."""
    number, is_within = 0, False
    for one in written:
        is_item = one.item is not None
        if is_item and (not is_within or one.block.opens):
            number += 1
        is_within = is_item
        yield number if is_item else 0, one


def _write_list(builder: DocumentBuilder, items: Sequence[TextBlock], recognised: RecognisedText | None) -> None:
    lefts: list[float] = []
    for left in sorted(one.block.box[0] for one in items):
        if not lefts or left - lefts[-1] > _STEP:
            lefts.append(left)
    depths = [sum(one.block.box[0] > left + _STEP for left in lefts) for one in items]
    builder.list_of(
        [(depth, *one.item) for depth, one in zip(depths, items, strict=True) if one.item],
        page=items[0].block.page,
        box=_placed(bounds(one.block.box for one in items), recognised),
    )


def _write(
    builder: DocumentBuilder,
    one: TextBlock,
    styles: Sequence[Style],
    before: str,
    recognised: Mapping[int, RecognisedText],
) -> None:
    page, table = one.block.page, one.block.table
    box = _placed(one.block.box, recognised.get(page))
    confidence = recognised[page].confidence if page in recognised else None
    later = [replace(part, box=_placed(part.box, recognised.get(part.page))) for part in one.later]
    if table:
        caption = before if is_caption(before) else None
        builder.table(table.rows, caption=caption, page=page, box=box, confidence=confidence, later=later)
    elif one.heading:
        builder.heading(one.text, styles.index(one.heading) + 1, page=page, box=box)
    else:
        builder.paragraph(one.text, page=page, box=box, confidence=confidence, later=later)


def _placed(box: Box, recognised: RecognisedText | None) -> Box:
    """The box on the page as it is shown: one whose image was turned to be read is not."""
    return recognised.place(box) if recognised else box
