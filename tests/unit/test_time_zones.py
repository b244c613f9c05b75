"""Where days begin and the calendar ends, for a time that a query names."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from time_texts import MADRID, WEDNESDAY, intervals

from rag_core.model.note import Language
from rag_core.query.time_expressions import find_times


@pytest.mark.parametrize(
    ("now", "query", "since", "until"),
    [
        ("2025-01-01T00:00", "ayer", "2024-12-31", "2025-01-01"),
        ("2025-01-01T09:00", "la semana pasada", "2024-12-23", "2024-12-30"),
        ("2025-01-01T09:00", "esta semana", "2024-12-30", "2025-01-06"),
        ("2025-01-01T09:00", "el mes pasado", "2024-12-01", "2025-01-01"),
        ("2025-01-01T09:00", "en diciembre", "2024-12-01", "2025-01-01"),
        ("2025-01-01T09:00", "en enero", "2025-01-01", "2025-02-01"),
        ("2024-12-31T23:59", "en enero", "2024-01-01", "2024-02-01"),
        ("2025-01-15T09:00", "este invierno", "2024-12-01", "2025-03-01"),
        ("2024-03-01T09:00", "ayer", "2024-02-29", "2024-03-01"),
        ("2025-03-01T09:00", "el 29 de febrero", "2024-02-29", "2024-03-01"),
        ("2024-02-29T09:00", "el último año", "2023-02-28", "2024-03-01"),
        ("2025-03-31T09:00", "el último mes", "2025-02-28", "2025-04-01"),
        ("2025-04-14T00:00", "el lunes", "2025-04-07", "2025-04-08"),
        ("2025-04-14T00:00", "este lunes", "2025-04-14", "2025-04-15"),
        ("2025-04-14T00:00", "esta semana", "2025-04-14", "2025-04-21"),
        ("2025-04-13T23:59", "esta semana", "2025-04-07", "2025-04-14"),
        ("2025-04-13T12:00", "este fin de semana", "2025-04-12", "2025-04-14"),
        ("2025-04-13T12:00", "el fin de semana pasado", "2025-04-05", "2025-04-07"),
    ],
)
def test_the_calendar_turns_where_it_should(now: str, query: str, since: str, until: str) -> None:
    assert intervals(query, now=datetime.fromisoformat(now).replace(tzinfo=MADRID)) == [(since, until)]


@pytest.mark.parametrize(
    ("now", "hours"), [("2025-03-31T10:00", 23), ("2025-10-27T10:00", 25), ("2025-05-02T10:00", 24)]
)
def test_a_day_on_which_the_clocks_change_has_its_own_length(now: str, hours: int) -> None:
    (yesterday,) = find_times("ayer", now=datetime.fromisoformat(now).replace(tzinfo=MADRID), language="es")

    assert yesterday.until.astimezone(UTC) - yesterday.since.astimezone(UTC) == timedelta(hours=hours)


def test_midnights_are_the_user_s() -> None:
    (winter, summer) = find_times("el 1 de marzo y el 1 de abril", now=WEDNESDAY, language="es")

    assert winter.since.isoformat() == "2025-03-01T00:00:00+01:00"
    assert summer.since.isoformat() == "2025-04-01T00:00:00+02:00"


def test_a_day_without_midnight_begins_when_the_clocks_have_changed() -> None:
    havana = ZoneInfo("America/Havana")  # on 9 March 2025 midnight was followed by one o'clock
    (day,) = find_times("ayer", now=datetime(2025, 3, 10, 9, tzinfo=havana), language="es")

    assert day.since.astimezone(UTC) == datetime(2025, 3, 9, 5, tzinfo=UTC)
    assert day.until.astimezone(UTC) == datetime(2025, 3, 10, 4, tzinfo=UTC)


def test_the_zone_decides_which_day_it_is() -> None:
    moment = datetime(2025, 4, 15, 22, 30, tzinfo=UTC)  # already the 16th in Madrid

    assert intervals("hoy", now=moment) == [("2025-04-15", "2025-04-16")]
    assert intervals("hoy", now=moment.astimezone(MADRID)) == [("2025-04-16", "2025-04-17")]


def test_without_a_zone_there_is_no_answer() -> None:
    with pytest.raises(ValueError, match="without a time zone"):
        find_times("ayer", now=WEDNESDAY.replace(tzinfo=None), language="es")


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("¿Qué pasó el 31/12/9999?", "es"),
        ("9999-12-31", "es"),
        ("el 31 de diciembre de 9999", "es"),
        ("en diciembre de 9999", "es"),
        ("del 30 al 31 de diciembre de 9999", "es"),
        ("am 31.12.9999", "de"),
        ("on 31 December 9999", "en"),
    ],
)
def test_what_ends_with_the_calendar_is_no_time(query: str, language: Language) -> None:
    assert find_times(query, now=WEDNESDAY, language=language) == ()


LAST_DAY = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "now", "expected"),
    [
        ("hoy", LAST_DAY, []),
        ("ayer", LAST_DAY, [("9999-12-30", "9999-12-31")]),
        ("desde ayer", LAST_DAY, [("9999-12-30", "9999-12-31")]),
        ("después de ayer", LAST_DAY, []),
        ("en marzo de 2024", LAST_DAY, [("2024-03-01", "2024-04-01")]),
        ("entre noviembre y enero", LAST_DAY, []),
        ("ayer, el lunes o la semana pasada", datetime(1, 1, 1, tzinfo=UTC), []),
    ],
)
def test_on_the_calendars_first_and_last_day_what_lies_within_it_is_found(query: str, now: datetime, expected) -> None:
    assert intervals(query, now=now) == expected
