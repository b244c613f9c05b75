"""Every citation of an answer held to its source: does the note say what is claimed, and where. Pure but for the judge.

Words alone decide unless a model is asked: a claim is supported where it quotes sentences of its source, or at most three of them
have enough of its words, all its figures and names, and deny what it denies. That finds what was made up or changed; it cannot
follow other words for the same thing, and says "not supported" there.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Protocol

from rag_core.answering.plain_text import plain_text
from rag_core.answering.sources.labels import numbers_by_label
from rag_core.answering.totals.held import evidence_of_total
from rag_core.answering.verification.citations import CLOSING, OPENING, find_marks, without_citations
from rag_core.answering.verification.claims import answer_sentences, is_claim
from rag_core.answering.verification.statements import statement_of
from rag_core.answering.verification.support import (
    LEAST_SUPPORT,
    CitedClaim,
    ReadSource,
    Support,
    jointly_needed,
    quoted_span,
    read_source,
    support_of,
)
from rag_core.answering.verification.tidying import KeptMark, mark_of, tidied, without_unfinished_mark
from rag_core.errors import ChatError
from rag_core.model.answer import CheckedCitation, CheckedText, Citation, Source
from rag_core.model.note import Language, Span

MAX_JUDGED = 50
JUDGE_TIMEOUT_SECONDS = 20.0
_PASSES = 3
_ROUND = str.maketrans(OPENING + CLOSING, "(" * len(OPENING) + ")" * len(CLOSING))
_WORD = re.compile(r"\w")


class SupportJudge(Protocol):
    """A model that says whether texts say what is claimed of them."""

    @property
    def name(self) -> str:
        """The model and the version of what it is asked."""
        ...

    def supported(self, claims: Sequence[tuple[str, str]], *, language: Language, timeout_seconds: float) -> list[bool]:
        """For each claim and the text that is cited for it, whether the text says it; all in one call.

        Raises:
            ChatError: no verdict on each of them came in time.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSources:
    """All sources of an answer, read once; see ``read_sources``. ``words`` is the content of all of them."""

    by_number: Mapping[int, ReadSource]
    labels: Mapping[str, int]
    words: frozenset[str]


def read_sources(sources: Sequence[Source]) -> ReadSources:
    """The sources, ready to have any number of sentences held to them."""
    by_number = {source.number: read_source(source) for source in sources}
    words = frozenset[str]().union(*(read.whole | read.frame for read in by_number.values()))
    return ReadSources(by_number=by_number, labels=numbers_by_label(sources), words=words)


def check_citations(text: str, sources: Sequence[Source], *, language: Language) -> CheckedText:
    """A whole answer: marks in one form, those of no source taken out, and each that stays held to what it names.

    Every number that is taken out counts once in ``removed``. '' gives an empty text.
    """
    read = read_sources(sources)
    sentences = answer_sentences(text, language)
    return joined([check_sentence(text[start:end], read, language=language) for start, end in sentences])


def check_sentence(sentence: str, read: ReadSources, *, language: Language) -> CheckedText:
    """Check one sentence of ``answer_sentences`` or ``cut_sentences``; spans are of the sentence.

    It depends on nothing before or after it, so what was said of a finished sentence never changes.
    """
    text, removed = _with_known_marks(sentence, read, language)
    citations = tuple(_checked_citations(text, read, language))
    return CheckedText(
        text=text,
        citations=citations,
        uncited=tuple(_uncited(text, [(0, len(text))], citations, language, read.words)),
        removed=removed,
    )


def joined(parts: Sequence[CheckedText]) -> CheckedText:
    """Checked sentences as the text they make; [] gives an empty one."""
    starts = list(accumulate((len(part.text) for part in parts), initial=0))
    placed = [moved(part, start) for part, start in zip(parts, starts, strict=False)]
    return CheckedText(
        text="".join(part.text for part in parts),
        citations=tuple(citation for part in placed for citation in part.citations),
        uncited=tuple(span for part in placed for span in part.uncited),
        removed=sum(part.removed for part in parts),
    )


def moved(checked: CheckedText, by: int) -> CheckedText:
    """Shift the spans of an answer, as within a longer text; evidence is of notes and stays."""
    if not by:
        return checked
    return replace(
        checked,
        citations=tuple(
            replace(citation, mark=_shifted(citation.mark, by), claim=_shifted(citation.claim, by))
            for citation in checked.citations
        ),
        uncited=tuple(_shifted(span, by) for span in checked.uncited),
    )


def judged(
    checked: CheckedText,
    sources: Sequence[Source],
    *,
    judge: SupportJudge,
    language: Language,
    timeout_seconds: float = JUDGE_TIMEOUT_SECONDS,
) -> CheckedText:
    """Replace the verdicts on the first 50 citations by a judge's; if the judge fails, nothing changes.

    A figure that stands nowhere in the source stays unsupported whatever the judge says.
    """
    read = read_sources(sources)
    asked = checked.citations[:MAX_JUDGED]
    if not asked:
        return checked
    pairs = [
        (without_citations(checked.text[slice(*one.claim)]), read.by_number[one.number].source.original)
        for one in asked
    ]
    try:
        verdicts = judge.supported(pairs, language=language, timeout_seconds=timeout_seconds)
    except ChatError:
        return checked
    revised = [
        replace(
            one, is_supported=is_said and _has_figures(claim, read.by_number[one.number], language), verified_by="judge"
        )
        for one, (claim, _), is_said in zip(asked, pairs, verdicts, strict=True)
    ]
    citations = (*revised, *checked.citations[MAX_JUDGED:])
    sentences = answer_sentences(checked.text, language)
    uncited = tuple(_uncited(checked.text, sentences, citations, language, read.words))
    return replace(checked, citations=citations, uncited=uncited)


def _with_known_marks(sentence: str, read: ReadSources, language: Language) -> tuple[str, int]:
    """The sentence with marks of existing sources alone, and how many numbers were taken out.

    Taking a mark out may make another of what stood around it, or markup ("!([9])[a]"), which is taken out again. After three times
    what still looks like a mark gets round brackets.
    """
    text, removed = sentence, 0
    for _ in range(_PASSES):
        marks = [
            (mark, tuple(number for number in mark.numbers if number in read.by_number))
            for mark, _ in find_marks(text, read.labels)
        ]
        if all(text[slice(*mark.span)] == mark_of(kept) for mark, kept in marks):
            return without_unfinished_mark(text), removed
        removed += sum(
            max(1, len(mark.numbers)) - len(kept) for mark, kept in marks if mark.numbers != kept or not kept
        )
        text = plain_text(tidied(text, [KeptMark(span=mark.span, numbers=kept) for mark, kept in marks], language))
    return without_unfinished_mark(_defused(text, read)), removed


def _defused(text: str, read: ReadSources) -> str:
    pieces, end = [], 0
    for mark, _ in find_marks(text, read.labels):
        start, after = mark.span
        shown = text[start:after]
        is_known = shown == mark_of(mark.numbers) and all(number in read.by_number for number in mark.numbers)
        pieces += [text[end:start], shown if is_known else shown.translate(_ROUND)]
        end = after
    return "".join([*pieces, text[end:]])


def _checked_citations(text: str, read: ReadSources, language: Language) -> Iterator[CheckedCitation]:
    groups = _grouped(text, [mark for mark, _ in find_marks(text, read.labels)])
    for group, claim in zip(groups, _claims(text, groups, read, language), strict=True):
        yield from _checked_group(text, group, claim, read, language)


def _grouped(text: str, marks: Sequence[Citation]) -> list[list[Citation]]:
    """Marks without a word between them, together: they are cited for the same."""
    groups: list[list[Citation]] = []
    for mark in marks:
        if groups and not _WORD.search(text, groups[-1][-1].span[1], mark.span[0]):
            groups[-1].append(mark)
        else:
            groups.append([mark])
    return groups


def _claims(text: str, groups: Sequence[Sequence[Citation]], read: ReadSources, language: Language) -> Iterator[Span]:
    """For each group of marks what it is cited for: what stands between the marks before it and itself.

    What follows the last belongs to it where it claims nothing of its own or the group's sources say it as well. Where a sentence
    begins with a mark, each is cited for what follows it.
    """
    edges = [0, *(edge for group in groups for edge in (group[0].span[0], group[-1].span[1])), len(text)]
    stretches = list(zip(edges[::2], edges[1::2], strict=True))
    is_leading = statement_of(text[slice(*stretches[0])], language, is_claim=True).is_empty
    for at, group in enumerate(groups):
        start, end = stretches[at + (is_leading and len(groups) > 1)]
        if at == len(groups) - 1 and (is_leading or _holds_tail(text, start, group, read, language)):
            end = len(text)
        yield _trimmed(text, (start, end))


def _holds_tail(text: str, start: int, group: Sequence[Citation], read: ReadSources, language: Language) -> bool:
    """Test whether what follows a sentence's last marks claims nothing, or is held with the rest by what they name."""
    tail = text[group[-1].span[1] :]
    if not is_claim(tail, language, known=read.words):
        return True
    whole, after = CitedClaim(text[start:], language), CitedClaim(tail, language)
    supports = _supports(whole, group, read)
    needed = jointly_needed(whole, list(supports.values()))
    holding = [number for at, (number, support) in enumerate(supports.items()) if support.is_enough or at in needed]
    return any(
        len(stated.content & supports[number].covered) > LEAST_SUPPORT * len(stated.content)
        for number in holding
        for stated in [after.read_in(read.by_number[number].source.language)]
    )


def _supports(claim: CitedClaim, group: Sequence[Citation], read: ReadSources) -> dict[int, Support]:
    numbers = dict.fromkeys(number for mark in group for number in mark.numbers)
    rows = evidence_of_total(claim.text, [read.by_number[number].source for number in numbers])
    return {number: _support(claim, read.by_number[number], rows.get(number, ())) for number in numbers}


def _support(claim: CitedClaim, read: ReadSource, rows: tuple[Span, ...]) -> Support:
    """The support of a claim; that of a sum by the rows that are its terms, that of a quotation by its place."""
    found = support_of(claim, read)
    quoted = None if rows or found.is_enough else quoted_span(claim.text, read)
    parts = (quoted,) if quoted else rows
    if not parts:
        return found
    return replace(
        found,
        span=(parts[0][0], parts[-1][1]),
        parts=parts,
        share=1.0,
        is_consistent=True,
        is_contradicted=False,
        least_share=LEAST_SUPPORT,
    )


def _checked_group(
    text: str, group: Sequence[Citation], claim: Span, read: ReadSources, language: Language
) -> Iterator[CheckedCitation]:
    """Number by number; several together may hold what none holds alone."""
    claimed = CitedClaim(text[slice(*claim)], language)
    supports = _supports(claimed, group, read)
    needed = jointly_needed(claimed, list(supports.values()))
    joint = {number for at, number in enumerate(supports) if at in needed}
    for mark in group:
        for number in mark.numbers:
            yield from _citations(
                read.by_number[number].source, mark.span, claim, supports[number], is_joint=number in joint
            )


def _citations(
    source: Source, mark: Span, claim: Span, support: Support, *, is_joint: bool
) -> Iterator[CheckedCitation]:
    """A citation of each part of the evidence."""
    for span in support.parts or (support.span,):
        start, end = _trimmed(source.original, span) if span else (0, 0)
        yield CheckedCitation(
            number=source.number,
            mark=mark,
            claim=claim,
            evidence=(source.start_char + start, source.start_char + end) if span else None,
            quote=source.original[start:end],
            support=support.share,
            is_supported=support.is_enough or is_joint,
            verified_by="lexical",
        )


def _uncited(
    text: str,
    sentences: Iterable[Span],
    citations: Sequence[CheckedCitation],
    language: Language,
    known: frozenset[str],
) -> Iterator[Span]:
    """The sentences that claim something and hold no mark of a source that says it, and claims behind the last mark of the others."""
    marks = sorted({(one.mark, one.claim, one.is_supported) for one in citations})
    starts = [mark[0] for mark, _, _ in marks]
    for start, end in sentences:
        own = marks[bisect_left(starts, start) : bisect_left(starts, end)]
        is_held = any(is_supported for _, _, is_supported in own)
        begin = max([edge for mark, claim, _ in own for edge in (mark[1], claim[1])]) if is_held else start
        if is_claim(text[begin:end], language, known=known):
            yield _trimmed(text, (begin, end))


def _has_figures(claim: str, read: ReadSource, language: Language) -> bool:
    return statement_of(claim, language, is_claim=True).figures <= read.whole | read.frame


def _trimmed(text: str, span: Span) -> Span:
    shown = text[slice(*span)]
    start = span[0] + len(shown) - len(shown.lstrip())
    return start, start + len(shown.strip())


def _shifted(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by
