"""Rows and items that name nothing of what a question for a sum asks for. Pure."""

import re
from collections.abc import Iterator, Sequence

from rag_core.answering.quoting.asked_words import Term, keys_of, worth
from rag_core.answering.quoting.openings import announces, is_heading, is_item
from rag_core.chunking.structure import structure_of
from rag_core.model.answer import Source
from rag_core.model.note import Span

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_HASHES = re.compile(r"\s*(#+)\s")
_BOLD, _PROSE, _LISTED = -2, -1, 1
"""Depths of what stands over a row: headings with marks are above them, and items as deep as they are indented."""


def unnamed_lines(source: Source, terms: Sequence[Term]) -> list[Span]:
    """Lines of the passage that are rows or items without any of the terms in themselves or over them, or open such lines.

    Over a row are the title, headings, the line before it, headers, the caption, and items that it is within.
    """
    found, is_kept = list[Span](), True
    for span, opens, is_named in reversed(list(_lines(source, terms))):
        is_kept = is_named or (opens and is_kept)
        if not is_kept:
            found.append(span)
    return found


def _lines(source: Source, terms: Sequence[Term]) -> Iterator[tuple[Span, bool, bool]]:
    """Each line, whether it opens what follows, and whether it may be quoted by itself."""
    text, part = source.original, source.table
    tables = {table.start: table for table in structure_of(text).tables}
    known = (source.title or "", *((part.caption or "", *part.headers) if part else ()))
    over = [(-99, _names(" ".join(known), source, terms))]
    end_of_table = 0
    for match in _LINE.finditer(text):
        line, start = match[0], match.start()
        end_of_table = tables[start].end if start in tables else end_of_table
        is_row = start < end_of_table or line.lstrip().startswith("|")
        is_listed, opens = is_row or is_item(line), not is_row and (is_heading(line) or announces(line))
        names = _names(line, source, terms)
        while over[-1][0] >= (depth := _depth(line, is_listed=is_listed)) and (not is_row or start in tables):
            over.pop()
        is_named = names or (is_listed and any(named for _, named in over))
        if not is_row or start in tables:
            over.append((depth, names))
        yield match.span(), opens, is_named or not (is_listed or opens)


def _depth(line: str, *, is_listed: bool) -> int:
    if is_listed:
        return _LISTED + len(line) - len(line.lstrip())
    hashes = _HASHES.match(line)
    return len(hashes[1]) - 10 if hashes else _BOLD if is_heading(line) else _PROSE


def _names(text: str, source: Source, terms: Sequence[Term]) -> bool:
    keys = keys_of(text, source.language)
    return any(worth(term, keys) for term in terms)
