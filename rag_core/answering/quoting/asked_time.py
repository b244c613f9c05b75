"""The time that a question asks about: whether it asks for anything else, and which notes and sentences are of it. Pure."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, tzinfo
from functools import cache, lru_cache
from typing import TypeVar

from rag_core.language import LANGUAGES
from rag_core.language.folding import fold
from rag_core.language.languages import language_of
from rag_core.model.answer import AskedTime, Source
from rag_core.model.note import Language
from rag_core.model.retrieval import Retrieval
from rag_core.model.zones import in_zone
from rag_core.query.time_expressions import find_times
from rag_core.query.time_points import ISO_MONTH, Interval

_T = TypeVar("_T")
A_YEAR = timedelta(days=360)
"""A bare year is as often part of what is asked as when a note was written, as in ``rag_core.retrieval.plan``."""
_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$", re.MULTILINE)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def asked_time_of(retrieval: Retrieval) -> AskedTime | None:
    """The time that the question names, counted from now or finer than a year, or that is all it asks for."""
    if retrieval.interval is None or retrieval.transformed is None:
        return None
    (since, until), transformed = retrieval.interval, retrieval.transformed
    without = transformed.without_time
    is_all = _asks_for_all(without)
    is_relative = any(time.is_relative for time in transformed.times)
    if not is_all and not is_relative and until - since >= A_YEAR:
        return None
    return AskedTime(since=since, until=until, without=without, is_all=is_all)


def asked_year_of(retrieval: Retrieval) -> AskedTime | None:
    """The bare year, or several, that the question names, where that is no ``asked_time_of``."""
    if retrieval.interval is None or retrieval.transformed is None or asked_time_of(retrieval) is not None:
        return None
    since, until = retrieval.interval
    return AskedTime(since=since, until=until, without=retrieval.transformed.without_time, is_all=False)


def is_of(source: Source, asked: AskedTime) -> bool:
    """Test whether the note was written in that time."""
    return source.is_dated and asked.since <= source.created_at < asked.until


def names_time(sentence: str, source: Source, asked: AskedTime) -> bool:
    """Test whether the sentence, read on the day of its note, names a time within the one that is asked for.

    Where nobody wrote that day, "yesterday" is no time.
    """
    found = find_times(sentence, now=in_zone(source.created_at, asked.since.tzinfo), language=source.language)
    known = [(time.since, time.until) for time in found if source.is_dated or not time.is_relative]
    return _is_any_within([*known, *_months_in(sentence, asked.since.tzinfo)], asked)


def stands_under_time(end: int, source: Source, asked: AskedTime) -> bool:
    """Test whether the innermost time over what ends at a place of a source is within the one that is asked for.

    Over it stand its headings, or itself if it is one, and the note's title; a month in one is of the last year outside it.
    """
    over = {0: source.title or ""}
    for heading in _HEADING.finditer(source.original, 0, end):
        level = len(heading[1])
        over = {other: text for other, text in over.items() if other < level} | {level: heading[2]}
    texts = list(over.values())
    for place in reversed(range(len(texts))):
        years = [] if _YEAR.search(texts[place]) else _YEAR.findall(" ".join(texts[:place]))
        if found := _dated_times(" ".join([texts[place], *years[-1:]]), asked.until, source.language):
            return _is_any_within(found, asked)
    return False


@lru_cache(maxsize=1024)
def _dated_times(text: str, until: datetime, language: Language) -> tuple[Interval, ...]:
    """Times with their year that have begun by then; headings are looked at once a sentence below them."""
    found = find_times(text, now=until, language=language)
    return *((time.since, time.until) for time in found if not time.is_relative), *_months_in(text, until.tzinfo)


def _months_in(text: str, zone: tzinfo | None) -> list[Interval]:
    months = [datetime(int(year), int(month), 1, tzinfo=zone) for year, month in ISO_MONTH.findall(text)]
    return [(month, (month + timedelta(days=31)).replace(day=1)) for month in months]


def _is_any_within(times: Iterable[Interval], asked: AskedTime) -> bool:
    return any(asked.since <= since and until <= asked.until for since, until in times)


def tells_year(source: Source, asked: AskedTime) -> bool:
    """Test whether a year of that time stands anywhere in the passage or its title."""
    years = range(asked.since.year, (asked.until - timedelta(microseconds=1)).year + 1)
    return any(int(year) in years for year in _YEAR.findall(f"{source.title or ''}\n{source.original}"))


def of_that_time(sources: Sequence[Source], asked: AskedTime) -> tuple[Source, ...]:
    """The notes of that time, the earliest first."""
    return tuple(sorted((source for source in sources if is_of(source, asked)), key=lambda source: source.created_at))


def spread(items: Sequence[_T], most: int) -> Sequence[_T]:
    """All of them, or ``most`` evenly apart, the first and, from two on, the last among them."""
    last = len(items) - 1
    return items if last < most else [items[round(place * last / max(1, most - 1))] for place in range(most)]


def _asks_for_all(question: str) -> bool:
    """Test whether no word of the question says what it is about."""
    words = {fold(word).text for word in _WORD.findall(question)}
    return any(words <= _saying_nothing(language) for language in LANGUAGES)


@cache
def _saying_nothing(language: Language) -> frozenset[str]:
    return frozenset(
        fold(word).text for word in language_of(language).questions.empty | language_of(language).questions.happening
    )
