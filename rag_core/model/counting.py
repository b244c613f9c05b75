"""Numbers with what they count, in the singular where there is one of it."""


def counted(count: int, one: str, many: str) -> str:
    """``1 segundo``, ``2 segundos``, ``0 segundos``; in every language that the program speaks only 1 is singular."""
    return f"{count} {one if count == 1 else many}"


def in_english(count: int, noun: str, plural: str = "") -> str:
    """``1 note``, ``2 notes``, ``1,000 notes``; ``plural`` where an s is not enough: ``1 query``, ``2 queries``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
