"""The rows that answer a question for a sum, and the sum where it is plain that they may be added up."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache

from rag_core.answering.quoting.asked_words import keys_of, terms_of, worth
from rag_core.answering.totals.asking import asks_total, later, without_asking
from rag_core.answering.totals.rows import AmountRow, AmountRows, lines_with_amounts, rows_of_amounts
from rag_core.answering.totals.times import YEAR, may_be_of_times, names_bare_month, rows_of_times
from rag_core.language.amounts import money
from rag_core.language.folding import fold_words
from rag_core.language.languages import language_of
from rag_core.model.answer import PromptContext, Source
from rag_core.model.note import Language
from rag_core.query.time_expressions import find_times, strip_times
from rag_core.query.time_points import Interval

MAX_ROWS = 100
MAX_LABELLED = 12
"""With more rows their amounts alone are shown."""
_LABEL_CHARACTERS = 60
_LEAST_ROWS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Rows that answer a question for a sum, each with its source, and the sum: None where they cannot plainly be added up.

    Without rows it is open which they are.
    """

    rows: tuple[tuple[Source, AmountRow], ...] = ()
    value: Decimal | None = None
    currency: str | None = None

    def claims(self, language: Language) -> Iterator[tuple[str, Sequence[Source]]]:
        """The sum and what it is of: "En total, 285,20 €: 45,20 € (3 de enero, gasolina) + 240,00 € (ruedas)"; else each row."""
        if self.value is None or len(self.rows) == 1:
            for source, row in self.rows:
                yield _term(row, is_labelled=True), [source]
            return
        is_labelled = len(self.rows) <= MAX_LABELLED
        terms = " + ".join(_term(row, is_labelled=is_labelled) for _, row in self.rows)
        wording = language_of(language).totals.answer
        sources = {source.number: source for source, _ in self.rows}
        yield wording.format(sum=money(self.value, self.currency, language), terms=terms), list(sources.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    text: str
    wanted: str
    asked: Sequence[Interval]
    language: Language
    is_bare: bool

    def names(self, kind: Callable[[Language], re.Pattern[str]]) -> bool:
        return kind(self.language).search(fold_words(self.text)) is not None


def total_of(question: str, context: PromptContext, language: Language) -> Total | None:
    """The rows that have all that is asked for, in themselves or in what stands over them, and are of the asked times.

    They are added up only where it is plain that they may be: rows of one table or list, beside no others that answer, no refund,
    and no other amount of the note that may answer. A sum that the note states itself stands before its rows where none is
    computed; the sum of one row of several is that row. Income, offers, and what is void are left out where the question does not
    ask for them. None where no question for a sum is asked, or no row answers.
    """
    if not asks_total(question, language):
        return None
    times, without = _asked_times(question, context, language)
    if not times and YEAR.search(question):
        return None  # a year that was not understood as the asked time
    asked = _Question(
        text=question,
        wanted=without_asking(without, language),
        asked=times,
        language=language,
        is_bare=names_bare_month(question, language),
    )
    groups = [group for group in _distinct(context.sources) if not _is_of_others(asked, group)]
    found = [_answering(asked, group) for group in groups]
    answering = [(group, rows) for group, rows in found if rows]
    if sum(len(group.rows) for group, _ in answering) < _LEAST_ROWS and all(rows is not None for _, rows in found):
        return None
    is_open = any(rows is None or (rows and not group.is_clear) for group, rows in found)
    rows = [(group.source, row) for group, group_rows in answering for row in group_rows]
    if is_open or len(rows) > MAX_ROWS:
        return Total()
    group, value = answering[0][0], sum((row.amount.value for _, row in rows), start=Decimal())
    if len(answering) == 1 and group.may_sum and not _has_others(asked, rows, value, context):
        return Total(rows=tuple(rows), value=value, currency=group.currency)
    told = [pair for group, group_rows in answering for pair in _told(group, group_rows)]
    return Total(rows=tuple(told)) if len(told) <= MAX_LABELLED else Total()


def _answering(asked: _Question, group: AmountRows) -> tuple[AmountRows, Sequence[AmountRow] | None]:
    """The group and its rows that answer, without those that name income or a doubtful amount that is not asked for."""
    rows, spoken = _asked_rows(asked, group), group.source.language
    if not rows:
        return group, rows
    labels = [fold_words(row.label) for row in rows]
    refunds = [_refunds(spoken).search(label) is not None and not asked.names(_doubtful) for label in labels]
    others = [
        any(kind(spoken).search(label) is not None and not asked.names(kind) for kind in (_doubtful, _income))
        for label in labels
    ]
    kept = [row for row, is_other, is_back in zip(rows, others, refunds, strict=True) if is_back or not is_other]
    named = sum(_income(spoken).search(label) is not None for label in labels)
    is_of_some = asked.names(_income) and 0 < named < len(rows) and not _income(spoken).search(fold_words(group.frame))
    may_sum = group.may_sum and not is_of_some and not any(others)
    return replace(group, may_sum=may_sum), kept


def _told(group: AmountRows, rows: Sequence[AmountRow]) -> Iterator[tuple[Source, AmountRow]]:
    """Rows as they are told one by one, after the sum that the note states where all are told."""
    if group.total is not None and len(rows) == len(group.rows):
        yield group.source, group.total
    for row in rows:
        yield group.source, row


def _has_others(
    asked: _Question, added: Sequence[tuple[Source, AmountRow]], value: Decimal, context: PromptContext
) -> bool:
    """Test whether the sources have other amounts that may answer: in the note, in lines of others that name all, or refunds."""
    places = {(source.note_id, source.start_char + row.span[0]) for source, row in added}
    note, may_lessen = added[0][0].note_id, not asked.names(_doubtful)
    for source in context.sources:
        for one in (*lines_with_amounts(source), *rows_of_amounts(source)):
            is_back = may_lessen and _refunds(source.language).search(fold_words(one.frame)) is not None
            if _is_of_others(asked, one) and not is_back:
                continue
            is_same = source.note_id == note
            _, rows = _answering(replace(asked, asked=()), one if is_same or is_back else replace(one, frame=""))
            for row in rows or ():
                is_new = (source.note_id, source.start_char + row.span[0]) not in places
                is_sum = is_same and row.amount.value == value
                if is_new and not is_sum and may_be_of_times(row, one, asked.asked, is_bare=asked.is_bare):
                    return True
    return False


def _asked_times(question: str, context: PromptContext, language: Language) -> tuple[Sequence[Interval], str]:
    """The times that are asked for, bare years too ("enero y marzo de 2025"), and the question without them."""
    known = context.asked_time
    zone = context.sources[0].created_at.tzinfo if context.sources else None
    times = [time for time in find_times(question, now=later(zone), language=language) if not time.is_relative]
    if known is not None and len(times) <= 1:
        return [(known.since, known.until)], known.without or question
    return [(time.since, time.until) for time in times], strip_times(question, times)


def _term(row: AmountRow, *, is_labelled: bool) -> str:
    label = " ".join(row.label.replace("+", " ").replace(": ", " ").split())[:_LABEL_CHARACTERS].rstrip(" .,;")
    return f"{row.written} ({label})" if is_labelled and label else row.written


def _distinct(sources: Sequence[Source]) -> Iterator[AmountRows]:
    seen = set()
    for source in sources:
        for group in rows_of_amounts(source):
            place = (source.note_id, source.start_char + group.start)
            if place not in seen:
                seen.add(place)
                yield group


def _asked_rows(asked: _Question, group: AmountRows) -> Sequence[AmountRow] | None:
    """The rows of the asked times that have all terms that do not stand over them.

    None where it is not plain which: a term stands over all rows and in some, or see ``rows_of_times``.
    """
    spoken = group.source.language
    frame, labels = keys_of(group.frame, spoken), [keys_of(row.label, spoken) for row in group.rows]
    rows = list(group.rows)
    for term in terms_of(asked.wanted, asked.language, spoken=spoken):
        having = [row for row, label in zip(group.rows, labels, strict=True) if worth(term, label)]
        if not worth(term, frame):
            rows = [row for row in rows if row in having]
        elif having and len(having) < len(group.rows):
            return None
    if not asked.asked:
        return rows
    return rows_of_times(rows, group, asked.asked, is_bare=asked.is_bare)


def _is_of_others(asked: _Question, group: AmountRows) -> bool:
    """Test whether what stands over rows names income or a doubtful amount that the question does not ask for.

    Of a question for income of all kinds, whether nothing there or in the rows names any.
    """
    frame, spoken = fold_words(group.frame), group.source.language
    if asked.names(_income) and not terms_of(asked.wanted, asked.language, spoken=spoken):
        return not any(map(_income(spoken).search, (frame, *(fold_words(row.label) for row in group.rows))))
    return any(kind(spoken).search(frame) is not None and not asked.names(kind) for kind in (_doubtful, _income))


@cache
def _income(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{language_of(language).totals.income})(?!\w)")


@cache
def _refunds(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{language_of(language).totals.refunds})(?!\w)")


@cache
def _doubtful(language: Language) -> re.Pattern[str]:
    words = language_of(language).totals
    return re.compile(rf"(?<!\w)(?:{words.refunds}|{words.doubtful})(?!\w)")
