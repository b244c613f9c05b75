"""A time named in words as an interval of local time: the calendar behind ``time_expressions``.

Intervals are half-open, in wall-clock time without a zone. None is what the calendar does not have (30 February, the
end of 31 December 9999) or what lies wholly before ``EARLIEST``.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta

from rag_core.language.times import Reading, TimeWording, Unit
from rag_core.query.feasts import feast_days

EARLIEST = datetime(1900, 1, 1)  # noqa: DTZ001 - wall-clock time
"""Beginning of "before": notes about earlier times are not from them."""

ISO_MONTH = re.compile(r"(?<![\w-])((?:19|20)\d\d)-(0[1-9]|1[0-2])(?![\w-])")
"""A month in ISO 8601 ("2025-01"), its year and number. No time in a query, which may mean an invoice or a file by it."""

Interval = tuple[datetime, datetime]
Groups = Mapping[str, str | None]

# How many units "unos días", "algunas semanas" are taken for, generously.
_FEW: Mapping[Unit, int] = {"day": 7, "week": 4, "month": 3, "year": 3}
_NIGHT_ENDS = time(6)


def interval_of(reading: Reading, groups: Groups, *, today: date, wording: TimeWording) -> Interval | None:
    """The interval that a reading means, seen from ``today``.

    Yearless names mean the last one that has begun ("en marzo"), weekdays the last one before today, with "pasado" the last
    one that is over. Parts of a day are the day: few notes carry an hour. Seasons are the northern, of whole
    months; winter has the year of its January.
    """
    interval = in_calendar(lambda: _READERS[reading](groups, today, wording))
    if interval is None or interval[1] <= EARLIEST:
        return None
    return interval


def in_calendar(read: Callable[[], Interval | None]) -> Interval | None:
    """The interval that is read, or None where it begins before the year 1 or ends after 31 December 9999 begins."""
    try:
        return read()
    except (OverflowError, ValueError):
        return None


def unit_around(day: date, unit: Unit) -> Interval:
    """The day, week from Monday, month or year that holds a day."""
    match unit:
        case "day":
            return _days(day, 1)
        case "week":
            return _days(day - timedelta(days=day.weekday()), 7)
        case "month":
            return _months(day.year, day.month, 1)
        case "year":
            return _months(day.year, 1, 12)


def shifted(day: date, count: int, unit: Unit) -> date | None:
    """The day so many units later (earlier when negative), the last of its month where that is shorter.

    None when it lies outside the years 1800 to 9000.
    """
    if unit in {"day", "week"}:
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
    if not 1800 * 12 <= months < 9000 * 12:
        return None
    first = date(months // 12, months % 12 + 1, 1)
    return min(first + timedelta(days=day.day - 1), _next_month(first) - timedelta(days=1))


def before(interval: Interval) -> Interval:
    """The week, month or year before a whole one."""
    days = (interval[1] - interval[0]).days
    unit: Unit = "week" if days <= 7 else "month" if days <= 31 else "year"
    return unit_around(interval[0].date() - timedelta(days=1), unit)


def third_of(interval: Interval, which: int) -> Interval:
    """Part 0, 1 or 2 of three about equal parts: whole days of a week or month, whole months of a year."""
    since, until = interval
    if (until - since).days > 31:
        months = round((until - since).days / 30.44)
        edges = [midnight(_shifted_month(since.date(), months * part // 3)) for part in range(4)]
    else:
        days = (until - since).days
        edges = [since + timedelta(days=round(days * part / 3)) for part in range(3)] + [until]
    return edges[which], edges[which + 1]


def midnight(day: date) -> datetime:
    """The beginning of the day."""
    return datetime.combine(day, time())


def _days(first: date, count: int) -> Interval:
    return midnight(first), midnight(first + timedelta(days=count))


def _months(year: int, month: int, count: int) -> Interval:
    first = date(year, month, 1)
    return midnight(first), midnight(_shifted_month(first, count))


def _shifted_month(first: date, count: int) -> date:
    months = first.year * 12 + first.month - 1 + count
    return date(months // 12, months % 12 + 1, 1)


def _next_month(first: date) -> date:
    return _shifted_month(first, 1)


def _since(day: date | None, today: date) -> Interval | None:
    return None if day is None else (midnight(day), midnight(today + timedelta(days=1)))


def _unit(groups: Groups, wording: TimeWording) -> Unit:
    return wording.units[groups["unit"] or ""]


def _count(groups: Groups, wording: TimeWording) -> int:
    number = groups.get("number")
    if number is None:
        return 1
    return int(number) if number.isdecimal() else wording.numbers[number]


def _year(groups: Groups) -> int | None:
    year = groups.get("year")
    return int(year) if year else None


def _is_last(groups: Groups) -> bool:
    return bool(groups.get("last") or groups.get("last_too"))


def _last_night(_groups: Groups, today: date, _wording: TimeWording) -> Interval:
    return midnight(today - timedelta(days=1)), datetime.combine(today, _NIGHT_ENDS)


def _days_ago(count: int) -> Callable[[Groups, date, TimeWording], Interval]:
    return lambda _groups, today, _wording: _days(today - timedelta(days=count), 1)


def _recently(_groups: Groups, today: date, _wording: TimeWording) -> Interval | None:
    return _since(shifted(today, -1, "month"), today)


def _this_unit(groups: Groups, today: date, wording: TimeWording) -> Interval:
    return unit_around(today, _unit(groups, wording))


def _last_unit(groups: Groups, today: date, wording: TimeWording) -> Interval | None:
    unit = _unit(groups, wording)
    return (
        None if unit == "day" else _around(shifted(today, -1, unit), unit)
    )  # "el día anterior" counts from another day


def _past_units(groups: Groups, today: date, wording: TimeWording) -> Interval | None:
    unit, count = _unit(groups, wording), _count(groups, wording)
    if unit == "day" and groups.get("number") is None:  # "el último día" is the last of something else
        return None
    return _since(shifted(today, -count, unit), today)


def _past_few(groups: Groups, today: date, wording: TimeWording) -> Interval | None:
    unit = _unit(groups, wording)
    return _since(shifted(today, -_FEW[unit], unit), today)


def _units_ago(groups: Groups, today: date, wording: TimeWording) -> Interval | None:
    unit = _unit(groups, wording)
    return _around(shifted(today, -_count(groups, wording), unit), unit)


def _few_ago(groups: Groups, today: date, wording: TimeWording) -> Interval | None:
    unit = _unit(groups, wording)
    return _since(shifted(today, -2 * _FEW[unit], unit), today)


def _around(day: date | None, unit: Unit) -> Interval | None:
    return None if day is None else unit_around(day, unit)


def _month(groups: Groups, today: date, wording: TimeWording) -> Interval | None:
    month, year = wording.months[groups["month"] or ""], _year(groups)
    if year is None:
        year = _year_of_last(groups, today, has_begun=month <= today.month, is_over=month < today.month)
    return _months(year, month, 1) if year >= EARLIEST.year else None


def _year_of_last(groups: Groups, today: date, *, has_begun: bool, is_over: bool) -> int:
    if groups.get("this"):
        return today.year
    return today.year - (not (is_over if _is_last(groups) else has_begun))


def _day_of_month(groups: Groups, today: date, wording: TimeWording) -> Interval | None:
    month, year = wording.months[groups["month"] or ""], _year(groups)
    day = _day(groups["day"])
    if year is not None:
        found = _date(year, month, day)
    else:
        years = range(today.year, today.year - 9, -1)  # 29 February is at most eight years away
        dates = (_date(year, month, day) for year in years)
        found = next((found for found in dates if found is not None and found <= today), None)
    return None if found is None else _days(found, 1)


def _days_of_month(groups: Groups, today: date, wording: TimeWording) -> Interval | None:
    first = _day_of_month(groups, today, wording)
    if first is None:
        return None
    last = _date(first[0].year, first[0].month, int(groups["last_day"] or 0))
    return None if last is None or last < first[0].date() else (first[0], _days(last, 1)[1])


def _day(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 1  # "primero", "uno"


def _date(year: int, month: int, day: int) -> date | None:
    if year < EARLIEST.year:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _weekday(groups: Groups, today: date, wording: TimeWording) -> Interval:
    weekday = wording.weekdays[groups["weekday"] or ""]
    if groups.get("this"):
        return _days(today + timedelta(days=weekday - today.weekday()), 1)
    return _days(today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1), 1)


def _weekend(groups: Groups, today: date, _wording: TimeWording) -> Interval:
    monday = today - timedelta(days=today.weekday())
    is_now = today.weekday() >= 5 and not _is_last(groups)
    return _days(monday + timedelta(days=5 if is_now else -2), 2)


def _season(groups: Groups, today: date, wording: TimeWording) -> Interval | None:
    month, year = wording.seasons[groups["season"] or ""], _year(groups)
    if year is None:
        start = date(today.year, month, 1)
        is_over = _shifted_month(start, 3) <= today
        year = _year_of_last(groups, today, has_begun=start <= today, is_over=is_over)
        if groups.get("this") and month == 12 and today.month < 3:
            year -= 1
    elif month == 12:
        year -= 1
    return _months(year, month, 3) if year >= EARLIEST.year - 1 else None


def _feast(groups: Groups, today: date, wording: TimeWording) -> Interval | None:
    feast, year = wording.feasts[groups["feast"] or ""], _year(groups)
    if year is None:
        first, last = feast_days(feast, today.year)
        year = _year_of_last(groups, today, has_begun=first <= today, is_over=last < today)
        year = today.year - 1 if groups.get("year_before") else year
    if not EARLIEST.year <= year < 9000:
        return None
    first, last = feast_days(feast, year, is_day_alone=(groups.get("day_of") or "").endswith("dia de "))
    return _days(first, (last - first).days + 1)


def _whole_year(groups: Groups, _today: date, _wording: TimeWording) -> Interval | None:
    year = _year(groups) or 0
    return _months(year, 1, 12) if EARLIEST.year <= year < 9000 else None


def _calendar_date(groups: Groups, _today: date, _wording: TimeWording) -> Interval | None:
    year, month, day = (int(groups[name] or 0) for name in ("year", "month_number", "day"))
    year += 2000 if year < 100 else 0
    # Day first; 03/25/2024 can only be month first.
    found = _date(year, month, day) or _date(year, day, month)
    return None if found is None else _days(found, 1)


_READERS: Mapping[Reading, Callable[[Groups, date, TimeWording], Interval | None]] = {
    "today": _days_ago(0),
    "yesterday": _days_ago(1),
    "day_before_yesterday": _days_ago(2),
    "last_night": _last_night,
    "recently": _recently,
    "this_unit": _this_unit,
    "last_unit": _last_unit,
    "past_units": _past_units,
    "past_few": _past_few,
    "units_ago": _units_ago,
    "few_ago": _few_ago,
    "bare_unit": _this_unit,
    "month": _month,
    "day_of_month": _day_of_month,
    "days_of_month": _days_of_month,
    "weekday": _weekday,
    "weekend": _weekend,
    "season": _season,
    "feast": _feast,
    "year": _whole_year,
    "calendar_date": _calendar_date,
}
