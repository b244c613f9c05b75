"""Times of rows of amounts: their own, else those that stand over them. Pure."""

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo

from rag_core.answering.totals.asking import later
from rag_core.answering.totals.rows import AmountRow, AmountRows
from rag_core.language.folding import fold_words
from rag_core.language.languages import language_of
from rag_core.model.note import Language
from rag_core.query.time_expressions import MAX_CHARACTERS, find_times
from rag_core.query.time_points import Interval

YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_WORD = re.compile(r"[^\W\d_]+")
_MONTHS_BACK = 2
"""A month that is later than its note's is of the year before where it is no longer ago: December, in January."""


def names_bare_month(question: str, language: Language) -> bool:
    """Test whether a question names a month, and no year."""
    words = _WORD.findall(fold_words(question))
    return YEAR.search(question) is None and not language_of(language).times.months.keys().isdisjoint(words)


def rows_of_times(
    rows: Sequence[AmountRow], group: AmountRows, asked: Sequence[Interval], *, is_bare: bool
) -> Sequence[AmountRow] | None:
    """The rows that are of the asked times; all of them where none has a time, and what stands over them is.

    A month without a year is of the one over the rows. Without one it has a time where the question ``is_bare``, names no year
    either: it is of the year of a dated note, and of another the asked one. None where some rows have a time and others none.
    """
    zone, bare = asked[0][0].tzinfo, asked[-1][0] if is_bare else None
    times = [_time_of(row, group, zone, bare) for row in rows]
    if not any(times):
        return rows if any(_is_within(time, asked) for time in _over(group, zone, bare)) else []
    if not all(times):
        return None
    return [row for row, time in zip(rows, times, strict=True) if time is not None and _is_within(time, asked)]


def _is_within(time: Interval, asked: Sequence[Interval]) -> bool:
    return any(since <= time[0] and time[1] <= until for since, until in asked)


def _over(group: AmountRows, zone: tzinfo | None, bare: datetime | None) -> list[Interval]:
    """The times that stand over rows: dates and months with a year, a month without one, or the only year."""
    spoken = group.source.language
    if found := _times_in(group.frame, spoken, zone):
        return found
    words, names = set(_WORD.findall(group.frame)), language_of(spoken).times.month_names
    months = {month for month, name in enumerate(names, 1) if name in words or name in {word.lower() for word in words}}
    if months:
        time = _month(months.pop(), group, zone, bare) if len(months) == 1 else None
        return [] if time is None else [time]
    year = _only_year(group.frame)
    return [] if year is None else [(datetime(year, 1, 1, tzinfo=zone), datetime(year + 1, 1, 1, tzinfo=zone))]


def _time_of(row: AmountRow, group: AmountRows, zone: tzinfo | None, bare: datetime | None) -> Interval | None:
    """The time that a row names; a day or month without a year is of the only year that stands over the rows."""
    spoken = group.source.language
    if found := _times_in(row.label, spoken, zone):
        return found[0]
    year, beginning = _only_year(group.frame), row.label.partition(",")[0]
    if year is not None and (found := _times_in(f"{beginning} {year}", spoken, zone)):
        return found[0]
    names = language_of(spoken).times.months
    months = {names[cell] for cell in map(fold_words, row.label.split(", ")) if cell in names}
    return _month(months.pop(), group, zone, bare) if len(months) == 1 else None


def _month(month: int, group: AmountRows, zone: tzinfo | None, bare: datetime | None) -> Interval | None:
    """A month that is named without a year, where it is plain of which it is."""
    year, written = _only_year(group.frame), group.source.created_at
    if year is None and bare is not None and not group.source.is_dated:
        year = bare.year
    elif year is None and bare is not None:
        is_plain = month <= written.month or 12 + written.month - month <= _MONTHS_BACK
        year = written.year - (month > written.month) if is_plain else None
    if year is None:
        return None
    return datetime(year, month, 1, tzinfo=zone), datetime(year + month // 12, month % 12 + 1, 1, tzinfo=zone)


def _only_year(text: str) -> int | None:
    years = set(YEAR.findall(text))
    return int(years.pop()) if len(years) == 1 else None


def _times_in(text: str, language: Language, zone: tzinfo | None) -> list[Interval]:
    """Times with their year, half-open, read as if all were past."""
    found = find_times(f"in {text}"[:MAX_CHARACTERS], now=later(zone), language=language)
    return [(time.since, time.until) for time in found if not time.is_relative]
