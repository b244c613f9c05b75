"""Interpretation of a query, as the page and the terminal show it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from itertools import pairwise
from zoneinfo import ZoneInfo

from rag_core.language import DEFAULT_LANGUAGE
from rag_core.language.languages import language_of
from rag_core.language.times import TimeWording
from rag_core.model.graph import CausalDirection
from rag_core.model.note import Language
from rag_core.model.retrieval import Hit, Intent, Retrieval

_INTENTS: Mapping[Intent, str] = {
    "factual": "pregunta por un dato",
    "causal": "pregunta por las causas",
    "temporal": "pregunta por el cuándo",
    "comparative": "comparación",
    "abstract": "búsqueda por tema",
}
_OPEN_YEAR = 1900
"""Year before which an interval counts as open ("antes de mayo")."""
_TO = "\N{EN DASH}"
_EFFECTS = "pregunta por las consecuencias"


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """Interpretation of a query: the kind of question, the words that name a time, the days they mean, the parts searched.

    ``times`` and ``days`` are empty when the query names no time, ``parts`` when it asks one thing only.
    """

    intent: str
    times: str
    days: str
    parts: tuple[str, ...]

    @property
    def line(self) -> str:
        """All of it on one line: the kind of question, ``la semana pasada = `` its days, the parts in quotation marks."""
        told = [self.intent]
        if self.days:
            told.append(f"{self.times} = {self.days}" if self.times else self.days)
        return " · ".join([*told, *(f"«{part}»" for part in self.parts)])


def understood(found: Retrieval, *, zone: ZoneInfo, language: Language = DEFAULT_LANGUAGE) -> Understood | None:
    """Return the interpretation of the query, its days in the language; None when it was searched as it is."""
    query = found.transformed
    if query is None:
        return None
    today = query.timestamp.astimezone(zone).date()
    return Understood(
        intent=_EFFECTS if query.direction == "effects" else _INTENTS[query.intent],
        times=", ".join(dict.fromkeys(time.text for time in query.times)) if found.interval else "",
        days=days_between(*found.interval, zone=zone, today=today, language=language) if found.interval else "",
        parts=query.sub_queries if len(query.sub_queries) > 1 else (),
    )


def causal_chain(hit: Hit, direction: CausalDirection | None) -> tuple[str, ...]:
    """The names of the hit's causal path from cause to effect; () when the graph did not find it.

    A path begins at the entity the query asks for, so one that leads to its causes is turned round.
    """
    names = hit.causal_path_names or ()
    return names if direction == "effects" else names[::-1]


def causal_steps(hit: Hit, direction: CausalDirection | None) -> list[tuple[str, str]]:
    """The ids of cause and effect of each step of the hit's causal path, from cause to effect."""
    ids = hit.causal_path or ()
    return list(pairwise(ids if direction == "effects" else ids[::-1]))


def days_between(
    since: datetime, until: datetime, *, zone: ZoneInfo, today: date, language: Language = DEFAULT_LANGUAGE
) -> str:
    """A half-open interval as a reader writes it, from its first day to its last: ``3 mar``, ``2024``.

    Hours stand where it does not run from midnight to midnight, the year where it is not this one.
    """
    start, end, times = since.astimezone(zone), until.astimezone(zone), language_of(language).times
    day = partial(_day, times=times)
    if start.year <= _OPEN_YEAR:
        last = day((end - timedelta(microseconds=1)).date(), today.year)
        return times.open_interval.format(day=last)
    if start.time() == end.time() == time():
        return _days(start.date(), end.date() - timedelta(days=1), this_year=today.year, times=times)
    if start.date() == end.date():
        return f"{day(start.date(), today.year)} {_clock(start)}{_TO}{_clock(end)}"
    return f"{day(start.date(), today.year)} {_clock(start)} {_TO} {day(end.date(), today.year)} {_clock(end)}"


def _days(first: date, last: date, *, this_year: int, times: TimeWording) -> str:
    if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31):
        return f"{first.year}" if first.year == last.year else f"{first.year}{_TO}{last.year}"
    day = partial(_day, times=times)
    if first == last:
        return day(first, this_year)
    if (first.year, first.month) == (last.year, last.month):
        return f"{times.month_day.format(day=first.day)}{_TO}{day(last, this_year)}"
    shown_year = this_year if last.year == this_year else 0
    return f"{day(first, last.year if first.year == last.year else shown_year)} {_TO} {day(last, this_year)}"


def _day(day: date, this_year: int, *, times: TimeWording) -> str:
    written = f"{times.month_day.format(day=day.day)} {times.month_abbreviations[day.month - 1]}"
    return written if day.year == this_year else f"{written} {day.year}"


def _clock(moment: datetime) -> str:
    return f"{moment:%H:%M}"
