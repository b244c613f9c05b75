"""Differences of two texts by lines. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

MAX_LINES = 2_000
"""Longer texts are not compared: the time grows with the square of the lines."""
CONTEXT = 1
"""Lines that are shown around a difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceLine:
    """A line that went, came or stayed; a ``gap`` stands for lines that stayed and are not shown."""

    kind: Literal["gone", "new", "same", "gap"]
    text: str = ""


def differences(before: str, after: str) -> list[DifferenceLine] | None:
    """The lines that went and came, with those around them; None for texts of more than ``MAX_LINES``."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MAX_LINES:
        return None
    groups = SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT)
    lines: list[DifferenceLine] = []
    end = 0
    for group in groups:
        if group[0][1] > end:
            lines.append(DifferenceLine(kind="gap"))
        for tag, i1, i2, j1, j2 in group:
            lines += _lines(tag, old[i1:i2], new[j1:j2])
        end = group[-1][2]
    return [*lines, DifferenceLine(kind="gap")] if lines and end < len(old) else lines


def _lines(tag: str, old: list[str], new: list[str]) -> Iterator[DifferenceLine]:
    if tag == "equal":
        yield from (DifferenceLine(kind="same", text=line) for line in old)
    else:
        yield from (DifferenceLine(kind="gone", text=line) for line in old)
        yield from (DifferenceLine(kind="new", text=line) for line in new)
