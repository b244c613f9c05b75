"""Timeline of a year: its notes by month as bars and as a table. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rag_core.api.pages.texts import counted, spoken, tr
from rag_core.language.languages import language_of

BAR, STEP, HEIGHT = 30, 40, 180
"""Width of a bar, distance of two, and height of the highest, in units of the drawing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthBar:
    """A month: its name, its notes, the address of their list, and its bar."""

    name: str
    initial: str
    count: int
    told: str
    address: str
    x: int
    y: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The months of a year as bars of a drawing of a size."""

    year: int
    title: str
    months: list[MonthBar]
    width: int = 12 * STEP
    bar: int = BAR
    height: int = HEIGHT


def timeline(year: int, counts: Mapping[int, int], *, address: Callable[[int], str]) -> Timeline:
    """The bars of a year from the numbers of notes by month; the highest has the whole height, any other at least one unit."""
    names = language_of(spoken()).times.month_names
    most = max(counts.values(), default=0)
    months = []
    for month, name in enumerate(names, 1):
        count = counts.get(month, 0)
        height = max(1, round(HEIGHT * count / most)) if count else 0
        months.append(
            MonthBar(
                name=name,
                initial=name[0].upper(),
                count=count,
                told=counted("{count} nota", "{count} notas", count),
                address=address(month),
                x=(month - 1) * STEP + (STEP - BAR) // 2,
                y=HEIGHT - height,
                height=height,
            )
        )
    return Timeline(year=year, title=tr("Notas por mes en {year}", year=year), months=months)
