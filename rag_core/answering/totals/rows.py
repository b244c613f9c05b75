"""Rows of amounts in a passage: of its tables, and lines of its lists."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from operator import itemgetter

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
_LOOSE = re.compile(r" (?=[,;.:])| ?\( ?\)")
_SIGN = re.compile(r"\d\W?[€$£]|[€$£]\W?\d")
_TICK = re.compile(r"\d|[✓✔☑✅]")
_UNCLEAR = re.compile(
    r"[\d€$£]\s*(?:[-\u2013\u2014\u2212]\s*)?$|(?:^|[:=])\s*[-\u2013\u2014\u2212(]\s*$|[-\u2013\u2014\u2212]$"
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

    ``is_clear`` is False where it is open which amounts they are, ``may_sum`` where they cannot be added up. ``total`` is the row
    that says that it sums up the others.
    """

    source: Source
    start: int
    frame: str
    rows: tuple[AmountRow, ...]
    currency: str | None
    is_clear: bool
    may_sum: bool
    total: AmountRow | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    rows: Sequence[AmountRow]
    is_clear: bool = True
    may_sum: bool = True


def rows_of_amounts(source: Source) -> Iterator[AmountRows]:
    """The tables and lists of a passage that have amounts.

    Not clear are those of which it is open which column is the amount, or that have unclear amounts, two in an item, or a first or last
    row that sums up the others without saying so. Only clear ones that are whole may be added up, and not where it is open which mark
    is the decimal one, or they have several currencies, less than nothing, items without an amount or within items, rows that were not
    paid, are struck out or not done, subtotals, or another total than theirs. A row that says that it sums up the others is none.
    """
    text = source.original
    tables = structure_of(text).tables
    for table in tables:
        found = _of_table(text, table, source.language)
        yield from _group(source, (table.start, table.end), " ".join(table.headers), found)
    for lines in _lists(text, tables):
        yield from _group(source, (lines[0][0], lines[-1][1]), "", _of_list(text, lines, source.language))


def lines_with_amounts(source: Source) -> Iterator[AmountRows]:
    """Lines outside tables and lists that have amounts with their currency, one by one."""
    text = source.original
    tables = structure_of(text).tables
    listed = {line for lines in _lists(text, tables) for line in lines}
    for match in _LINE.finditer(text):
        if match.span() not in listed and not any(table.start <= match.start() < table.end for table in tables):
            yield from _group(source, match.span(), "", _of_list(text, [match.span()], source.language))


def _group(source: Source, span: Span, own_frame: str, read: _Read) -> Iterator[AmountRows]:
    text, language = source.original, source.language
    if not read.rows:
        return
    done = [row for row in read.rows if not _OPEN_OR_STRUCK.search(text, *row.span)]
    behind, above = _LINE.search(text, span[1]), text[: span[0]].rstrip()
    lines = [(above.rfind("\n") + 1, len(above)), *([behind.span()] if behind else [])]
    beside = [row for line in lines for row in _of_list(text, [line], language).rows[:1]]
    sums = [row for row in (*done, *beside) if _sums_up(row, done, language)]
    rows = [row for row in done if row not in sums]
    values = [row.amount.value for row in rows]
    sum_of_all, currencies = sum(values), {row.amount.currency for row in rows} - {None}
    is_clear = read.is_clear and (
        bool(sums) or len(rows) <= _FEWEST_SUMMED or sum_of_all not in {2 * values[0], 2 * values[-1]}
    )
    may_sum = is_clear and read.may_sum and source.is_whole and len(done) == len(read.rows) and len(currencies) <= 1
    if rows:
        yield AmountRows(
            source=source,
            start=span[0],
            frame=" ".join([source.title or "", _heading_before(text, span[0]), own_frame]),
            rows=tuple(rows),
            currency=next(iter(currencies), None),
            is_clear=is_clear,
            may_sum=may_sum
            and min(values) >= 0
            and are_plain((row.written for row in done), language)
            and (not sums or [row.amount.value for row in sums] == [sum_of_all]),
            total=replace(sums[0], label=_first_word(sums[0].label))
            if len(sums) == 1 and len(done) == len(read.rows)
            else None,
        )


def _sums_up(row: AmountRow, rows: Sequence[AmountRow], language: Language) -> bool:
    """Test whether a row says that it is the sum of others: first of all, or last, and it is."""
    words, summing = _WORD.findall(fold_words(row.label)) or [""], language_of(language).totals.rows
    others = sum(other.amount.value for other in rows if other is not row)
    return words[0] in summing or (words[-1] in summing and others == row.amount.value)


def _first_word(label: str) -> str:
    return next(iter(_WORD.findall(label)), "")


def _of_table(text: str, table: MarkdownTable, language: Language) -> _Read:
    """Rows of the one column of amounts; where there is none, those with money anywhere."""
    cells = [cells_of(text[slice(*row)]) for row in table.rows]
    column = _amount_column(table.headers, cells, language)
    if column is None:
        return _Read(rows=_of_list(text, table.rows, language).rows, is_clear=False)
    over, rows, is_paid = currency_named(table.headers[column]), list[AmountRow](), True
    totals = language_of(language).totals
    told = _columns_of_payment(table.headers, column, language)
    for span, row in zip(table.rows, cells, strict=True):
        amount = amount_of(row[column]) if column < len(row) else None
        if amount is not None:
            label = _MARKS.sub("", ", ".join(cell for at, cell in enumerate(row) if at != column and cell))
            amount = replace(amount, currency=amount.currency or over)
            rows.append(AmountRow(label=label, amount=amount, written=row[column].strip(" *_~"), span=span))
            is_sum = fold_words(_first_word(label)) in totals.rows
            is_paid &= is_sum or all(at < len(row) and _is_settled(row[at], totals) for at in told)
    is_running = not totals.running.isdisjoint(_WORD.findall(fold_words(table.headers[column])))
    return _Read(rows=rows, is_clear=not is_running, may_sum=is_paid)


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


def _columns_of_payment(headers: Sequence[str], amount: int, language: Language) -> list[int]:
    """Places of the columns that tell whether something was paid."""
    paid = language_of(language).totals.paid
    return [
        at
        for at, header in enumerate(headers)
        if at != amount and not paid.isdisjoint(_WORD.findall(fold_words(header)))
    ]


def _is_settled(cell: str, totals: TotalWords) -> bool:
    """Test whether a cell says that something was paid: yes, a mark, or when."""
    words = fold_words(cell).strip(" *_~.")
    return words in totals.settled or words in totals.paid or _TICK.search(words) is not None


def _has_quantities(headers: Sequence[str], language: Language) -> bool:
    words = {word for header in headers for word in _WORD.findall(fold_words(header))}
    return not words.isdisjoint(language_of(language).totals.quantities)


def _lists(text: str, tables: Sequence[MarkdownTable]) -> Iterator[list[Span]]:
    """Runs of at least two list items on lines one after another, or of lines without a mark that end with their amount."""
    lines = [match.span() for match in _LINE.finditer(text)]
    kinds = [
        0
        if any(table.start <= start < table.end for table in tables)
        else 1
        if _ITEM.match(text, start, end)
        else 2 * any(amount.currency and start + amount.span[1] == end for amount in amounts_in(text[start:end]))
        for start, end in lines
    ]
    for kind, run in groupby(zip(lines, kinds, strict=True), key=itemgetter(1)):
        spans = [line for line, _ in run]
        if kind and len(spans) > 1:
            yield spans


def _of_list(text: str, lines: Sequence[Span], language: Language) -> _Read:
    """Amounts with their currency in lines, one a row; two of one line are two rows."""
    rows, is_clear, totals = list[AmountRow](), True, language_of(language).totals
    for start, end in lines:
        item = _ITEM.match(text, start, end)
        body = text[item.end() if item else start : end]
        amounts = [amount for amount in amounts_in(body) if amount.currency]
        is_clear &= bool(amounts) or _SIGN.search(body) is None
        for amount in amounts:
            before, after = body[: amount.span[0]], body[amount.span[1] :]
            label = _LOOSE.sub("", " ".join(_MARKS.sub("", f"{before} {after}").strip(" :;,.\u2013\u2014-=|").split()))
            written = body[slice(*amount.span)]
            rows.append(AmountRow(label=label, amount=amount, written=written, span=(start, end)))
            is_clear &= not (_UNCLEAR.search(before) or _vague(totals.vague).search(fold_words(f"{before}#{after}")))
    spans = [row.span for row in rows]
    depths = {len(text[start:end]) - len(text[start:end].lstrip()) for start, end in lines}
    return _Read(
        rows=rows,
        is_clear=is_clear and len(spans) == len(set(spans)),
        may_sum=spans == list(lines) and len(depths) == 1,
    )


@cache
def _vague(words: str) -> re.Pattern[str]:
    """Words and signs beside an amount, in whose place is a "#", that tell that it is of one piece, or about so much."""
    return re.compile(rf"(?:[~≈<>]|(?<!\w)(?:{words})) ?#|\d ?[x\u00d7*] ?#|# ?(?:[x\u00d7*/?]|(?:{words})(?!\w))")


def _heading_before(text: str, start: int) -> str:
    """The last heading before a place, and the last sentence of the line before it."""
    headings = [at for at in structure_of(text).heading_starts if at < start]
    lines = text[:start].rstrip().splitlines()[-1:]
    last = [_SENTENCE.split(line)[-1] for line in lines]
    return " ".join([*(text[at : text.find("\n", at)] for at in headings[-1:]), *last])
