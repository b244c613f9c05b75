"""Which searches a query asks for: the query itself, its parts, and the time it names. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from rag_core.model import Filters, TimeExpression, TransformedQuery

OF_A_PART = 0.25
"""Weight of each part of a double question beside 1 for the whole, which holds all their words.

Measured on 14 of the demo's questions, parted: nDCG@10 0.90 for the whole alone, 0.88, 0.87 and 0.82 with parts at a quarter,
a half and full weight; the parts alone 0.57. They are searched for the answer that the other part's words would hide.
"""

BESIDE_TIME = 0.4
"""Weight of what lies outside the time a query names, beside 1 for what lies in it; the other way round for calendar dates.

A query about last week may be answered by a note of today, and a year in a question is as often part of what is asked as the
time of writing, so neither excludes the other.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One text to search under one set of filters; ``suffix`` tells its legs apart, ``weight`` is its share in the fusion."""

    suffix: str
    text: str
    filters: Filters
    weight: float = 1.0


def is_relative(times: Sequence[TimeExpression]) -> bool:
    """Whether the query names a time counted from now, which is the time of writing, not one a text speaks of."""
    return any(time.is_relative for time in times)


def plan_searches(transformed: TransformedQuery, query: str, filters: Filters) -> list[Search]:
    """The query as it was asked first, then its parts, then the same within the time it names."""
    interval = interval_of(transformed.times)
    is_counted_from_now = is_relative(transformed.times)
    searches = [
        Search(suffix="", text=query, filters=filters, weight=BESIDE_TIME if interval and is_counted_from_now else 1.0),
        *(
            Search(suffix=f":{number}", text=part, filters=filters, weight=OF_A_PART)
            for number, part in enumerate(transformed.sub_queries, 1)
            if len(transformed.sub_queries) > 1
        ),
    ]
    narrowed = within(filters, interval) if interval else None
    if narrowed is not None:
        text = transformed.without_time or query
        searches.append(
            Search(suffix=":time", text=text, filters=narrowed, weight=1.0 if is_counted_from_now else BESIDE_TIME)
        )
    return searches


def interval_of(times: Sequence[TimeExpression]) -> tuple[datetime, datetime] | None:
    """The one interval that all the expressions mean: their overlap, or their hull where they have none."""
    if not times:
        return None
    since, until = max(time.since for time in times), min(time.until for time in times)
    if since < until:
        return since, until
    return min(time.since for time in times), max(time.until for time in times)


def within(filters: Filters, interval: tuple[datetime, datetime]) -> Filters | None:
    """The filters narrowed to an interval; None when nothing can pass both."""
    since = max(filter(None, (filters.since, interval[0])))
    until = min(filter(None, (filters.until, interval[1])))
    return replace(filters, since=since, until=until) if since < until else None
