"""Support of a claim by the words of a source, and the sentences that hold it. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rag_core.answering.quoting.markup import without_markup
from rag_core.answering.verification.citations import without_citations
from rag_core.answering.verification.statements import MONTHS, WEEKDAYS, Statement, statement_of
from rag_core.chunking import sentence_spans
from rag_core.language.content_words import function_stems, is_number
from rag_core.language.quantities import KINDS_OF_UNITS, PARTS_OF_ONE
from rag_core.model.answer import Source
from rag_core.model.note import Language, Span

LEAST_SUPPORT = 0.5
"""Least share of a claim's content in a sentence that is evidence for it."""
LEAST_MORE_A_SENTENCE = 0.2
"""And so much more for each further sentence: two that share half of a claim between them seldom say it."""
LEAST_NEAR = 0.3
"""Sentences with less of it are no evidence to show."""
LEAST_ANCHORS = 2
"""Number of figures and names that must agree for a claim in another language than its source."""
MOST_ACROSS_LANGUAGES = 0.5
"""The support of such a claim at best."""
MAX_EVIDENCE_SENTENCES = 3
_WORD = re.compile(r"[-\u2212+<>](?=\d)|\d+(?:[.,]\d+)*|[%€$£]|[^\W\d_]+")
"""A word, or a number with its decimals, its sign and its unit: a quotation changes none of them."""


@dataclass(frozen=True, slots=True)
class CitedClaim:
    """A cited sentence of an answer; its words are read by each language's rules once."""

    text: str
    language: Language
    _read: dict[Language, Statement] = field(default_factory=dict, compare=False)

    def read_in(self, language: Language) -> Statement:
        """Its words as those of a text of that language."""
        if language not in self._read:
            self._read[language] = statement_of(self.text, language, is_claim=True)
        return self._read[language]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSource:
    """A source as claims are held to it: its sentences, all their content, and what title and date add to each.

    ``dated`` is the day, the month and the year of its date.
    """

    source: Source
    sentences: tuple[tuple[Span, Statement], ...]
    whole: frozenset[str]
    frame: frozenset[str]
    dated: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The support of a claim: ``share`` of its content in [0, 1] stands in the sentences of ``span`` in the source's original.

    ``is_consistent`` is whether every figure, its unit and every name is there, and nothing ``is_contradicted``: denied in one and
    not in the other, counted by other figures, or of another unit, month or day of the week. ``parts`` are the stretches of the span
    that hold it, where what is between them does not.
    """

    span: Span | None
    covered: frozenset[str]
    share: float
    is_consistent: bool
    is_contradicted: bool
    least_share: float = LEAST_SUPPORT
    parts: tuple[Span, ...] = ()

    @property
    def is_enough(self) -> bool:
        """True if the source says what is claimed."""
        return self.span is not None and self.is_consistent and self.share >= self.least_share


NO_SUPPORT = Support(span=None, covered=frozenset(), share=0.0, is_consistent=False, is_contradicted=False)


def read_source(source: Source) -> ReadSource:
    """A source, ready to have any number of claims held to it."""
    sentences = tuple(
        (span, statement_of(source.original[slice(*span)], source.language, has_weekdays_of_dates=True))
        for span in sentence_spans(source.original, source.language)
    )
    date = source.day or ""
    frame = statement_of(f"{source.title or ''}\n{date}", source.language)
    return ReadSource(
        source=source,
        sentences=sentences,
        whole=frozenset[str]().union(*(statement.content for _, statement in sentences)),
        frame=frame.content,
        dated=statement_of(date, source.language).figures,
    )


def support_of(claim: CitedClaim, read: ReadSource) -> Support:
    """The at most three sentences in a row that hold most of a claim, the fewest of those as good; none near gives no span.

    share = words of the claim's content that stand in them, in the title or in the date / all. Names may stand anywhere in the
    source. A claim in another language than the source is held to it by figures and names alone, and its share is at most 0.5.
    """
    quoted = _best_support(claim.read_in(read.source.language), read)
    if claim.language == read.source.language or quoted.is_enough:
        return quoted
    names = claim.read_in(read.source.language).names - function_stems(claim.language)
    stated = claim.read_in(claim.language)
    return _support_across(stated.figures | names, stated.units, read)


def quoted_span(text: str, read: ReadSource) -> Span | None:
    """The whole sentences of a source that a text is, word for word, such as a heading and what stands below it."""
    said = _words(text)
    sentences = [(span, _words(read.source.original[slice(*span)])) for span, _ in read.sentences]
    for first, ((start, _), begun) in enumerate(sentences):
        at = 0
        for (_, end), words in sentences[first:] if begun else ():
            if said[at : at + len(words)] != words:
                break
            at += len(words)
            if at == len(said):
                return start, end
    return None


def jointly_needed(claim: CitedClaim, supports: Sequence[Support]) -> frozenset[int]:
    """The places of those that hold together what none of them holds alone, and without which the others do not."""
    if len(supports) < 2 or any(support.is_enough for support in supports):
        return frozenset()
    stated = claim.read_in(claim.language)
    if not _is_covered(stated, supports):
        return frozenset()
    return frozenset(
        at for at in range(len(supports)) if not _is_covered(stated, [*supports[:at], *supports[at + 1 :]])
    )


def _is_covered(claim: Statement, supports: Sequence[Support]) -> bool:
    near = [support for support in supports if support.span is not None]
    covered = frozenset[str]().union(*(support.covered for support in near))
    return (
        not any(support.is_contradicted for support in near)
        and claim.figures | claim.names | claim.units <= covered
        and len(covered & claim.content) >= LEAST_SUPPORT * len(claim.content)
    )


def _best_support(claim: Statement, read: ReadSource) -> Support:
    if claim.is_empty:
        return NO_SUPPORT
    framed = claim.content & read.frame
    words = claim.content - claim.figures - claim.names or claim.content
    held = [claim.content & statement.content for _, statement in read.sentences]
    windows = [
        (first, last)
        for first, shared in enumerate(held)
        if shared
        for last in range(first + 1, min(first + MAX_EVIDENCE_SENTENCES, len(held)) + 1)
        if held[last - 1]
    ]
    # By plain words first: a neighbour that has nothing but the figure is not where it is said.
    ranked = [
        (len(words & covered) / len(words) - support.least_share, support.is_consistent, support.share, support)
        for first, last in windows
        for covered in [framed.union(*held[first:last])]
        for support in [_window_support(claim, read, (first, last), covered)]
    ]
    best = max(ranked, key=lambda one: one[:3], default=(0.0, False, 0.0, NO_SUPPORT))[3]
    return best if best.share >= LEAST_NEAR else replace(best, span=None)


def _window_support(claim: Statement, read: ReadSource, window: tuple[int, int], covered: frozenset[str]) -> Support:
    sentences = read.sentences[slice(*window)]
    named = claim.names & read.frame
    is_missing_denial = _denies(claim.polarity) and not any(_denies(said.polarity) for _, said in sentences)
    is_contradicted = (
        _is_denied(claim, [statement.polarity for _, statement in sentences])
        or _is_miscounted(claim, [statement.counted for _, statement in sentences])
        or _is_of_another(claim, [statement for _, statement in sentences], dated=read.dated)
    )
    return Support(
        span=(sentences[0][0][0], sentences[-1][0][1]),
        covered=covered | named,
        share=len(covered) / len(claim.content),
        is_consistent=not is_contradicted
        and not is_missing_denial
        and claim.figures | claim.units <= covered
        and claim.names <= covered | named,
        is_contradicted=is_contradicted,
        least_share=LEAST_SUPPORT + LEAST_MORE_A_SENTENCE * (len(sentences) - 1),
    )


def _is_denied(claim: Statement, evidence: Iterable[Mapping[str, frozenset[bool]]]) -> bool:
    """Test whether a word that both have is denied in one and not in the other."""
    said: dict[str, set[bool]] = {}
    for polarity in evidence:
        for token, values in polarity.items():
            said.setdefault(token, set()).update(values)
    return any(token in said and not values & said[token] for token, values in claim.polarity.items())


def _denies(polarity: Mapping[str, frozenset[bool]]) -> bool:
    return any(True in values for values in polarity.values())


def _is_miscounted(claim: Statement, evidence: Sequence[Mapping[str, frozenset[str]]]) -> bool:
    """Test whether both count the same thing, and by no figure in common."""
    for token, figures in claim.counted.items():
        counted = frozenset[str]().union(*(said.get(token, frozenset()) for said in evidence))
        if counted and not figures & counted:
            return True
    return False


def _is_of_another(claim: Statement, evidence: Sequence[Statement], *, dated: frozenset[str]) -> bool:
    """Test whether a unit, month or day of the week is claimed that is not said, and another of its kind is said that is not claimed.

    A month that only the note's date tells does not stand for the one that its sentence names, but in the date as a whole.
    """
    content = frozenset[str]().union(*(said.content for said in evidence))
    claimed, said = claim.content - content, content - claim.content
    if dated <= claim.content and any(
        frozenset() < claim.counted.get(one, frozenset()) <= dated for one in dated & MONTHS
    ):
        claimed -= dated
    return any(kind & claimed and kind & said for kind in (MONTHS, WEEKDAYS)) or any(
        _is_other_measure(one, claim, other, evidence)
        for kind in KINDS_OF_UNITS
        for one in kind & claimed
        for other in kind & said
    )


def _is_other_measure(one: str, claim: Statement, other: str, evidence: Sequence[Statement]) -> bool:
    """Test whether a unit that is claimed measures something else than the one that is said.

    A word beside no figure, such as "ese año", is no other measure than "60 minutos", and "una hora" is the same.
    """
    is_measured = any(other in said.units | said.ones for said in evidence)
    figures = frozenset[str]().union(*(said.counted.get(other, frozenset()) for said in evidence))
    is_same = one in claim.ones and PARTS_OF_ONE.get((one, other)) in figures
    return (one in claim.units | claim.ones) == is_measured and not is_same


def _support_across(anchors: frozenset[str], units: frozenset[str], read: ReadSource) -> Support:
    if len(anchors) < LEAST_ANCHORS:
        return NO_SUPPORT
    figures = frozenset(anchor for anchor in anchors if is_number(anchor))
    claim = Statement(
        content=anchors | units, figures=figures, names=anchors - figures, polarity={}, counted={}, units=units
    )
    found = _best_support(claim, read)
    return replace(found, share=MOST_ACROSS_LANGUAGES * found.share, least_share=MOST_ACROSS_LANGUAGES)


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    """The words of a text without marks of citations and of Markdown."""
    return tuple(_WORD.findall(without_markup(without_citations(text)).casefold()))
