"""Changes to a text before it is shown: findings are hidden, and a long text is cut. Pure.

Everything is found in the text that is changed, and whoever holds spans of the text has them moved with it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from rag_core.chunking import count_tokens, sentence_spans
from rag_core.guardrails import Finding
from rag_core.guardrails.personal_data import Check, find_personal_data
from rag_core.guardrails.secrets import find_secrets
from rag_core.guardrails.spaced import in_plain_digits
from rag_core.language.languages import language_of
from rag_core.model.note import Language, Span

MAX_ANSWER_TOKENS = 4_000
_WORD_END = re.compile(r"\S(?=\s)")
_WHITE_SPACE = re.compile(r"\s*")
_RANKS = {
    kind: rank
    for rank, kind in enumerate(
        (
            "private_key",
            "token",
            "api_key",
            "password",
            "iban",
            "card",
            "email",
            "social_id",
            "tax_id",
            "dni",
            "nie",
            "phone",
        )
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A text with placeholders, what they stand for (spans of the text as it was), and the way of a span from there to here.

    ``shifts`` tell for each finding how much further on what follows the one before it stands now.
    """

    text: str
    findings: tuple[Finding, ...]
    placeholders: tuple[str, ...]
    shifts: tuple[int, ...]

    def moved(self, span: Span) -> Span:
        """Map a span of the original text to the changed one; an edge inside a finding moves to the edge of its placeholder."""
        return self._moved(span[0], is_end=False), self._moved(span[1], is_end=True)

    def _moved(self, position: int, *, is_end: bool) -> int:
        index = bisect_right(self.findings, position - is_end, key=lambda finding: finding.span[0]) - 1
        if index < 0:
            return position
        (start, end), placeholder, shift = self.findings[index].span, self.placeholders[index], self.shifts[index]
        if is_end and start < position < end:
            return start + shift + len(placeholder)
        if not is_end and start <= position < end:
            return start + shift
        return position + shift + len(placeholder) - (end - start)


def find_all(
    text: str, language: Language, *, kept: Sequence[Span] = (), check: Check = lambda: None
) -> tuple[Finding, ...]:
    """Personal data and secrets, apart from each other, in the text's order.

    Where two overlap the more telling kind wins, and takes in the other. ``kept`` are spans that no finding may touch, such as marks
    of citations: they part what stands before them from what stands after. ``check`` is called meanwhile, and may raise to end it.
    """
    check()
    masked = _masked(text, kept)
    apart: list[Finding] = []
    for finding in sorted(
        (*find_secrets(masked), *find_personal_data(masked, language, check=check)), key=lambda finding: finding.span
    ):
        if apart and finding.span[0] < apart[-1].span[1]:
            apart[-1] = _united(apart[-1], finding)
        else:
            apart.append(finding)
    return tuple(apart)


def _united(one: Finding, other: Finding) -> Finding:
    kind = min(one.kind, other.kind, key=_RANKS.__getitem__)
    return Finding(span=(one.span[0], max(one.span[1], other.span[1])), kind=kind)


def redact(text: str, language: Language, *, kept: Sequence[Span] = (), check: Check = lambda: None) -> Redacted:
    """Hide personal data and secrets behind placeholders in the language; a text without any comes back as it is."""
    return hide(text, find_all(text, language, kept=kept, check=check), language)


def hide(text: str, findings: Sequence[Finding], language: Language) -> Redacted:
    """Put placeholders where the findings are, which stand apart and in the text's order."""
    placeholders = tuple(language_of(language).messages.placeholders[finding.kind] for finding in findings)
    parts, at = [], 0
    for finding, placeholder in zip(findings, placeholders, strict=True):
        parts += [text[at : finding.span[0]], placeholder]
        at = finding.span[1]
    longer = [
        len(placeholder) - (finding.span[1] - finding.span[0])
        for finding, placeholder in zip(findings, placeholders, strict=True)
    ]
    return Redacted(
        text="".join([*parts, text[at:]]),
        findings=tuple(findings),
        placeholders=placeholders,
        shifts=tuple(accumulate(longer[:-1], initial=0))[: len(findings)],
    )


def fitting_end(text: str, language: Language, *, max_tokens: int, marks: Sequence[Span] = ()) -> int:
    """Find the position at which a text is cut to ``max_tokens``; ``len(text)`` if all of it fits.

    After a sentence, with the white space and the ``marks`` that follow it, which stand apart and in the text's order; where not
    even the first fits, after a word. No mark is cut in two. 0 only where not even a word fits.
    """
    if count_tokens(text) <= max_tokens:
        return len(text)
    sentence_ends = [end for _, end in sentence_spans(text, language)]
    return _last_fitting(text, _after_marks(text, sentence_ends, marks), max_tokens) or _last_fitting(
        text, [match.end() for match in _WORD_END.finditer(text) if _is_free(match.end(), marks)], max_tokens
    )


def _last_fitting(text: str, ends: Sequence[int], max_tokens: int) -> int:
    """The last of the ascending ends before which there are at most so many tokens; 0 without any."""
    fitting = bisect_right(ends, max_tokens, key=lambda end: count_tokens(text[:end]))
    return ends[fitting - 1] if fitting else 0


def _after_marks(text: str, ends: Sequence[int], marks: Sequence[Span]) -> list[int]:
    """Each end, or that of the last mark behind it with nothing but white space between."""
    lasts = [end for _, end in marks]
    for at in reversed(range(len(marks) - 1)):
        if _blank_until(text, marks[at][1]) >= marks[at + 1][0]:
            lasts[at] = lasts[at + 1]
    following = [bisect_left(marks, (end, 0)) for end in ends]
    return [
        lasts[at] if at < len(marks) and _blank_until(text, end) >= marks[at][0] else end
        for end, at in zip(ends, following, strict=True)
    ]


def _blank_until(text: str, at: int) -> int:
    """Find the end of the white space that begins at ``at``."""
    blank = _WHITE_SPACE.match(text, at)
    return blank.end() if blank else at


def _is_free(position: int, marks: Sequence[Span]) -> bool:
    """Tell whether a position is within none of the marks."""
    before = bisect_left(marks, (position, 0)) - 1
    return before < 0 or marks[before][1] <= position


def _masked(text: str, kept: Sequence[Span]) -> str:
    """The text in plain digits, with line ends in place of what no finding may touch; offsets hold."""
    parts, at = [], 0
    for start, end in sorted(kept):
        parts += [text[at:start], "\n" * (end - max(start, at))]
        at = max(at, end)
    return in_plain_digits("".join([*parts, text[at:]]))
