"""Text of a cell, and rows of lines that no rule parts."""

import re
from collections.abc import Iterable, Sequence

from rag_core.parsing.pages.joining import join_lines
from rag_core.parsing.pages.parts import PageWord

_FIGURE = re.compile(r"[^\d\W]{0,3}\W*\d[\d\W]*[^\d\W]{0,3}\W*|[-\u2013—]|n/?[ad]\.?", re.IGNORECASE)
_MAX_FIGURE = 40


def is_figure(text: str) -> bool:
    """Tell whether a cell holds a number, with a unit or a sign perhaps, or a stroke in its place."""
    return len(text) <= _MAX_FIGURE and _FIGURE.fullmatch(text) is not None


def cell_text(words: Iterable[PageWord]) -> str:
    """Words of a cell in the order they are read, turned ones after the upright ones."""
    groups: dict[str, list[PageWord]] = {"upright": [], "up": [], "down": [], "slanted": []}
    for word in words:
        groups[word.turn].append(word)
    lines = [line for turn, group in groups.items() for line in text_lines(group, turn)]
    return join_lines(" ".join(word.text for word in line) for line in lines)


def text_lines(words: Sequence[PageWord], turn: str = "upright") -> list[list[PageWord]]:
    """Words of one direction by lines, as they are read: words are in a line whose middles are closer than half of its height."""
    lines: list[list[PageWord]] = []
    for word in sorted(words, key=lambda word: _place(word, turn)):
        if lines and _place(word, turn)[0] - _place(lines[-1][0], turn)[0] < 0.5 * word.size:
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda word: _place(word, turn)[1]) for line in lines]


def _place(word: PageWord, turn: str) -> tuple[float, float]:
    """Across the lines and along them, each growing as one reads."""
    x, y = word.center
    return {"up": (x, -y), "down": (-x, y)}.get(turn, (y, x))
