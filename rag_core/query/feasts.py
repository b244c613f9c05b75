"""Dates of feasts. Pure."""

from datetime import date, timedelta

from rag_core.language.times import Feast

_FIXED: dict[Feast, tuple[int, int]] = {
    "christmas": (12, 25),
    "christmas_holidays": (12, 25),
    "christmas_eve": (12, 24),
    "christmas_day": (12, 25),
    "new_years_eve": (12, 31),
    "new_years_day": (1, 1),
    "epiphany": (1, 6),
    "midsummer": (6, 24),
}
_FROM_EASTER: dict[Feast, int] = {"holy_week": 0, "easter": 0, "easter_sunday": 0, "easter_monday": 1}
_AROUND: dict[Feast, tuple[int, int]] = {
    "christmas": (1, 1),
    "christmas_holidays": (1, 12),  # up to Epiphany
    "holy_week": (7, 0),  # from Palm Sunday
    "easter": (2, 1),  # from Good Friday to Easter Monday
    "midsummer": (1, 0),  # its night is that before
}
"""Days before and after the feast's own that its name stands for as well."""


def feast_days(feast: Feast, year: int, *, is_day_alone: bool = False) -> tuple[date, date]:
    """The first and the last day of a feast; ``is_day_alone`` gives its own day twice."""
    fixed = _FIXED.get(feast)
    own = easter_sunday(year) + timedelta(days=_FROM_EASTER[feast]) if fixed is None else date(year, *fixed)
    before, after = (0, 0) if is_day_alone else _AROUND.get(feast, (0, 0))
    return own - timedelta(days=before), own + timedelta(days=after)


def easter_sunday(year: int) -> date:
    """Easter of the western churches, in the Gregorian calendar.

    Source: the anonymous algorithm in Meeus, Astronomical Algorithms (1991), chapter 8.
    """
    century, of_century = divmod(year, 100)
    moon = (19 * (year % 19) + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (of_century // 4) - moon - of_century % 4) % 7
    correction = (year % 19 + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * correction + 114, 31)
    return date(year, month, day + 1)
