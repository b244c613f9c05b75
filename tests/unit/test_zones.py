"""A moment in a reader's zone, up to both ends of the calendar."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from rag_core.model.zones import in_zone

FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
MADRID, MEXICO = ZoneInfo("Europe/Madrid"), ZoneInfo("America/Mexico_City")


def test_a_moment_is_shown_by_the_zones_clock() -> None:
    moved = in_zone(datetime(2025, 4, 15, 22, 30, tzinfo=UTC), MADRID)

    assert moved.isoformat() == "2025-04-16T00:30:00+02:00"
    assert moved.tzinfo is MADRID


@pytest.mark.parametrize(("moment", "zone"), [(FIRST, MEXICO), (LAST, MADRID)])
def test_a_moment_that_the_zones_clock_cannot_show_stays_as_it_is(moment: datetime, zone: ZoneInfo) -> None:
    assert in_zone(moment, zone) is moment


def test_the_last_moment_is_shown_where_the_clock_is_behind() -> None:
    assert in_zone(LAST, MEXICO).isoformat() == "9999-12-31T17:59:59.999999-06:00"
