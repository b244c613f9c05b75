"""Form of the names of times: days, months and seasons, and patterns around them.

The patterns are matched against ``folding.fold``: lower case, no accents; a space stands for any white space.
``{month}``, ``{weekday}``, ``{any_weekday}``, ``{season}``, ``{feast}``, ``{number}``, ``{few}``, ``{unit}``, ``{year}``,
``{part_of_day}``, ``{this}`` and ``{last}`` are filled in. Here: words and patterns; ``rag_core.query.time_expressions`` says
what they mean.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Unit = Literal["day", "week", "month", "year"]
Reading = Literal[
    "today",
    "yesterday",
    "day_before_yesterday",
    "last_night",
    "recently",
    "this_unit",
    "last_unit",
    "past_units",
    "past_few",
    "units_ago",
    "few_ago",
    "bare_unit",
    "month",
    "day_of_month",
    "days_of_month",
    "weekday",
    "weekend",
    "season",
    "feast",
    "year",
    "calendar_date",
]
"""Meaning of a pattern. Named groups say the rest: ``this`` and ``last`` are determiners; they, a year and ``named``
make a name a time of its own, which otherwise needs a preposition."""
Feast = Literal[
    "christmas",
    "christmas_holidays",
    "christmas_eve",
    "christmas_day",
    "new_years_eve",
    "new_years_day",
    "epiphany",
    "holy_week",
    "easter",
    "easter_sunday",
    "easter_monday",
    "midsummer",
]
"""Feasts of every year; ``rag_core.query.feasts`` computes their dates."""
Frame = Literal["beginning", "middle", "end", "since", "until", "before", "after", "within"]
"""Words before a time that change it; ``within`` ("en", "in") only makes a bare name a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWording:
    """Names of times in one language.

    ``measures`` behind four digits make them a quantity, no year. ``names`` before a date make it a place ("Plaza del 2
    de Mayo"). ``links`` are prepositions taken into the expression. ``ranges`` are pairs: before the first time, and
    between it and the second. ``contractions`` are read in full ("del" as "de el"); ``this`` and ``last`` are determiners.
    """

    month_names: tuple[str, ...]
    """Names of the months as they are written, January first."""
    month_abbreviations: tuple[str, ...]
    month_day: str
    """Form of a day of a month, ``{day}``."""
    open_interval: str
    """Phrase for an interval that has no beginning; ``{day}`` is its last."""
    weekday_names: tuple[str, ...]
    """Names of the days of the week as they are written, Monday first."""
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    seasons: Mapping[str, int]
    feasts: Mapping[str, Feast]
    numbers: Mapping[str, int]
    few: str
    units: Mapping[str, Unit]
    part_of_day: str
    measures: str
    names: str
    links: str
    conjunctions: tuple[str, ...]
    """Words between two times that are removed with them: "ayer y hoy"."""
    readings: tuple[tuple[Reading, str], ...]
    frames: tuple[tuple[Frame, str], ...]
    ranges: tuple[tuple[str, str], ...]
    contractions: Mapping[str, str] = field(default_factory=dict)
    this: str = ""
    last: str = ""


NUMERIC_DATES: tuple[tuple[Reading, str], ...] = (
    ("calendar_date", r"(?P<year>\d{4})-(?P<month_number>\d{1,2})-(?P<day>\d{1,2})(?![-./]\w)"),
    ("calendar_date", r"(?P<day>\d{1,2})([-./])(?P<month_number>\d{1,2})\2(?P<year>\d{4})(?![-./]\w)"),
    ("calendar_date", r"(?P<day>\d{1,2})/(?P<month_number>\d{1,2})/(?P<year>\d{2})(?![-./]\w)"),
)
