"""The sum that a question asks for, where the rows of one table or list answer it, or of several that are of one kind."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from rag_core.answering.quoting.asked_words import keys_of, terms_of, worth
from rag_core.answering.totals.asking import asks_total, later, without_asking
from rag_core.answering.totals.rows import AmountRow, AmountRows, rows_of_amounts
from rag_core.answering.totals.times import YEAR, names_bare_month, rows_of_times
from rag_core.language.amounts import are_plain, money
from rag_core.language.folding import fold_words
from rag_core.language.languages import language_of
from rag_core.model.answer import PromptContext, Source
from rag_core.model.note import Language
from rag_core.query.time_expressions import find_times, strip_times
from rag_core.query.time_points import Interval

MAX_ROWS = 100
MAX_NOTES = 4
"""Where more notes have rows that answer, there may be others that were not found."""
MAX_LABELLED = 12
"""With more rows their amounts alone are shown."""
_LABEL_CHARACTERS = 60
_LEAST_ROWS = 2
_DIGITS = re.compile(r"\d+")


_Answering = tuple[AmountRows, Sequence[AmountRow]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Rows that answer a question for a sum, in the order of their sources, and the sum."""

    sources: tuple[Source, ...]
    rows: tuple[AmountRow, ...]
    value: Decimal
    currency: str | None

    @property
    def is_of_several(self) -> bool:
        """True where rows of several notes are added up, of which there may be more than were found."""
        return len({source.note_id for source in self.sources}) > 1

    def text(self, language: Language) -> str:
        """The sum and what it is of: "En total, 285,20 €: 45,20 € (3 de enero, gasolina) + 240,00 € (ruedas)"; of one row, it."""
        if len(self.rows) == 1:
            return _term(self.rows[0], is_labelled=True)
        is_labelled = len(self.rows) <= MAX_LABELLED
        terms = " + ".join(_term(row, is_labelled=is_labelled) for row in self.rows)
        words = language_of(language).totals
        wording = words.answer_of_several if self.is_of_several else words.answer
        return wording.format(sum=money(self.value, self.currency, language), terms=terms)


def total_of(question: str, context: PromptContext, language: Language) -> Total | None:
    """The sum over rows that have all that is asked for, in themselves or in what stands over them, and are of the asked times.

    None where no question for a sum is asked, and where it is not plain what to add up: tables or lists that answer differ in more
    than the time over them or in currency, or of several notes some may be missing or count twice; or rows name what the question does
    not ask for: income, a refund, an offer, or what is void or unpaid. The sum of one row of several is that row.
    """
    if not asks_total(question, language):
        return None
    asked, without = _asked_times(question, context, language)
    if not asked and YEAR.search(question):
        return None  # a year that was not understood as the asked time
    wanted, is_bare = without_asking(without, language), names_bare_month(question, language)
    answering = [
        (group, rows)
        for group in _distinct(context.sources)
        if (rows := _asked_rows(group, wanted, asked, language, is_bare=is_bare))
    ]
    rows = [row for _, found in answering for row in found]
    if len(rows) > MAX_ROWS or sum(len(group.rows) for group, _ in answering) < _LEAST_ROWS:
        return None
    if len({_kind(group) for group, _ in answering}) != 1 or not _is_plain_together(answering, context):
        return None
    if any(_is_mixed(question, group, found, language) for group, found in answering):
        return None
    sources = {group.source.number: group.source for group, _ in answering}
    value = sum((row.amount.value for row in rows), start=Decimal())
    return Total(sources=tuple(sources.values()), rows=tuple(rows), value=value, currency=answering[0][0].currency)


def _kind(group: AmountRows) -> tuple[Language, str, str | None]:
    """Common ground of tables and lists that are added up: all that stands over them but numbers and months."""
    spoken = group.source.language
    return spoken, " ".join(_months_and_digits(spoken).sub(" ", fold_words(group.frame)).split()), group.currency


def _is_plain_together(answering: Sequence[_Answering], context: PromptContext) -> bool:
    """Test whether rows of several notes add up: few, all of them found and read in one way, none a copy or the sum of others."""
    notes = {group.source.note_id for group, _ in answering}
    if len(notes) == 1:
        return True
    if len(notes) > MAX_NOTES or context.has_lost_rows:
        return False
    if not are_plain((row.written for _, rows in answering for row in rows), answering[0][0].source.language):
        return False
    told = [key for group, rows in answering for key in {_copied(row, group) for row in rows}]
    sums = [sum(row.amount.value for row in rows) for _, rows in answering if len(rows) >= _LEAST_ROWS]
    return len(told) == len(set(told)) and not any(row.amount.value in sums for _, rows in answering for row in rows)


def _copied(row: AmountRow, group: AmountRows) -> tuple[str, Decimal, str]:
    """Key of a row and its copies in other notes; one without a day is no copy of those under other headings."""
    label = fold_words(row.label)
    return label, row.amount.value, "" if _DIGITS.search(label) else fold_words(group.frame)


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
) -> list[AmountRow]:
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
            return []
    if not asked:
        return rows
    return list(rows_of_times(rows, group, asked, is_bare=is_bare))


def _is_mixed(question: str, group: AmountRows, rows: Sequence[AmountRow], language: Language) -> bool:
    """Tell whether rows, or what stands over them, name income or a doubtful amount that the question does not ask for.

    Of a question for income too where only some rows name it, and nothing over them.
    """
    spoken, words = group.source.language, fold_words(question)
    frame, labels = fold_words(group.frame), [fold_words(row.label) for row in rows]
    if not _doubtful(language).search(words) and any(map(_doubtful(spoken).search, (frame, *labels))):
        return True
    is_over, of_income = _income(spoken).search(frame), [_income(spoken).search(label) for label in labels]
    if not _income(language).search(words):
        return bool(is_over) or any(of_income)
    return not is_over and any(of_income) and not all(of_income)


@cache
def _months_and_digits(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(language_of(language).times.months)})(?!\w)|\d+")


@cache
def _income(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{language_of(language).totals.income})(?!\w)")


@cache
def _doubtful(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{language_of(language).totals.doubtful})(?!\w)")
