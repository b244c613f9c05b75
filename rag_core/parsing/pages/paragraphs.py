"""Lines of one column into paragraphs and list items."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag_core.parsing.pages.markers import has_leader, is_bullet, split_item
from rag_core.parsing.pages.parts import PageLine

_INDENT = 0.8
_SPACE = 0.3
_OTHER_SIZE = 0.12
_USUAL_LEADING = 1.25
_MAX_LEADING = 2.4
"""By the font size: indent of a paragraph, a space, difference to another size, usual and widest distance of lines."""
_FEW = 3
_WIDER = 1.35
"""Distances of lines that tell nothing yet, and share of the usual one from which a paragraph begins."""
_SAME_EDGE = 2.0
_ENDS = frozenset('.!?:;…"”»)')


def paragraphs(lines: Sequence[PageLine]) -> Iterator[list[PageLine]]:
    """Lines by paragraphs: parted by space, indent, style, mark of a list, or a line that ends before its room does."""
    if not lines:
        return
    right = sorted(line.box[2] for line in lines)[(len(lines) - 1) * 9 // 10]
    leading = _leading(lines)
    current = [lines[0]]
    for line in lines[1:]:
        if _begins(current, line, right=right, leading=leading):
            yield current
            current = []
        current.append(line)
    yield current


def _leading(lines: Sequence[PageLine]) -> float:
    """Usual distance of lines by the font size: that a quarter of them are below, where there are enough."""
    distances = sorted((line.box[3] - before.box[3]) / line.size for before, line in pairwise(lines))
    lower = distances[len(distances) // 4] if len(distances) > _FEW else 0.0
    return lower if 1 <= lower <= _MAX_LEADING else _USUAL_LEADING


def _begins(current: Sequence[PageLine], line: PageLine, *, right: float, leading: float) -> bool:
    """Tell whether a line begins a paragraph after the lines of the current one."""
    before = current[-1]
    is_far = line.box[3] - before.box[3] > _WIDER * leading * line.size
    if is_far or _is_other_style(before, line) or has_leader(before.text):
        return True
    is_short = before.box[2] + _SPACE * line.size + line.words[0].box[2] - line.words[0].box[0] < right
    is_ended = before.text[-1] in _ENDS
    if split_item(line.text):
        return is_bullet(line.text) or is_short or is_ended or split_item(current[0].text) is not None
    if _is_centered(before, line):
        return False
    if is_short and (is_ended or not line.text[0].islower()):
        return True
    return _is_shifted(current, line, may_indent=is_short or is_ended)


def _is_other_style(before: PageLine, line: PageLine) -> bool:
    return abs(line.size - before.size) > _OTHER_SIZE * line.size or line.is_bold != before.is_bold


def _is_centered(before: PageLine, line: PageLine) -> bool:
    """Tell whether two lines of different width have one middle."""
    left, right = line.box[0] - before.box[0], line.box[2] - before.box[2]
    return abs(left) > _SAME_EDGE and abs(left + right) < 2 * _SAME_EDGE


def _is_shifted(current: Sequence[PageLine], line: PageLine, *, may_indent: bool) -> bool:
    """Tell whether the left edge begins a paragraph: an indent after a line that may be the last, or less indent than lines before."""
    step = line.box[0] - current[-1].box[0]
    if split_item(current[0].text):
        return step < -_INDENT * line.size and len(current) > 1
    return (step > _INDENT * line.size and may_indent) or (step < -_INDENT * line.size and len(current) > 1)
