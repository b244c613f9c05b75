"""Causal statements by rules: cues between, before or around their two sides, sentence by sentence. Pure.

A side is the clause or noun phrase beside the cue, within its sentence, up to a comma or another cue, without what
stands around it (articles, "al final", "ayer"). A side that only points back ("Eso provocó …", "Por eso …") is what
the sentence before led to, or that sentence itself, if it stands in the same paragraph and is short. Questions and
suppositions state nothing; what is denied is left out; what is hedged counts less.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from rag_core.graph.entities import Phrase, phrase
from rag_core.graph.statements import CausalStatement, Extraction
from rag_core.language.causality import CAUSALITY, CausalCue, CausalLanguage
from rag_core.model import Language, Span

RULES_FINGERPRINT = "rules-1"
"""To be raised with any change of what the rules read: stored graphs are then stale."""

MAX_SIDE_WORDS = 14
MAX_SENTENCE_CHARACTERS = 1_000
HEDGED = 0.7
POINTED_BACK = 0.8

_BREAK = re.compile(r"[,;:()\[\]|]|\s[—\u2013-]\s|\.\.\.|…|!|\n")
_EDGE = " \t\r\n\u00a0,;:.!?¡¿()[]«»\"'“”\u2018\u2019*_#>|—\u2013-…•·"


@dataclass(frozen=True, slots=True)
class _Grammar:
    """A language's patterns, compiled."""

    cues: tuple[tuple[CausalCue, re.Pattern[str]], ...]
    denied: re.Pattern[str]
    supposed: re.Pattern[str]
    hedge: re.Pattern[str]
    nothing: re.Pattern[str]
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    pointer: re.Pattern[str]
    relative_start: re.Pattern[str]
    adjunct: re.Pattern[str]
    joining: re.Pattern[str]
    joined: re.Pattern[str]
    subordinator: re.Pattern[str]
    reporting: re.Pattern[str]
    lead: re.Pattern[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """A text with the language it is read by."""

    text: str
    language: Language
    grammar: _Grammar


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A cue found in a sentence; positions are the sentence's."""

    cue: CausalCue
    start: int
    end: int
    cause: Span | None = None
    effect: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence as its neighbours' cues see it."""

    span: Span
    text: str
    is_statement: bool
    previous: Span | None
    """What a word that points back in this sentence means; None when that is not safe to say."""
    before: Span


def extract_causal_relations(text: str, *, language: Language, sentences: Sequence[Span]) -> list[CausalStatement]:
    """Read the causal statements of a text, in its order; no sentences give [].

    Each side's words are ``text[start:end]`` of its span. No statement has the same words on both sides.
    """
    page = _Page(text=text, language=language, grammar=_grammar(language))
    found: list[CausalStatement] = []
    previous: _Sentence | None = None
    for span in sentences:
        sentence = _sentence(page, span, previous, found)
        if sentence.is_statement:
            found += _statements(page, sentence)
        previous = sentence
    return found


class RuleExtractor:
    """The rules as an extractor; needs no model."""

    fingerprint = RULES_FINGERPRINT

    def extract(self, text: str, *, language: Language, sentences: Sequence[Span]) -> Extraction:
        """The statements that the rules read."""
        statements = extract_causal_relations(text, language=language, sentences=sentences)
        return Extraction(statements=tuple(statements), fingerprint=self.fingerprint)


def _sentence(
    page: _Page,
    span: Span,
    previous: _Sentence | None,
    found: Sequence[CausalStatement],
) -> _Sentence:
    start, end = _trimmed_spaces(page.text, span)
    own = page.text[start:end]
    is_statement = 0 < len(own) <= MAX_SENTENCE_CHARACTERS and "?" not in own and not page.grammar.supposed.search(own)
    before = previous.span if previous is not None else (start, start)
    reference = None
    if previous is not None and is_statement and "\n" not in page.text[before[1] : start]:
        reference = _pointed_at(page, previous, found)
    return _Sentence(span=(start, end), text=own, is_statement=is_statement, previous=reference, before=before)


def _pointed_at(page: _Page, previous: _Sentence, found: Sequence[CausalStatement]) -> Span | None:
    """What the sentence before led to; else that sentence, if it is short enough to be one thing."""
    if not previous.is_statement:
        return None
    if found and found[-1].evidence[1] == previous.span[1]:
        return found[-1].effect
    side = _side(page, previous.span)
    return side if side is not None and side[1] - side[0] >= _last_clause_characters(previous.text) else None


def _last_clause_characters(sentence: str) -> int:
    """How long a side must be to stand for the whole sentence: half of it."""
    return len(sentence) // 2


def _statements(page: _Page, sentence: _Sentence) -> Iterator[CausalStatement]:
    cues = _found_cues(sentence.text, page.grammar)
    for at, found in enumerate(cues):
        if _is_denied(sentence.text, found, page.grammar):
            continue
        before, after = _rooms(sentence, cues, at, page.grammar)
        sides = _sides(page, sentence, found, before, after)
        statement = None if sides is None else _statement(page, sentence, found, sides)
        if statement is not None:
            yield statement


def _rooms(sentence: _Sentence, cues: Sequence[_Found], at: int, grammar: _Grammar) -> tuple[Span, Span]:
    """Where the two sides of a cue may stand: up to its neighbours.

    What comes before a further reason ("X porque A y porque B") is what came before the first one.
    """
    first = at
    while first and _continues(sentence.text, cues[first - 1], cues[first], grammar):
        first -= 1
    low = cues[first - 1].end if first else 0
    high = cues[at + 1].start if at + 1 < len(cues) else len(sentence.text)
    offset = sentence.span[0]
    return _shifted((low, cues[first].start), offset), _shifted((cues[at].end, high), offset)


def _continues(sentence: str, last: _Found, found: _Found, grammar: _Grammar) -> bool:
    """Whether a cue gives a further reason for what the last one gave a reason for."""
    both = last.cue.order == found.cue.order == "effect_first"
    return both and grammar.joined.search(sentence, last.end, found.start) is not None


def _found_cues(sentence: str, grammar: _Grammar) -> list[_Found]:
    """The cues of a sentence in order; where two overlap, the one named first in the language stays."""
    taken: list[_Found] = []
    for cue, pattern in grammar.cues:
        for match in pattern.finditer(sentence):
            if cue.order == "fronted_cause" and not grammar.lead.fullmatch(sentence, 0, match.start()):
                continue
            if all(match.end() <= other.start or other.end <= match.start() for other in taken):
                taken.append(_found(cue, match))
    return sorted(taken, key=lambda one: one.start)


def _found(cue: CausalCue, match: re.Match[str]) -> _Found:
    if cue.order != "framed":
        return _Found(cue=cue, start=match.start(), end=match.end())
    return _Found(cue=cue, start=match.start(), end=match.end(), cause=match.span("cause"), effect=match.span("effect"))


def _is_denied(sentence: str, found: _Found, grammar: _Grammar) -> bool:
    if grammar.denied.search(sentence, 0, found.start):
        return True
    return found.cue.order == "cause_verb" and not found.cue.takes_clause and _is_nothing(sentence, found.end, grammar)


def _is_nothing(text: str, start: int, grammar: _Grammar) -> bool:
    return grammar.nothing.match(text, start) is not None


_Sides = tuple[Span, Span, bool]
"""Cause, effect, and whether one of them was only pointed at."""


def _sides(page: _Page, sentence: _Sentence, found: _Found, before: Span, after: Span) -> _Sides | None:
    if found.cause is not None and found.effect is not None:
        offset = sentence.span[0]
        cause = _side(page, _shifted(found.cause, offset))
        effect = _side(page, _shifted(found.effect, offset))
        return (cause, effect, False) if cause and effect else None
    order = found.cue.order
    is_verb = order in {"cause_verb", "effect_verb"}
    if order == "fronted_cause":
        return _fronted(page, after)
    left = _left(page, before, is_phrase=is_verb)
    if left is None and order == "effect_first" and found.cue.can_open:
        return _fronted(page, after)
    is_pointed = left is None and before[0] == sentence.span[0] and _points_back(page.text, before, page.grammar)
    left = sentence.previous if is_pointed else left
    right = _right(page, after, is_phrase=is_verb and not found.cue.takes_clause)
    if left is None or right is None:
        return None
    return (left, right, is_pointed) if order in {"cause_verb", "cause_first"} else (right, left, is_pointed)


def _points_back(text: str, before: Span, grammar: _Grammar) -> bool:
    """Whether nothing stands before the cue but a word like "eso"."""
    own = text[slice(*_trimmed(text, before, grammar))]
    return not own or grammar.pointer.fullmatch(own) is not None


def _shifted(span: Span, offset: int) -> Span:
    return span[0] + offset, span[1] + offset


def _fronted(page: _Page, room: Span) -> _Sides | None:
    """The cause up to the first comma, the effect after it: "Como X, Y"."""
    segments = _segments(page.text, room)
    if len(segments) < 2:
        return None
    cause = _side(page, segments[0])
    effect = _right(page, (segments[1][0], room[1]), is_phrase=False)
    return (cause, effect, False) if cause and effect else None


def _left(page: _Page, room: Span, *, is_phrase: bool) -> Span | None:
    """The nearest words before a cue that are about something.

    Before a verb a segment that only qualifies the one before it is passed over ("X, que no cesa, provoca"); before a
    connector one that says too little alone takes that one with it ("El portátil, seco, porque").
    """
    segments = _segments(page.text, room)
    end = room[1]
    for at in range(len(segments) - 1, -1, -1):
        start = next(
            (m.end() for m in reversed(list(page.grammar.reporting.finditer(page.text, *segments[at])))),
            segments[at][0],
        )
        opens = _trimmed_edges(page.text, (start, end))
        has_more = start == segments[at][0] and at > 0 and _are_joined(page.text, segments[at - 1], segments[at])
        if is_phrase and has_more and page.grammar.relative_start.match(page.text, *opens):
            end = segments[at - 1][1]
            continue
        side = _side(page, (start, end), keep="end")
        if side is None:
            end = segments[at - 1][1] if has_more else end
        elif is_phrase or not has_more or not (_is_slight(page, side) or page.grammar.adjunct.match(page.text, *opens)):
            return None if _is_slight(page, side) and not is_phrase else side
        if not has_more:
            return None
    return None


def _is_slight(page: _Page, side: Span) -> bool:
    """Whether a clause says too little to be known by: "lo apunto", "negra"."""
    return len(_phrase(page, side).stems) < 2


def _phrase(page: _Page, side: Span) -> Phrase:
    return phrase(page.text[slice(*side)], page.language)


def _right(page: _Page, room: Span, *, is_phrase: bool) -> Span | None:
    """The first words after a cue that are about something; a noun phrase ends at the first subordinate clause.

    What is put in between commas stays inside: "porque mi hermano, ante cualquier desgracia, fríe".
    """
    segments = _segments(page.text, room)
    for at, (start, segment_end) in enumerate(segments):
        end = segment_end
        if is_phrase:
            cut = page.grammar.subordinator.search(page.text, start, end)
            end = cut.start() if cut else end
        elif _is_put_in(page.text, segments[at : at + 3], page.grammar):
            end = segments[at + 2][1]
        side = _side(page, (start, end))
        if side is not None:
            return side
    return None


def _is_put_in(text: str, segments: Sequence[Span], grammar: _Grammar) -> bool:
    """Whether the second of three segments only qualifies the first."""
    if len(segments) < 3 or not all(_are_joined(text, *pair) for pair in pairwise(segments)):
        return False
    edges = _trimmed_edges(text, segments[1])
    return bool(grammar.relative_start.match(text, *edges) or grammar.adjunct.match(text, *edges))


def _are_joined(text: str, one: Span, other: Span) -> bool:
    """Whether only a comma parts two segments."""
    return text[one[1] : other[0]].strip() in {"", ","}


def _segments(text: str, room: Span) -> list[Span]:
    """A stretch parted at its commas and other breaks; decimal commas and thousands do not part."""
    segments, start = [], room[0]
    for match in _BREAK.finditer(text, *room):
        inside_number = (
            text[match.start() - 1 : match.start()].isdigit() and text[match.end() : match.end() + 1].isdigit()
        )
        if not inside_number:
            segments.append((start, match.start()))
            start = match.end()
    segments.append((start, room[1]))
    return [segment for segment in segments if text[slice(*segment)].strip()]


def _side(page: _Page, span: Span, *, keep: str = "start") -> Span | None:
    """The span without what stands around a phrase, at most ``MAX_SIDE_WORDS`` long; None when it is about nothing."""
    trimmed = _trimmed(page.text, span, page.grammar)
    if len(page.text[slice(*trimmed)].split()) > MAX_SIDE_WORDS:
        trimmed = _trimmed(page.text, _shortened(page.text, trimmed, page.grammar, keep=keep), page.grammar)
    own = page.text[slice(*trimmed)]
    if not own or page.grammar.pointer.fullmatch(own) or not phrase(own, page.language).content:
        return None
    return trimmed


def _shortened(text: str, span: Span, grammar: _Grammar, *, keep: str) -> Span:
    """The words nearest to the cue, cut at an "and" where one leaves at least four of them."""
    words = [match.span() for match in re.finditer(r"\S+", text[slice(*span)])]
    if keep == "end":
        kept = words[-MAX_SIDE_WORDS:]
        joins = [at for at, word in enumerate(kept) if grammar.joining.fullmatch(text, *_shifted(word, span[0]))]
        kept = next((kept[at + 1 :] for at in reversed(joins) if len(kept) - at > 4), kept)
    else:
        kept = words[:MAX_SIDE_WORDS]
        joins = [at for at, word in enumerate(kept) if grammar.joining.fullmatch(text, *_shifted(word, span[0]))]
        kept = next((kept[:at] for at in reversed(joins) if at >= 4), kept)
    return _shifted((kept[0][0], kept[-1][1]), span[0])


def _trimmed(text: str, span: Span, grammar: _Grammar) -> Span:
    """Without spaces, marks, and the words that open or close a side without belonging to it."""
    while True:
        start, end = _trimmed_edges(text, span)
        opened = grammar.opening.match(text, start, end)
        start = opened.end() if opened else start
        closed = grammar.closing.search(text, start, end)
        end = closed.start() if closed else end
        if (start, end) == span:
            return span
        span = start, end


def _trimmed_edges(text: str, span: Span) -> Span:
    start, end = span
    while start < end and text[start] in _EDGE:
        start += 1
    while end > start and text[end - 1] in _EDGE:
        end -= 1
    return start, end


def _trimmed_spaces(text: str, span: Span) -> Span:
    start, end = span
    own = text[start:end]
    return start + len(own) - len(own.lstrip()), end - len(own) + len(own.rstrip()) if own.strip() else start


def _statement(page: _Page, sentence: _Sentence, found: _Found, sides: _Sides) -> CausalStatement | None:
    cause, effect, is_pointed = sides
    is_loop = _phrase(page, cause).key == _phrase(page, effect).key
    if is_loop or (found.cue.order == "cause_verb" and _is_nothing(page.text, cause[0], page.grammar)):
        return None
    confidence = found.cue.confidence * (POINTED_BACK if is_pointed else 1)
    if page.grammar.hedge.search(sentence.text):
        confidence *= HEDGED
    return CausalStatement(
        cause=cause,
        effect=effect,
        kind=found.cue.kind,
        evidence=(sentence.before[0], sentence.span[1]) if is_pointed else sentence.span,
        confidence=round(confidence, 3),
    )


@cache
def _grammar(language: Language) -> _Grammar:
    pack: CausalLanguage = CAUSALITY[language]
    return _Grammar(
        cues=tuple((cue, _words(cue.pattern)) for cue in pack.cues),
        denied=re.compile(rf"{pack.negation}\s*$", re.IGNORECASE),
        supposed=re.compile(pack.conditional, re.IGNORECASE),
        hedge=re.compile(pack.hedge, re.IGNORECASE),
        nothing=re.compile(rf"\s*{pack.nothing}(?!\w)", re.IGNORECASE),
        opening=re.compile(rf"{pack.opening}(?!\w)", re.IGNORECASE),
        closing=re.compile(rf"(?<!\w){pack.closing}$", re.IGNORECASE),
        pointer=re.compile(pack.pronoun, re.IGNORECASE),
        relative_start=re.compile(rf"{pack.relative}(?!\w)", re.IGNORECASE),
        adjunct=re.compile(rf"{pack.adjunct}(?!\w)", re.IGNORECASE),
        joining=re.compile(pack.joining, re.IGNORECASE),
        joined=re.compile(rf"(?<!\w){pack.joining}\s*$", re.IGNORECASE),
        subordinator=_words(pack.subordinator),
        reporting=_words(pack.reporting),
        lead=re.compile(rf"\W*(?:{pack.opening}\s+)?\W*", re.IGNORECASE),
    )


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)
