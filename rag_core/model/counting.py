"""Numbers with what they count, in the singular where there is one of it."""

from datetime import timedelta


def counted(count: int, one: str, many: str) -> str:
    """``1 segundo``, ``2 segundos``, ``0 segundos``; in every language that the program speaks only 1 is singular."""
    return f"{count} {one if count == 1 else many}"


def in_english(count: int, noun: str, plural: str = "") -> str:
    """``1 note``, ``2 notes``, ``1,000 notes``; ``plural`` where an s is not enough: ``1 query``, ``2 queries``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def lasting(duration: timedelta) -> str:
    """A duration in the greatest unit that says enough: 42 minutes, 7 hours, 3 days."""
    minutes = int(duration.total_seconds() // 60)
    for size, unit in ((2880, "day"), (120, "hour")):
        if minutes >= size:
            return f"{minutes // (size // 2)} {unit}s"
    return in_english(minutes, "minute")
