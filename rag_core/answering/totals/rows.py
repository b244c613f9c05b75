"""Rows of amounts in a passage: of its tables, and lines of its lists."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rag_core.chunking.structure import MarkdownTable, cells_of, structure_of
from rag_core.language.amounts import Amount, amount_of, amounts_in, are_plain, currency_named
from rag_core.language.folding import fold_words
from rag_core.language.languages import language_of
from rag_core.model.answer import Source
from rag_core.model.note import Language, Span

_FEWEST_SUMMED = 2
_LINE = re.compile(r"[^\n]+")
_MARKS = re.compile(r"[*`~]+|(?<!\w)_+|_+(?!\w)")
_WORD = re.compile(r"\w+")
_TICK = re.compile(r"\w|[✓✔☑✅]")
_UNCLEAR = re.compile(
    r"\d\s*(?:[-\u2013\u2014\u2212]\s*)?$|(?:^|[:=])\s*[-\u2013\u2014\u2212(]\s*$|[-\u2013\u2014\u2212]$"
)
"""Before an amount: a number or one with a dash, a sign that is not beside it, a bracket; none tells the amount plainly."""
_OPEN_OR_STRUCK = re.compile(r"~~|^\s*(?:[-*+•]|\d{1,3}[.)])\s+\[ \]", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountRow:
    """A row with one amount: ``label`` is what else it says, without marks of Markdown, ``written`` the amount as it stands."""

    label: str
    amount: Amount
    written: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountRows:
    """The rows of one table or list; ``frame`` is what stands over them: title, heading, caption and headers."""

    source: Source
    start: int
    frame: str
    rows: tuple[AmountRow, ...]
    currency: str | None


def rows_of_amounts(source: Source) -> Iterator[AmountRows]:
    """The tables and lists of a passage with one amount a row, each whole.

    Left out are those of which it is not plain which column is the amount or which mark is the decimal one, or which have several
    currencies, a column that calls a row unpaid, subtotals among their rows, or a first or last row that sums up the others without
    saying so. One that says so is no row. Lists with items within items, and rows that are struck out or tasks not done, are left
    out too.
    """
    if not source.is_whole:
        return
    text = source.original
    tables = structure_of(text).tables
    for table in tables:
        found = _of_table(text, table, source.language)
        yield from _group(source, table.start, " ".join(table.headers), found)
    for start, lines in _lists(text, tables):
        yield from _group(source, start, "", _of_list(text, lines))


def _group(source: Source, start: int, own_frame: str, rows: Sequence[AmountRow] | None) -> Iterator[AmountRows]:
    if not rows:
        return
    summing = language_of(source.language).totals.rows
    first_words = [(_WORD.findall(fold_words(row.label)) or [""])[0] for row in rows]
    kept = [row for row, word in zip(rows, first_words, strict=True) if word not in summing]
    sums = [row for row, word in zip(rows, first_words, strict=True) if word in summing]
    currencies = {row.amount.currency for row in kept} - {None}
    values = [row.amount.value for row in kept]
    if sums:
        is_plain = len(sums) == 1 and sums[0].amount.value == sum(values)
    else:
        is_plain = len(values) <= _FEWEST_SUMMED or sum(values) not in {2 * values[0], 2 * values[-1]}
    is_plain = is_plain and are_plain((row.written for row in rows), source.language)
    is_plain = is_plain and not any(_OPEN_OR_STRUCK.search(source.original, *row.span) for row in rows)
    if kept and is_plain and len(currencies) <= 1:
        frame = " ".join([source.title or "", _heading_before(source.original, start), own_frame])
        yield AmountRows(
            source=source, start=start, frame=frame, rows=tuple(kept), currency=next(iter(currencies), None)
        )


def _of_table(text: str, table: MarkdownTable, language: Language) -> list[AmountRow] | None:
    cells = [cells_of(text[slice(*row)]) for row in table.rows]
    column = _amount_column(table.headers, cells, language)
    if column is None or _has_unpaid(table.headers, cells, column, language):
        return None
    over = currency_named(table.headers[column])
    rows = []
    for span, row in zip(table.rows, cells, strict=True):
        amount = amount_of(row[column]) if column < len(row) else None
        if amount is not None:
            label = _MARKS.sub("", ", ".join(cell for at, cell in enumerate(row) if at != column and cell))
            amount = replace(amount, currency=amount.currency or over)
            rows.append(AmountRow(label=label, amount=amount, written=row[column].strip(" *_~"), span=span))
    return rows


def _amount_column(headers: Sequence[str], rows: Sequence[Sequence[str]], language: Language) -> int | None:
    """The one column of money: by its header, else by its currency; None where there is none, or more than one."""
    filled = [[row[at] for row in rows if at < len(row) and row[at].strip()] for at in range(len(headers))]
    numeric = [at for at, cells in enumerate(filled) if cells and all(amount_of(cell) is not None for cell in cells)]
    by_header = [at for at in numeric if currency_named(headers[at]) or _names_money(headers, at, language)]
    if not by_header and _has_quantities(headers, language):
        return None
    with_currency = [
        at for at in numeric if any(one.currency for cell in filled[at] if (one := amount_of(cell)) is not None)
    ]
    for columns in (by_header, with_currency):
        if columns:
            return columns[0] if len(columns) == 1 else None
    return None


def _names_money(headers: Sequence[str], at: int, language: Language) -> bool:
    """True where a header names amounts: not the price of one beside a number of them, nor a total of other things than money."""
    totals, words = language_of(language).totals, set(_WORD.findall(fold_words(headers[at])))
    named = words & totals.columns
    if named <= totals.rows:
        return bool(named) and words <= totals.rows
    return not (named <= totals.unit_prices and _has_quantities(headers, language))


def _has_unpaid(headers: Sequence[str], rows: Sequence[Sequence[str]], amount: int, language: Language) -> bool:
    """True where a column beside the amounts tells what was paid, and of some row that it was not."""
    totals = language_of(language).totals
    told = [
        at
        for at, header in enumerate(headers)
        if at != amount and not totals.paid.isdisjoint(_WORD.findall(fold_words(header)))
    ]
    cells = [fold_words(row[at]).strip() if at < len(row) else "" for at in told for row in rows]
    return any(cell in totals.unpaid or not _TICK.search(cell) for cell in cells)


def _has_quantities(headers: Sequence[str], language: Language) -> bool:
    words = {word for header in headers for word in _WORD.findall(fold_words(header))}
    return not words.isdisjoint(language_of(language).totals.quantities)


def _lists(text: str, tables: Sequence[MarkdownTable]) -> Iterator[tuple[int, list[Span]]]:
    """Runs of at least two list items on lines one after another."""
    lines = [match.span() for match in _LINE.finditer(text)]
    in_table = [any(table.start <= start < table.end for table in tables) for start, _ in lines]
    marked = [
        (line, not inside and _ITEM.match(text, *line) is not None)
        for line, inside in zip(lines, in_table, strict=True)
    ]
    for is_item, run in groupby(marked, key=lambda pair: pair[1]):
        spans = [line for line, _ in run]
        if is_item and len(spans) > 1:
            yield spans[0][0], spans


def _of_list(text: str, lines: Sequence[Span]) -> list[AmountRow] | None:
    """Rows of a list whose every item has exactly one amount with its currency, and stands as far in as the others."""
    rows, depths = [], {len(text[start:end]) - len(text[start:end].lstrip()) for start, end in lines}
    if len(depths) > 1:
        return None
    for start, end in lines:
        item = _ITEM.match(text, start, end)
        body = text[item.end() if item else start : end]
        money = [amount for amount in amounts_in(body) if amount.currency]
        if len(money) != 1:
            return None
        low, high = money[0].span
        if _UNCLEAR.search(body[:low]):
            return None
        label = _MARKS.sub("", f"{body[:low]} {body[high:]}").strip(" :;,.\u2013\u2014-=()")
        rows.append(
            AmountRow(label=" ".join(label.split()), amount=money[0], written=body[low:high], span=(start, end))
        )
    return rows


def _heading_before(text: str, start: int) -> str:
    """The last heading before a place, and the last sentence of the line before it."""
    headings = [at for at in structure_of(text).heading_starts if at < start]
    lines = text[:start].rstrip().splitlines()[-1:]
    last = [_SENTENCE.split(line)[-1] for line in lines]
    return " ".join([*(text[at : text.find("\n", at)] for at in headings[-1:]), *last])
