"""Times that a query names in words, as intervals in the user's zone; and the query without them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache

from rag_core.language.folding import Folded, fold
from rag_core.language.languages import any_word, language_of
from rag_core.language.times import Frame, Reading, TimeWording
from rag_core.model.note import Language
from rag_core.model.retrieval import TimeExpression
from rag_core.query.time_points import EARLIEST, Interval, before, in_calendar, interval_of, midnight, third_of

_THIRDS: Mapping[Frame, int] = {"beginning": 0, "middle": 1, "end": 2}
_YEARLY: frozenset[Reading] = frozenset({"month", "day_of_month", "days_of_month", "season"})
_NAMES: frozenset[Reading] = frozenset({"month", "day_of_month", "season", "feast", "weekday", "year"})
_DETERMINERS = "named", "this", "last", "last_too", "day_of", "year_before"
_CONJUNCTIONS = rf"[,\s]*(?:(?:{any_word(lambda words: words.times.conjunctions)})\b)?[,\s]*"
_LAST_WITH_A_MORROW = date.max - timedelta(days=1)
_OF = r"\s+(?:(?:de|of|des|in)\s+)?"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """A time found in the folded text. A bare one ("marzo") counts only behind a preposition."""

    start: int
    end: int
    reading: Reading
    interval: Interval
    is_bare: bool
    has_year: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patterns:
    wording: TimeWording
    readings: tuple[tuple[Reading, re.Pattern[str]], ...]
    frames: tuple[tuple[Frame, re.Pattern[str]], ...]
    ranges: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    links: re.Pattern[str]
    names: re.Pattern[str]
    contractions: re.Pattern[str] | None


MAX_CHARACTERS = 500


def find_times(query: str, *, now: datetime, language: Language) -> tuple[TimeExpression, ...]:
    """Times that the query names, in its order, none overlapping: half-open, between local midnights of ``now``'s zone.

    Only "anoche" ends at six in the morning. "desde X" ends with today, "antes de X" begins in 1900. A time that has not begun
    is left out: no note can be from it. ``is_relative`` is False when a year is named. '' gives (), and so does a query of
    more than 500 characters: that is a text, whose times are not the time of a note.

    Raises:
        ValueError: ``now`` has no time zone.
    """
    if len(query) > MAX_CHARACTERS:
        return ()
    if now.tzinfo is None:
        raise ValueError(f"now is {now.isoformat()} without a time zone; expected the user's, as in now(ZoneInfo(...))")
    patterns = _patterns(language)
    folded = _spelled_out(fold(query), patterns)
    points = _in_frames(folded.text, _points(folded.text, now.date(), patterns), now.date(), patterns)
    return tuple(
        _expression(query, folded, point, now)
        for point in points
        if not point.is_bare and _is_usable(point, now) and _is_plain(query, folded, point, language)
    )


def strip_times(query: str, times: Sequence[TimeExpression]) -> str:
    """The query without those stretches, spaces and punctuation tidied; '' when no letter is left.

    "¿Qué decidí la semana pasada?" gives "¿Qué decidí?". Without times the query stays as it is.
    """
    if not times:
        return query
    edges = [0, *(edge for named in times for edge in named.span), len(query)]
    gaps = [query[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]
    between = ["" if re.fullmatch(_CONJUNCTIONS, gap) else gap for gap in gaps[1:-1]]
    left = _tidy(" ".join([gaps[0], *between, gaps[-1]]))
    return left if any(character.isalpha() for character in left) else ""


def _tidy(text: str) -> str:
    text = " ".join(text.split())
    text = re.sub(r"(?<=[¿¡(\[«])[\s,;:]+", "", text)
    text = re.sub(r"\s+(?=[,.;:?!)\]»])", "", text)
    text = re.sub(r"[,;:]+(?=[,.;:?!)\]»])|\(\)", "", text)
    return re.sub(r"^[\s,.;:!?)\]»-]+|[\s,;:]+$", "", text)


def _points(text: str, today: date, patterns: _Patterns) -> Iterator[_Point]:
    """Readings from left to right, the longest first; what the calendar does not have is passed over whole."""
    found = [(match, reading) for reading, pattern in patterns.readings for match in pattern.finditer(text)]
    reached = 0
    for match, reading in sorted(found, key=lambda item: (item[0].start(), -item[0].end())):
        if match.start() < reached:
            continue
        reached = match.end()
        if point := _point(text, match, reading, today, patterns):
            yield point


def _point(text: str, match: re.Match[str], reading: Reading, today: date, patterns: _Patterns) -> _Point | None:
    groups = match.groupdict()
    interval = interval_of(reading, groups, today=today, wording=patterns.wording)
    if interval is None or (reading in _NAMES and patterns.names.search(text, 0, match.start())):
        return None
    has_year = bool(groups.get("year"))
    is_of_its_own = any(groups.get(name) is not None for name in _DETERMINERS)
    is_dated = has_year and reading != "year"
    return _Point(
        start=match.start(),
        end=match.end(),
        reading=reading,
        interval=interval,
        is_bare=reading == "bare_unit" or (reading in _NAMES and not is_of_its_own and not is_dated),
        has_year=has_year,
    )


def _in_frames(text: str, points: Iterator[_Point], today: date, patterns: _Patterns) -> Iterator[_Point]:
    parts = [_in_part(text, point, today, patterns) for point in _in_their_years(text, list(points))]
    previous: _Point | None = None
    for point in _joined(text, parts, midnight(today), patterns):
        linked = _linked(text, _framed(text, point, today, patterns), patterns)
        if previous and not previous.is_bare and _go_together(text, previous, linked):
            linked = replace(linked, is_bare=False)
        yield linked
        previous = linked


def _in_their_years(text: str, points: Sequence[_Point]) -> list[_Point]:
    """Take "mayo del año pasado" as one point; the year of "marzo y abril de 2024" for both."""
    settled: list[_Point] = []
    for point in reversed(points):
        later = settled[-1] if settled else None
        if not later or point.reading not in _YEARLY or point.has_year:
            settled.append(point)
        elif later.has_year and _go_together(text, point, later):
            year = later.interval[0].year
            is_after = _in_year(point.interval[0], year) > later.interval[0]  # "noviembre y febrero de 2024"
            settled.append(_moved(point, year - is_after, has_year=True))
        elif _is_a_year(later) and re.fullmatch(_OF, text[point.end : later.start]):
            moved = _moved(point, later.interval[0].year, has_year=False)
            settled[-1] = replace(moved, end=later.end, is_bare=False)
        else:
            settled.append(point)
    return settled[::-1]


def _moved(point: _Point, year: int, *, has_year: bool) -> _Point:
    since, until = point.interval
    later = until.year - since.year
    return replace(point, interval=(_in_year(since, year), _in_year(until, year + later)), has_year=has_year)


def _go_together(text: str, first: _Point, second: _Point) -> bool:
    is_named = first.reading == second.reading and second.reading in _NAMES
    return is_named and re.fullmatch(_CONJUNCTIONS, text[first.end : second.start]) is not None


def _is_a_year(point: _Point) -> bool:
    return point.reading in {"this_unit", "last_unit"} and (point.interval[1] - point.interval[0]).days > 31


def _in_part(text: str, point: _Point, today: date, patterns: _Patterns) -> _Point:
    """A third of the point, if a frame like "a principios de" stands before it."""
    if point.reading not in {"month", "year", "bare_unit", "this_unit", "last_unit"}:
        return point
    for frame, pattern in patterns.frames:
        if frame in _THIRDS and (match := pattern.search(text, 0, point.start)):
            third = third_of(point.interval, _THIRDS[frame])
            if point.reading == "bare_unit" and third[0] > midnight(today):
                third = third_of(before(point.interval), _THIRDS[frame])
            return replace(point, start=match.start(), interval=third, is_bare=False)
    return point


def _joined(text: str, points: Sequence[_Point], today: datetime, patterns: _Patterns) -> Iterator[_Point]:
    """Two points of a range as one, the others as they are."""
    waiting: _Point | None = None
    for point in points:
        joined = _range(text, waiting, point, today, patterns) if waiting else None
        if waiting and not joined:
            yield waiting
        waiting = joined or point
    if waiting:
        yield waiting


def _range(text: str, first: _Point, second: _Point, today: datetime, patterns: _Patterns) -> _Point | None:
    if any(point.is_bare and point.reading in {"weekday", "bare_unit"} for point in (first, second)):
        return None
    for opening, between in patterns.ranges:
        if (match := opening.search(text, 0, first.start)) and between.fullmatch(text, first.end, second.start):
            interval = in_calendar(lambda: _aligned(first, second, today))
            return interval and replace(
                second,
                start=match.start(),
                interval=interval,
                is_bare=False,
                has_year=first.has_year or second.has_year,
            )
    return None


def _aligned(first: _Point, second: _Point, today: datetime) -> Interval:
    """Give a side without a year the other's, and turn a range that runs backwards ("entre 2020 y 2018")."""
    since, (begin, until) = first.interval[0], second.interval
    if first.reading in _YEARLY and not first.has_year and second.has_year:
        since = _in_year(since, begin.year)
        since = _in_year(since, begin.year - (since > begin))
    elif second.reading in _YEARLY and not second.has_year:
        years = since.year - begin.year if first.has_year else 0
        years += _in_year(begin, begin.year + years) < since
        until = _in_year(until, until.year + years)
    elif first.reading == second.reading == "weekday" and since > begin:
        week = timedelta(days=7)
        since, until = (since, until + week) if begin + week <= today else (since - week, until)
    return (since, until) if since < until else (begin, first.interval[1])


def _in_year(moment: datetime, year: int) -> datetime:
    is_leap_day = (moment.month, moment.day) == (2, 29)
    return moment.replace(year=year, day=28 if is_leap_day else moment.day)


def _framed(text: str, point: _Point, today: date, patterns: _Patterns) -> _Point:
    if point.reading == "bare_unit" and point.is_bare:
        return point
    since, until = point.interval
    tomorrow = midnight(min(today, _LAST_WITH_A_MORROW) + timedelta(days=1))
    intervals: dict[Frame, Interval] = {
        "since": (since, tomorrow),
        "before": (EARLIEST, since),
        "after": (until, tomorrow),
        "until": (EARLIEST, until),
    }
    for frame, pattern in patterns.frames:
        if frame in intervals and (match := pattern.search(text, 0, point.start)):
            return replace(point, start=match.start(), interval=intervals[frame], is_bare=False)
    return point


def _linked(text: str, point: _Point, patterns: _Patterns) -> _Point:
    """Take a preposition into the expression; it makes a bare month, season or year a time."""
    within = next(pattern for frame, pattern in patterns.frames if frame == "within")
    if point.is_bare:
        match = within.search(text, 0, point.start) if point.reading in {"month", "season", "feast", "year"} else None
        return replace(point, start=match.start(), is_bare=False) if match else point
    match = patterns.links.search(text, 0, point.start)
    return replace(point, start=match.start()) if match else point


def _is_usable(point: _Point, now: datetime) -> bool:
    since, until = point.interval
    return since <= now.replace(tzinfo=None) and until > EARLIEST and since < until


def _is_plain(query: str, folded: Folded, point: _Point, language: Language) -> bool:
    """No part of a word ("al lunes"), and no title ("los Últimos Días")."""
    start, end = folded.span(point.start, point.end)
    if start and query[start - 1].isalnum():
        return False
    has_capitals = language_of(language).traits.has_capitalised_nouns or query.isupper()
    is_name = point.reading in _NAMES | _YEARLY or has_capitals
    return is_name or not any(word[0].isupper() for word in query[start:end].split()[1:])


def _expression(query: str, folded: Folded, point: _Point, now: datetime) -> TimeExpression:
    start, end = folded.span(point.start, point.end)
    since, until = (moment.replace(tzinfo=now.tzinfo) for moment in point.interval)
    return TimeExpression(
        span=(start, end), text=query[start:end], since=since, until=until, is_relative=not point.has_year
    )


def _spelled_out(folded: Folded, patterns: _Patterns) -> Folded:
    """Read "del lunes" as "de el lunes", each added character standing where the last of its word stands."""
    if patterns.contractions is None:
        return folded
    pieces: list[tuple[str, Sequence[int]]] = []
    reached = 0
    for match in patterns.contractions.finditer(folded.text):
        pieces.append((folded.text[reached : match.start()], folded.origins[reached : match.start()]))
        full, last = patterns.wording.contractions[match[0]], match.end() - 1
        pieces.append((full, [folded.origins[min(match.start() + i, last)] for i in range(len(full))]))
        reached = match.end()
    pieces.append((folded.text[reached:], folded.origins[reached:]))
    return Folded(
        text="".join(text for text, _ in pieces), origins=tuple(origin for _, origins in pieces for origin in origins)
    )


@cache
def _patterns(language: Language) -> _Patterns:
    wording = language_of(language).times
    return _Patterns(
        wording=wording,
        readings=tuple(
            (reading, _compiled(rf"(?<!\w)(?:{pattern})(?!\w)", wording)) for reading, pattern in wording.readings
        ),
        frames=tuple((frame, _before(pattern)) for frame, pattern in wording.frames),
        ranges=tuple((_before(opening), _spaced(rf" {between} ")) for opening, between in wording.ranges),
        links=_before(wording.links),
        names=_before(wording.names),
        contractions=re.compile(rf"\b(?:{'|'.join(wording.contractions)})\b") if wording.contractions else None,
    )


def _before(pattern: str) -> re.Pattern[str]:
    return _spaced(rf"(?<!\w)(?:{pattern})[\s-]+\Z")


def _spaced(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ?", r"\s*").replace(" ", r"\s+"))


def _compiled(pattern: str, wording: TimeWording) -> re.Pattern[str]:
    fillings = {
        "month": rf"(?P<month>{_any_of(wording.months)})",
        "weekday": rf"(?P<weekday>{_any_of(wording.weekdays)})",
        "any_weekday": rf"(?:{_any_of(wording.weekdays)})",
        "season": rf"(?P<season>{_any_of(wording.seasons)})",
        "feast": rf"(?P<feast>{_any_of(wording.feasts)})",
        "number": rf"(?P<number>\d{{1,4}}|{_any_of(wording.numbers)})",
        "unit": rf"(?P<unit>{_any_of(wording.units)})",
        "few": wording.few,
        "this": wording.this,
        "last": wording.last,
        "part_of_day": rf"(?:{wording.part_of_day})",
        "year": rf"(?<![\d.,/-])(?P<year>\d{{3,4}})(?!\d|[.,/-]\d| ?(?:{wording.measures})(?!\w))",
    }
    for name, filling in fillings.items():
        pattern = pattern.replace(f"{{{name}}}", filling)
    return _spaced(pattern)


def _any_of(words: Mapping[str, object]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))
