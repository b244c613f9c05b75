"""The rows that answer a question for a sum, and the sum where it is plain that they may be added up."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from rag_core.answering.quoting.asked_words import keys_of, terms_of, worth
from rag_core.answering.totals.asking import asks_total, later, without_asking
from rag_core.answering.totals.rows import AmountRow, AmountRows, lines_with_amounts, rows_of_amounts
from rag_core.answering.totals.times import YEAR, names_bare_month, rows_of_times
from rag_core.language.amounts import money
from rag_core.language.folding import fold_words
from rag_core.language.languages import language_of
from rag_core.model.answer import PromptContext, Source
from rag_core.model.note import Language, NoteId
from rag_core.query.time_expressions import find_times, strip_times
from rag_core.query.time_points import Interval

MAX_ROWS = 100
MAX_LABELLED = 12
"""With more rows their amounts alone are shown."""
_LABEL_CHARACTERS = 60
_LEAST_ROWS = 2

_Answering = tuple[AmountRows, Sequence[AmountRow]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Rows that answer a question for a sum, each with its source, and the sum: None where they cannot plainly be added up."""

    rows: tuple[tuple[Source, AmountRow], ...]
    value: Decimal | None
    currency: str | None

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


def total_of(question: str, context: PromptContext, language: Language) -> Total | None:
    """The rows that have all that is asked for, in themselves or in what stands over them, and are of the asked times.

    They are added up only where it is plain that they may be: not where rows of several notes answer, of which more may be there than
    were found; where tables or lists that answer differ in what stands over them or in currency, or cannot be read in one way; or
    where other lines of their note with amounts name a refund, an offer, or what is void or unpaid. Tables and lists of these, or of
    income, are left out where the question does not ask for it. The sum of one row of several is that row; a sum that the note states
    itself stands before its rows where it is not computed. None where no question for
    a sum is asked; where it is open of some rows whether they answer, or they name what is not asked for; or none or too many answer.
    """
    if not asks_total(question, language):
        return None
    asked, without = _asked_times(question, context, language)
    if not asked and YEAR.search(question):
        return None  # a year that was not understood as the asked time
    wanted, is_bare = without_asking(without, language), names_bare_month(question, language)
    groups = [group for group in _distinct(context.sources) if not _is_of_others(question, wanted, group, language)]
    found = [(group, _asked_rows(group, wanted, asked, language, is_bare=is_bare)) for group in groups]
    if any(rows is None or _is_mixed(question, group, rows, language) for group, rows in found):
        return None
    answering = [(group, rows) for group, rows in found if rows]
    count = sum(len(rows) for _, rows in answering)
    if not count or sum(len(group.rows) for group, _ in answering) < _LEAST_ROWS:
        return None
    is_sum = _is_plain(answering) and not _has_doubtful(question, wanted, answering[0][0], context, language)
    if count > (MAX_ROWS if is_sum else MAX_LABELLED):
        return None
    return Total(
        rows=tuple(
            (group.source, row) for group, rows in answering for row in (*_stated(group, rows, is_sum=is_sum), *rows)
        ),
        value=sum((row.amount.value for _, rows in answering for row in rows), start=Decimal()) if is_sum else None,
        currency=answering[0][0].currency,
    )


def _stated(group: AmountRows, rows: Sequence[AmountRow], *, is_sum: bool) -> Sequence[AmountRow]:
    """The sum that a note states of its rows itself, where all of them answer and none is computed."""
    return [group.total] if group.total is not None and not is_sum and len(rows) == len(group.rows) else []


def _kind(group: AmountRows) -> tuple[NoteId, str, str | None]:
    """Common ground of tables and lists that are added up: their note, and all that stands over them but numbers and months."""
    frame = _months_and_digits(group.source.language).sub(" ", fold_words(group.frame))
    return group.source.note_id, " ".join(frame.split()), group.currency


def _is_plain(answering: Sequence[_Answering]) -> bool:
    """Test whether it is plain how much each row is, and that all are of one kind."""
    return len({_kind(group) for group, _ in answering}) == 1 and all(group.is_plain for group, _ in answering)


def _has_doubtful(question: str, wanted: str, group: AmountRows, context: PromptContext, language: Language) -> bool:
    """Test whether a line of the note outside tables and lists has an amount of what is ``wanted`` that was refunded, say."""
    if _doubtful(language).search(fold_words(question)):
        return False
    noted = (source for source in context.sources if source.note_id == group.source.note_id)
    lines = (line for source in noted for line in lines_with_amounts(source))
    rows = (row for line in lines for row in _asked_rows(line, wanted, (), language, is_bare=False) or ())
    return any(_doubtful(group.source.language).search(fold_words(row.label)) for row in rows)


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


def _asked_rows(
    group: AmountRows, wanted: str, asked: Sequence[Interval], language: Language, *, is_bare: bool
) -> Sequence[AmountRow] | None:
    """The rows of the asked times that have all terms that do not stand over them.

    None where it is not plain which: a term stands over all rows and in some, or see ``rows_of_times``.
    """
    spoken = group.source.language
    frame, labels = keys_of(group.frame, spoken), [keys_of(row.label, spoken) for row in group.rows]
    rows = list(group.rows)
    for term in terms_of(wanted, language, spoken=spoken):
        having = [row for row, label in zip(group.rows, labels, strict=True) if worth(term, label)]
        if not worth(term, frame):
            rows = [row for row in rows if row in having]
        elif having and len(having) < len(group.rows):
            return None
    if not asked:
        return rows
    return rows_of_times(rows, group, asked, is_bare=is_bare)


def _is_of_others(question: str, wanted: str, group: AmountRows, language: Language) -> bool:
    """Test whether what stands over rows names income or a doubtful amount that the question does not ask for.

    Of a question for income of all kinds, whether nothing there or in the rows names any.
    """
    frame, words, spoken = fold_words(group.frame), fold_words(question), group.source.language
    if _income(language).search(words) and not terms_of(wanted, language, spoken=spoken):
        return not any(map(_income(spoken).search, (frame, *(fold_words(row.label) for row in group.rows))))
    return any(
        kind(spoken).search(frame) is not None and kind(language).search(words) is None for kind in (_doubtful, _income)
    )


def _is_mixed(question: str, group: AmountRows, rows: Sequence[AmountRow], language: Language) -> bool:
    """Test whether rows name income or a doubtful amount that is not asked for; or some of them, and nothing over them, what is."""
    spoken, words, labels = group.source.language, fold_words(question), [fold_words(row.label) for row in rows]
    doubtful = [_doubtful(spoken).search(label) is not None for label in labels]
    income = [_income(spoken).search(label) is not None for label in labels]
    if not _income(language).search(words):
        is_open = any(income)
    else:
        is_open = _income(spoken).search(fold_words(group.frame)) is None and any(income) and not all(income)
    return is_open or (any(doubtful) and _doubtful(language).search(words) is None)


@cache
def _months_and_digits(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(language_of(language).times.months)})(?!\w)|\d+")


@cache
def _income(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{language_of(language).totals.income})(?!\w)")


@cache
def _doubtful(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{language_of(language).totals.doubtful})(?!\w)")
