"""Words for numbers, for multiples and parts of them, and for units."""

from collections.abc import Mapping
from dataclasses import dataclass

KINDS_OF_UNITS: tuple[frozenset[str], ...] = (
    frozenset({"€", "$", "£", "peso", "franc"}),
    frozenset({"minute", "hour", "day", "week", "month", "year"}),
    frozenset({"mm", "cm", "metre", "km", "mile", "foot"}),
    frozenset({"gram", "kilo", "ton"}),
)
"""Names of units that measure the same, so that one in the place of another is another measure."""


PARTS_OF_ONE: Mapping[tuple[str, str], str] = {
    ("hour", "minute"): "60",
    ("day", "hour"): "24",
    ("week", "day"): "7",
    ("year", "month"): "12",
    ("km", "metre"): "1000",
    ("metre", "cm"): "100",
    ("cm", "mm"): "10",
    ("ton", "kilo"): "1000",
    ("kilo", "gram"): "1000",
}
"""Number of the smaller unit in one of the larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantityWords:
    """Words for numbers and units, in lower case."""

    numbers: Mapping[str, int]
    """Numbers in words that ``times`` does not name."""
    scales: Mapping[str, int]
    """Words that multiply the number before them, or stand for themselves: "40 mil", "a million"."""
    multiples: Mapping[str, str]
    """Words that make another figure of the one beside them; their names end in a digit, as those of all figures do."""
    units: Mapping[str, str]
    """Units of measure and currencies, by one name for all languages."""
    percent: tuple[str, ...]
    """Patterns of the words for "%"."""
    links: tuple[str, ...]
    """Words between the parts of a number: "treinta y dos"."""
    one_words: frozenset[str]
    """Words before a unit that measure one of it: "una hora"."""
