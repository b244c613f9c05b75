"""Rows of amounts in a passage: of its tables, and lines of its lists."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rag_core.chunking.structure import MarkdownTable, cells_of, structure_of
from rag_core.language.amounts import Amount, amount_of, amounts_in, are_plain, currency_named
from rag_core.language.folding import fold_words
from rag_core.language.languages import language_of
from rag_core.language.totals import TotalWords
from rag_core.model.answer import Source
from rag_core.model.note import Language, Span

_FEWEST_SUMMED = 2
_LINE = re.compile(r"[^\n]+")
_MARKS = re.compile(r"[*`~]+|(?<!\w)_+|_+(?!\w)")
_WORD = re.compile(r"\w+")
_LOOSE = re.compile(r" (?=[,;.:])")
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
    """The rows of one table or list; ``frame`` is what stands over them: title, heading, caption and headers.

    ``is_plain`` is False where their amounts cannot be added up. ``total`` is the row that says that it sums up the others.
    """

    source: Source
    start: int
    frame: str
    rows: tuple[AmountRow, ...]
    currency: str | None
    is_plain: bool
    total: AmountRow | None


def rows_of_amounts(source: Source) -> Iterator[AmountRows]:
    """The tables and lists of a passage that have amounts.

    Plain are those that are whole, with one amount a row. Not plain are those of which it is open which column is the amount or which
    mark is the decimal one, or which have several currencies, a column that calls a row unpaid, subtotals among their rows, a first or
    last row that sums up the others without saying so, items within items, or rows that are struck out or tasks not done. A row that
    says that it sums up the others is none.
    """
    text = source.original
    tables = structure_of(text).tables
    for table in tables:
        found = _of_table(text, table, source.language)
        yield from _group(source, (table.start, table.end), " ".join(table.headers), *found)
    for start, lines in _lists(text, tables):
        yield from _group(source, (start, lines[-1][1]), "", *_of_list(text, lines))


def lines_with_amounts(source: Source) -> Iterator[AmountRows]:
    """Lines outside tables and lists that have amounts with their currency, one by one; none is plain."""
    text = source.original
    tables = structure_of(text).tables
    listed = {line for _, lines in _lists(text, tables) for line in lines}
    for match in _LINE.finditer(text):
        is_row = match.span() in listed or any(table.start <= match.start() < table.end for table in tables)
        if not is_row:
            yield from _group(source, match.span(), "", _with_money(text, [match.span()]), is_plain=False)


def _group(
    source: Source, span: Span, own_frame: str, rows: Sequence[AmountRow], is_plain: bool
) -> Iterator[AmountRows]:
    count = len(rows)
    rows = [row for row in rows if not _OPEN_OR_STRUCK.search(source.original, *row.span)]
    kept = [row for row in rows if not _sums_up(row, source.language)]
    behind = _LINE.search(source.original, span[1])
    below = _with_money(source.original, [behind.span()])[:1] if behind else []
    sums = [row for row in (*rows, *below) if _sums_up(row, source.language)]
    currencies = {row.amount.currency for row in kept} - {None}
    values = [row.amount.value for row in kept]
    if sums:
        is_plain &= len(sums) == 1 and sums[0].amount.value == sum(values)
    elif len(values) > _FEWEST_SUMMED:
        is_plain &= sum(values) not in {2 * values[0], 2 * values[-1]}
    is_plain &= (
        source.is_whole
        and len(rows) == count
        and len(currencies) <= 1
        and are_plain((row.written for row in rows), source.language)
    )
    if kept:
        yield AmountRows(
            source=source,
            start=span[0],
            frame=" ".join([source.title or "", _heading_before(source.original, span[0]), own_frame]),
            rows=tuple(kept),
            currency=next(iter(currencies), None),
            is_plain=is_plain,
            total=replace(sums[0], label=_first_word(sums[0].label)) if len(sums) == 1 else None,
        )


def _sums_up(row: AmountRow, language: Language) -> bool:
    """Test whether a row says that it is the sum of others."""
    return fold_words(_first_word(row.label)) in language_of(language).totals.rows


def _first_word(label: str) -> str:
    return next(iter(_WORD.findall(label)), "")


def _of_table(text: str, table: MarkdownTable, language: Language) -> tuple[list[AmountRow], bool]:
    """Rows of the one column of amounts without the unpaid; where there is none, those with money anywhere, which are not plain."""
    cells = [cells_of(text[slice(*row)]) for row in table.rows]
    column = _amount_column(table.headers, cells, language)
    if column is None:
        return _with_money(text, table.rows), False
    over = currency_named(table.headers[column])
    rows = []
    unpaid = _unpaid(table.headers, cells, column, language)
    for at_row, (span, row) in enumerate(zip(table.rows, cells, strict=True)):
        if at_row in unpaid:
            continue
        amount = amount_of(row[column]) if column < len(row) else None
        if amount is not None:
            label = _MARKS.sub("", ", ".join(cell for at, cell in enumerate(row) if at != column and cell))
            amount = replace(amount, currency=amount.currency or over)
            rows.append(AmountRow(label=label, amount=amount, written=row[column].strip(" *_~"), span=span))
    return rows, not unpaid


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


def _unpaid(headers: Sequence[str], rows: Sequence[Sequence[str]], amount: int, language: Language) -> set[int]:
    """Places of the rows of which a column beside the amounts tells that they were not paid."""
    totals = language_of(language).totals
    told = [
        at
        for at, header in enumerate(headers)
        if at != amount and not totals.paid.isdisjoint(_WORD.findall(fold_words(header)))
    ]
    return {place for place, row in enumerate(rows) if any(_is_unpaid(row, at, totals) for at in told)}


def _is_unpaid(row: Sequence[str], at: int, totals: TotalWords) -> bool:
    cell = fold_words(row[at]).strip() if at < len(row) else ""
    return cell in totals.unpaid or not _TICK.search(cell)


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


def _of_list(text: str, lines: Sequence[Span]) -> tuple[list[AmountRow], bool]:
    """Rows of a list, plain where every item has exactly one amount with its currency, and stands as far in as the others."""
    rows = _with_money(text, lines)
    depths = {len(text[start:end]) - len(text[start:end].lstrip()) for start, end in lines}
    return rows, [row.span for row in rows] == list(lines) and len(depths) == 1


def _with_money(text: str, lines: Sequence[Span]) -> list[AmountRow]:
    """The amounts with their currency in lines, one a row; two of one line are two rows, and one that is unclear is left out."""
    rows = []
    for start, end in lines:
        item = _ITEM.match(text, start, end)
        body = text[item.end() if item else start : end]
        for amount in amounts_in(body):
            low, high = amount.span
            if amount.currency and not _UNCLEAR.search(body[:low]):
                label = _MARKS.sub("", f"{body[:low]} {body[high:]}").strip(" :;,.\u2013\u2014-=()|")
                label = ", ".join(part.strip() for part in label.split("|") if part.strip())
                label = _LOOSE.sub("", " ".join(label.split()))
                rows.append(AmountRow(label=label, amount=amount, written=body[low:high], span=(start, end)))
    return rows


def _heading_before(text: str, start: int) -> str:
    """The last heading before a place, and the last sentence of the line before it."""
    headings = [at for at in structure_of(text).heading_starts if at < start]
    lines = text[:start].rstrip().splitlines()[-1:]
    last = [_SENTENCE.split(line)[-1] for line in lines]
    return " ".join([*(text[at : text.find("\n", at)] for at in headings[-1:]), *last])
