"""A moment by the clock of a reader's zone, at the ends of the calendar too. Pure."""

from datetime import datetime, tzinfo


def in_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    """The moment in the zone, or as it is where the zone's clock would show a year before 1 or after 9999.

    Programs that export notes write 0001-01-01T00:00:00Z or 9999-12-31T23:59:59Z where they know no date.
    """
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment
