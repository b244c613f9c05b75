"""Markdown into blocks, which are spans of the text as its author wrote it."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import BlockKind, DocumentBlock, DocumentTable, ParsedDocument
from rag_core.model.note import Span
from rag_core.parsing.building import check_length, one_line, storable

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "html_block": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
}
_IMAGES = re.compile(r"(?:!\[[^\[\]]*\]\([^()]*\)\s*)+")
_NOWHERE: Span = (0, 0)
_WORD = re.compile(r"[^\W_]")


def markdown_document(text: str, *, max_characters: int) -> ParsedDocument:
    """A document whose text is the Markdown given, in NFC and with its line ends normalised.

    Raises:
        DocumentRefusedError: the text is blank or longer than allowed.
    """
    text = storable(text)
    check_length(len(text), max_characters)
    if not text.strip():
        raise DocumentRefusedError("the file holds no text")
    return _Blocks(text).document()


class _Blocks:
    """Blocks and tables of one text, by its lines."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = _line_spans(text)
        self._blocks: list[DocumentBlock] = []
        self._tables: list[DocumentTable] = []
        self._title: str | None = None

    def document(self) -> ParsedDocument:
        line = 0
        for tokens in _outer_blocks(_block_parser().parse(self._text)):
            first, last = tokens[0].map or (line, line)
            self._add_rest(line, first)
            if (span := self._span(first, last)) != _NOWHERE:  # Markdown takes some white space for text
                self._add(tokens, span)
            line = last
        self._add_rest(line, len(self._lines))
        return ParsedDocument(
            text=self._text,
            blocks=tuple(self._blocks),
            tables=tuple(self._tables),
            title=self._title,
        )

    def _add(self, tokens: Sequence[Any], span: Span) -> None:
        kind = _KINDS[tokens[0].type]
        start, end = span
        if kind == "paragraph" and _IMAGES.fullmatch(self._text, start, end):
            kind = "image"
        level = int(tokens[0].tag[1]) if kind == "heading" else None
        if kind == "heading" and not self._title:
            self._title = one_line(_plain(tokens[1].content))
        if kind == "table":
            self._tables.append(self._table(tokens))
        self._blocks.append(DocumentBlock(kind=kind, start=start, end=end, level=level))

    def _add_rest(self, first: int, last: int) -> None:
        """Add what the parser gives no block for: definitions of links, and quotations in more than 20 others."""
        start, end = self._span(first, last)
        if _WORD.search(self._text, start, end):
            self._blocks.append(DocumentBlock(kind="paragraph", start=start, end=end))

    def _table(self, tokens: Sequence[Any]) -> DocumentTable:
        rows: list[list[str]] = []
        spans: list[Span] = []
        for token in tokens:
            if token.type == "tr_open" and token.map:
                rows.append([])
                spans.append(self._span(*token.map))
            elif token.type == "inline":
                rows[-1].append(token.content)
        headers = tuple(name or str(place) for place, name in enumerate(rows[0], 1))
        return DocumentTable(
            block=len(self._blocks), headers=headers, rows=tuple(map(tuple, rows[1:])), row_spans=tuple(spans[1:])
        )

    def _span(self, first: int, last: int) -> Span:
        """Lines from ``first`` to before ``last`` without the blank ones around them."""
        while first < last and self._is_blank(first):
            first += 1
        while last > first and self._is_blank(last - 1):
            last -= 1
        if first == last:
            return _NOWHERE
        start = self._lines[first][0]
        return start, start + len(self._text[start : self._lines[last - 1][1]].rstrip())

    def _is_blank(self, line: int) -> bool:
        start, end = self._lines[line]
        return not self._text[start:end].strip()


def _outer_blocks(tokens: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Tokens of each block that lies in no other; quotations are no blocks, but what is in them."""
    place = 0
    while place < len(tokens):
        token = tokens[place]
        end = place + 1
        if token.type in _KINDS:
            while tokens[end - 1].level > token.level or tokens[end - 1].nesting == 1:
                end += 1
            yield tokens[place:end]
        place = end


@cache
def _block_parser() -> "MarkdownIt":
    """Parser of blocks alone: what stands within them is kept as it is."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable("inline")


def _plain(heading: str) -> str:
    """Text of a heading without its Markdown."""
    from markdown_it import MarkdownIt

    children: list[Any] = MarkdownIt("commonmark").parseInline(heading[:2_000])[0].children or []
    return "".join(child.content if child.type != "softbreak" else " " for child in children)


def _line_spans(text: str) -> list[Span]:
    spans: list[Span] = []
    start = 0
    for line in text.split("\n"):
        spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans
