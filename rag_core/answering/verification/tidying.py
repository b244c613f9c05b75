"""Marks of an answer in one form, those that name nothing taken out, and the text closed where they stood. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from rag_core.answering.verification.citations import CLOSING, JOINING_WORDS, LONGEST_MARK, OPENING
from rag_core.language.languages import language_of
from rag_core.model.note import Language, Span

_CONTEXT_CHARACTERS = 64
_BLANKS = " \t\u00a0"
_BETWEEN = re.compile(rf"[{_BLANKS}]*(?:[,;/&+·]|(?:{JOINING_WORDS})\b)?[{_BLANKS}]*", re.IGNORECASE)
_ENDS, _PAUSES, _CLOSERS = ".!?…", ",;:", ")]}»”’"  # noqa: RUF001
_OPENERS = "([{¿¡«„“‘"  # noqa: RUF001
_PAIRS = frozenset({"()", "[]", "{}", "«»", "“”", "„“", "‘’", '""'})  # noqa: RUF001
_EMPHASIS = (re.compile(r"(?<![\w*_`])([*_`]{1,3})$"), re.compile(r"([*_`]{1,3})(?!\w)"))
_AFTER_LEAD = re.compile(rf"[{_BLANKS}]*(?:[).,;:!?…\n]|$)")
_UNFINISHED = re.compile(
    rf"[{_BLANKS}{re.escape(OPENING)}]*[{re.escape(OPENING)}][^\n{re.escape(OPENING + CLOSING)}.!?]{{0,{LONGEST_MARK}}}\Z"
)
_WORDS = re.compile(r"[^\W\d_]{2}.*?[^\W\d_]{2}\s")
_LINE_END = re.compile(rf"[{_BLANKS}]*\n")
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMark:
    """A mark of the text and the numbers it shall hold; with none it is taken out."""

    span: Span
    numbers: tuple[int, ...]


def tidied(text: str, marks: Sequence[KeptMark], language: Language) -> str:
    """A sentence with its marks as "[1]" or "[1, 2]", and without those that hold no number.

    Where one is taken out, what hung on it goes too: blanks, a separator, empty brackets, a doubled full stop, "según". Everything
    else is as it was. Marks that stand together lose theirs together. A sentence in which nothing is left is ''.
    """
    buffer: list[str] = []
    at = 0
    for run in _runs(text, marks):
        buffer += text[at : run[0].span[0]]
        at = run[-1].span[1]
        shown = _shown(text, run)
        buffer += shown
        if not shown:
            at = _close_gap(buffer, text, at, language)
    whole = "".join(buffer) + text[at:]
    return whole if len(whole) == len(text) or _LETTER.search(whole) else ""


def without_unfinished_mark(text: str) -> str:
    """The text without a mark at its end that was begun and not finished: "Llovió [1" gives "Llovió"."""
    end = len(text)
    while (found := _UNFINISHED.search(text, max(0, end - 2 * LONGEST_MARK), end)) and not _WORDS.search(found[0]):
        end = found.start()
    return text[:end]


def mark_of(numbers: Sequence[int]) -> str:
    """The mark as this code writes it."""
    return f"[{', '.join(map(str, numbers))}]"


def _runs(text: str, marks: Sequence[KeptMark]) -> Iterator[list[KeptMark]]:
    """Marks with nothing but a separator between them, together."""
    run: list[KeptMark] = []
    for mark in marks:
        if run and not _BETWEEN.fullmatch(text, run[-1].span[1], mark.span[0]):
            yield run
            run = []
        run.append(mark)
    if run:
        yield run


def _shown(text: str, run: Sequence[KeptMark]) -> str:
    between = [text[one.span[1] : other.span[0]] for one, other in pairwise(run)]
    if all(mark.numbers for mark in run):
        pieces = [mark_of(mark.numbers) + gap for mark, gap in zip(run, [*between, ""], strict=True)]
        return "".join(pieces)
    return (between[0] if between else "").join(mark_of(mark.numbers) for mark in run if mark.numbers)


def _close_gap(buffer: list[str], text: str, at: int, language: Language) -> int:
    """Close the gap between the end of ``buffer`` and ``text[at:]``; where the text goes on from."""
    is_opened = False
    while (step := _emptied(buffer, text, at)) or (step := _hanging(buffer, text, at, language)):
        before, after, is_first = step
        del buffer[len(buffer) - before :]
        at += after
        is_opened |= is_first
    at = _spaced(buffer, text, at)
    if is_opened and at < len(text):
        buffer.append(text[at].upper())
        at += 1
    return at


def _emptied(buffer: list[str], text: str, at: int) -> tuple[int, int, bool] | None:
    """Number of characters to drop before and after, where brackets, quotes or emphasis have become empty."""
    left, right = _tail(buffer), text[at : at + _CONTEXT_CHARACTERS]
    bare_left, bare_right = left.rstrip(_BLANKS), right.lstrip(_BLANKS)
    if bare_left and bare_right and bare_left[-1] + bare_right[0] in _PAIRS:
        return len(left) - len(bare_left) + 1, len(right) - len(bare_right) + 1, False
    opened, closed = _EMPHASIS[0].search(left), _EMPHASIS[1].match(right)
    if opened is not None and closed is not None and opened[1] == closed[1]:
        return len(opened[1]), len(closed[1]), False
    return None


def _hanging(buffer: list[str], text: str, at: int, language: Language) -> tuple[int, int, bool] | None:
    """Number of characters to drop before, where a word led to the mark, and whether it opened the sentence."""
    left = _tail(buffer)
    lead = language_of(language).citing.lead.search(left)
    if lead is None or not _AFTER_LEAD.match(text, at):
        return None
    conjunction = _conjunction(language).search(left, 0, lead.start())
    if conjunction is not None and text[at : at + 1] == ",":
        return len(left) - conjunction.end(1), 1, False
    is_first = lead.start() == 0 and len(buffer) == len(left)
    return len(left) - lead.start(), 0, is_first and text[at : at + 1] == ","


@cache
def _conjunction(language: Language) -> re.Pattern[str]:
    """One before the place where a lead began, with or without a comma."""
    return re.compile(
        rf"\b({'|'.join(sorted(language_of(language).stop_words.conjunctions))}),?[{_BLANKS}]*$", re.IGNORECASE
    )


def _spaced(buffer: list[str], text: str, at: int) -> int:
    """Leave one blank or none at the gap, and one sign of two that stand together now; where the text goes on from."""
    left = _tail(buffer)
    before = len(left) - len(left.rstrip(_BLANKS))
    after = at
    while after < len(text) and text[after] in _BLANKS:
        after += 1
    previous = left[len(left) - before - 1 : len(left) - before]
    following = text[after : after + 1]
    if previous in {"", "\n"} and following == "\n":  # the line held nothing else
        return _fewer_line_ends(left, text, at)
    if previous in {"", "\n"} or previous in _OPENERS:
        return _without_leading_sign(text, after)
    if following in {"", "\n"}:
        del buffer[len(buffer) - before :]
        return at
    if following in _ENDS + _PAUSES + _CLOSERS:
        del buffer[len(buffer) - before :]
        return _one_sign(buffer, previous, text, after)
    if before or after == at:
        if not before and _LETTER.match(previous) and _LETTER.match(following):
            buffer.append(" ")
        return after
    return at


def _fewer_line_ends(left: str, text: str, at: int) -> int:
    """The position where the text goes on, so that the line ends of the longer side are left."""
    before = left[len(left.rstrip()) :].count("\n") if left else len(text)
    after = at
    while before and (line_end := _LINE_END.match(text, after)):
        before, after = before - 1, line_end.end()
    return after


def _without_leading_sign(text: str, at: int) -> int:
    sign = re.compile(rf"[,;:.]+[{_BLANKS}]*").match(text, at)
    return at if sign is None else sign.end()


def _one_sign(buffer: list[str], previous: str, text: str, at: int) -> int:
    following = text[at]
    if previous in _PAUSES and following in _ENDS + _PAUSES:
        buffer.pop()
    elif previous in _ENDS and (following in "." + _PAUSES or following == previous):
        return at + 1
    return at


def _tail(buffer: list[str]) -> str:
    return "".join(buffer[-_CONTEXT_CHARACTERS:])
