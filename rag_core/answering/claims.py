"""What a sentence claims, as it is held to a source: words by weight, figures, names, and what is denied. Pure.

Also how an answer is cut into sentences for that: a mark behind a full stop belongs to the sentence before it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from rag_core.answering.citations import CLOSING, LONGEST_MARK, OPENING, parse_citations, without_citations
from rag_core.answering.refusals import admits_ignorance
from rag_core.answering.words import clauses_of, content_of, function_stems, is_number, negation_stems, tokens_of
from rag_core.chunking import sentence_spans
from rag_core.language.citing import ASIDES, NAME_OPENERS, NAMING_WORDS, NO_NEGATIONS
from rag_core.language.times import TIME_WORDINGS
from rag_core.model import Language, Span

LEAST_TAIL_CHARACTERS = 16
"""So much of the next sentence must be there before the one before it is taken for finished."""
_OPEN_MARK = re.compile(rf"[{re.escape(OPENING)}][^\n{re.escape(OPENING + CLOSING)}]{{0,{LONGEST_MARK}}}\Z")
_DOUBTFUL_WORDS = 2
_MONTH = "month"
_LONG_SENTENCE_CHARACTERS = 2_000
_BEGUN_MARK = re.compile(rf"\s*[{re.escape(OPENING)}][^\n{re.escape(OPENING + CLOSING)}]{{0,{LONGEST_MARK}}}\Z")
_SENTENCE_END = re.compile(r"[.!?…:\n]")
_LIST_NUMBER = re.compile(r"^\s*\d{1,3}[.)]\s+", re.MULTILINE)
_HEADING = re.compile(r"\s*#{1,6}\s[^\n]*\s*|\s*(\*\*|__)[^\n]+\1\s*")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")  # noqa: RUF001
_ISO_DATE = re.compile(r"(?<![\w-])(\d{4})-(0[1-9]|1[0-2])-([0-3]\d)(?![\d-])")
_POINTED_DATE = re.compile(r"(?<![\w./])([0-3]?\d)([./])(0?[1-9]|1[0-2])\2(\d{4})(?![\w/])")
_MAY = re.compile(r"(?<=\d )May\b|\bMay(?= \d)")
_SENTENCE_OPENING = re.compile(r"(?:^|[.!?…:;\n])[\s\"'«“„(¿¡*_\[-]*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The words of a sentence or a clause: content as stems, those of it that are figures or names, and how they hang together.

    ``polarity`` holds for a content word whether it stands under a negation (True), not (False), or both in the text.
    ``counted`` holds for a word the figures right before it ("142 euros"), and for a month the year behind it.
    """

    content: frozenset[str]
    figures: frozenset[str]
    names: frozenset[str]
    polarity: Mapping[str, frozenset[bool]]
    counted: Mapping[str, frozenset[str]]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to hold to a source."""
        return not self.content


def statement_of(text: str, language: Language, *, is_claim: bool = False) -> Statement:
    """Read a text. Of a claim, words that speak of the source ("según la nota") are left out. '' gives an empty one.

    Figures are numbers in one form, written in digits or words up to twenty, and months; a date is its day, month and year.
    """
    dated = _with_month_names(_LIST_NUMBER.sub("", without_citations(text)), language)
    clauses = _clauses(dated, language)
    left_out = function_stems(language) | (_stems(NAMING_WORDS[language], language) if is_claim else frozenset())
    content = frozenset(token for clause in clauses for token in clause) - left_out
    denying = NO_NEGATIONS[language].sub(" ", dated)
    return Statement(
        content=content,
        figures=frozenset(token for token in content if is_number(token)),
        names=frozenset(_names(dated, language)) & content,
        polarity=_polarity(clauses if denying == dated else _clauses(denying, language), content, language),
        counted=_counted(clauses, content),
    )


def answer_sentences(text: str, language: Language) -> list[Span]:
    """The sentences of an answer as spans that tile it; marks that follow a full stop on its line are with their sentence.

    No boundary stands in a mark or in anything that could become one. '' gives [].
    """
    if not text:
        return []
    marks = dict(citation.span for citation in parse_citations(text, ()))
    marked_until = {end: start for start, end in marks.items()}
    starts = [start for start, _ in sentence_spans(text, language)[1:] if not _is_within_mark(text, start)]
    bounds = sorted({_with_its_marks(text, start, marks, marked_until) for start in starts} - {len(text)})
    return list(pairwise([0, *bounds, len(text)]))


def cut_sentences(bits: Iterable[str], language: Language) -> Iterator[str]:
    """The sentences of a text that comes bit by bit, each as soon as it is finished; joined they are the text.

    What was given never changes, whatever comes after: a sentence is kept back until the next has begun beyond any mark.
    """
    pending, has_end, next_look = "", False, 0
    for bit in bits:
        pending += bit
        has_end = has_end or _SENTENCE_END.search(bit) is not None
        if not has_end or len(pending) < next_look:
            continue
        finished = _finished(pending, language)
        yield from (pending[start:end] for start, end in finished)
        if finished:
            pending = pending[finished[-1][1] :]
            has_end = _SENTENCE_END.search(pending) is not None
        # A text without an end is not read again with every bit.
        next_look = len(pending) + len(pending) // (8 if len(pending) < _LONG_SENTENCE_CHARACTERS else 1)
    yield from (pending[start:end] for start, end in answer_sentences(pending, language))


def is_claim(sentence: str, language: Language) -> bool:
    """Whether a sentence states what a note could hold: no question, heading, greeting, announcement, offer or refusal."""
    bare = without_citations(sentence).strip()
    if bare.rstrip("*_ ").endswith(("?", ":")) or _HEADING.fullmatch(bare):
        return False
    if ASIDES[language].fullmatch(bare) or admits_ignorance(bare, language):
        return False
    return not content_of(bare, language) <= _stems(NAMING_WORDS[language], language)


def _finished(pending: str, language: Language) -> list[Span]:
    """All sentences but the last; and but the one before it, while too little follows to say that it has ended."""
    spans = answer_sentences(pending, language)
    tail = pending[spans[-1][0] :]
    is_settled = len(without_citations(tail).strip()) >= LEAST_TAIL_CHARACTERS and not _BEGUN_MARK.match(tail)
    return spans[: -1 if is_settled else -2]


def _with_its_marks(text: str, start: int, marks: Mapping[int, int], marked_until: Mapping[int, int]) -> int:
    """A boundary moved behind the marks that follow it, or before those that begin the line of what follows."""
    before = start
    while (end := _before_blanks(text, before)) in marked_until:
        before = marked_until[end]
    if before < start and _begins_line(text, before):
        return before
    if _begins_line(text, start):
        return start
    at = _after_blanks(text, start)
    if at not in marks:
        return start
    while at in marks:
        at = _after_blanks(text, marks[at])
    return at


def _begins_line(text: str, at: int) -> bool:
    line_end = text.rfind("\n", max(0, at - LONGEST_MARK), at)
    return line_end >= 0 and not text[line_end:at].strip()


def _before_blanks(text: str, at: int) -> int:
    while at > 0 and text[at - 1].isspace() and text[at - 1] != "\n":
        at -= 1
    return at


def _after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _is_within_mark(text: str, start: int) -> bool:
    return _OPEN_MARK.search(text, max(0, start - LONGEST_MARK), start) is not None


def _with_month_names(text: str, language: Language) -> str:
    """The text with its dates as day, name of the month and year, so that "3.5.2025" is no 5."""

    def named(day: str, month: str, year: str) -> str:
        return f"{day} {_month_names(language)[int(month)]} {year}"

    text = _MAY.sub(_month_names("es")[5], text) if language == "en" else text
    text = _ISO_DATE.sub(lambda match: named(match[3], match[2], match[1]), text)
    return text if language == "en" else _POINTED_DATE.sub(lambda match: named(match[1], match[3], match[4]), text)


@cache
def _month_names(language: Language) -> Mapping[int, str]:
    names = {month: name for name, month in reversed(list(TIME_WORDINGS[language].months.items()))}
    return names | {5: "mayo"} if language == "en" else names


@cache
def _figures_in_words(language: Language) -> Mapping[str, str]:
    """Months as "month5" and numbers from two as "2", by their stems; "may" is a verb as well."""
    wording = TIME_WORDINGS[language]
    months = {name: f"{_MONTH}{month}" for name, month in wording.months.items() if name != "may"}
    numbers = {name: str(number) for name, number in wording.numbers.items() if number > 1 and name != "par"}
    named = {"mayo": f"{_MONTH}5"} | months | numbers
    return {tokens_of(name, language)[0]: figure for name, figure in named.items()}


def _figure(token: str, language: Language) -> str:
    return _figures_in_words(language).get(token, token)


@cache
def _stems(words: frozenset[str], language: Language) -> frozenset[str]:
    return frozenset(token for word in words for token in tokens_of(word, language))


def _names(text: str, language: Language) -> Iterator[str]:
    """The tokens of words that a capital shows to be names: not one that opens a sentence, unless another follows it."""
    words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]
    for at, (word, start, _) in enumerate(words):
        before = words[at - 1] if at else ("", 0, 0)
        after = words[at + 1] if at + 1 < len(words) else ("", 0, 0)
        beside = _is_name_like(before[0]) and text[before[2] : start].strip() in {"", "-"}
        beside |= _is_name_like(after[0]) and text[words[at][2] : after[1]].strip() in {"", "-"}
        is_name = (
            beside or before[0] in NAME_OPENERS[language]
            if language == "de"
            else (beside or not _SENTENCE_OPENING.search(text, max(0, start - 8), start))
        )
        if _is_name_like(word) and is_name:
            yield from (_figure(token, language) for token in tokens_of(word, language))


def _is_name_like(word: str) -> bool:
    return len(word) > 1 and word[0].isupper()


def _clauses(text: str, language: Language) -> list[list[str]]:
    return [[_figure(token, language) for token in clause] for clause in clauses_of(text, language)]


def _polarity(clauses: list[list[str]], content: frozenset[str], language: Language) -> dict[str, frozenset[bool]]:
    """A negation denies the next word of content in its clause, and perhaps the two after it; without any, the last before it.

    In German it denies the clause: "zahlt die Rechnung nicht" is "zahlt nicht".
    """
    found: dict[str, set[bool]] = {}
    for clause in clauses:
        places = [at for at, token in enumerate(clause) if token in content]
        denied, doubtful = set[int](), set[int]()
        for at, token in enumerate(clause):
            if token in negation_stems(language) and places:
                after = bisect_right(places, at)
                denied.update(places if language == "de" else ())
                denied.add(places[min(after, len(places) - 1)])
                doubtful.update(places[after + 1 : after + 1 + _DOUBTFUL_WORDS])
        for place in places:
            values = {True} if place in denied else ({True, False} if place in doubtful else {False})
            found.setdefault(clause[place], set()).update(values)
    return {token: frozenset(values) for token, values in found.items()}


def _counted(clauses: list[list[str]], content: frozenset[str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for clause in clauses:
        for one, other in pairwise([token for token in clause if token in content]):
            if is_number(one) and not (one.startswith(_MONTH) and is_number(other)):
                found.setdefault(other, set()).add(one)
            elif one.startswith(_MONTH) and is_number(other):
                found.setdefault(one, set()).add(other)
    return {token: frozenset(figures) for token, figures in found.items()}
