"""The day a file's note is of: as somebody wrote it, else as its file system knows it."""

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from pathlib import PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

from rag_core.language import LANGUAGES
from rag_core.language.detection import detect_language
from rag_core.model.note import DatedBy
from rag_core.query.time_expressions import find_times

DATE_FIELDS = ("date", "created", "created_at", "fecha", "datum", "created-at", "date created")
"""Fields of front matter that say a note's date, the first one that can be read."""
_DAY = re.compile(r"(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)")
_WEEK = re.compile(r"(?<!\d)(\d{4})-?W(\d{2})(?!\d)", re.IGNORECASE)
_EARLIEST_YEAR = 1900


def date_of_fields(fields: Mapping[str, Any], zone: ZoneInfo) -> tuple[datetime | None, str | None]:
    """The date in front matter, and the name of a date field that cannot be read, if none can."""
    by_name = {name.casefold(): value for name, value in fields.items()}
    unread = None
    for name in DATE_FIELDS:
        value = by_name.get(name)
        if value is None:
            continue
        moment = _moment(value, zone)
        if moment is not None:
            return moment, None
        unread = unread or name
    return None, unread


def _moment(value: Any, zone: ZoneInfo) -> datetime | None:
    if isinstance(value, str):
        try:
            value = (
                datetime.fromisoformat(value.strip()) if len(value.strip()) > 10 else date.fromisoformat(value.strip())
            )
        except ValueError:
            return day_of_heading(value, zone)
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=zone)
    return datetime.combine(value, time(), zone) if isinstance(value, date) else None


def day_of_name(path: str, zone: ZoneInfo) -> datetime | None:
    """The day in a file's name: ``2024-04-03``, ``20240403``, or the Monday of ``2024-W14``."""
    stem = PurePosixPath(path).stem
    for match in _DAY.finditer(stem):
        found = _day(int(match[1]), int(match[3]), int(match[4]))
        if found is not None:
            return datetime.combine(found, time(), zone)
    week = _WEEK.search(stem)
    if week is None:
        return None
    try:
        return datetime.combine(date.fromisocalendar(int(week[1]), int(week[2]), 1), time(), zone)
    except ValueError:
        return None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if year >= _EARLIEST_YEAR else None
    except ValueError:
        return None


def day_of_heading(heading: str, zone: ZoneInfo) -> datetime | None:
    """The one calendar day that a heading names with its year, in figures or words: ``3 de abril de 2024``."""
    day = _DAY.search(heading)
    if day is not None and (found := _day(int(day[1]), int(day[3]), int(day[4]))):
        return datetime.combine(found, time(), zone)
    now = datetime.now(zone)
    likely = detect_language(heading)
    for language in sorted(LANGUAGES, key=lambda code: code != likely):
        named = find_times(heading, now=now, language=language)
        days = [one.since for one in named if not one.is_relative and one.until - one.since <= timedelta(hours=25)]
        if len(days) == 1:
            return days[0]
    return None


def dated(
    *, written: datetime | None, path: str, heading: str | None, file_time: datetime | None, zone: ZoneInfo
) -> tuple[datetime | None, DatedBy]:
    """The date of a file's note and its origin, in the order of the sources of ``DatedBy``."""
    if written is not None:
        return written, "given"
    if named := day_of_name(path, zone):
        return named, "name"
    if heading and (read := day_of_heading(heading, zone)):
        return read, "heading"
    return file_time, "file" if file_time else "import"
