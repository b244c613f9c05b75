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

RULES_FINGERPRINT = "rules-2"
"""To be raised with any change of what the rules read: stored graphs are then stale."""

MAX_SIDE_WORDS = 14
MAX_SENTENCE_CHARACTERS = 600
MAX_STATEMENTS = 200
HEDGED = 0.7
POINTED_BACK = 0.8

_BREAK = re.compile(r"[,;:()\[\]|]|\s[—\u2013-]\s|\.\.\.|…|!|\n")
_ASIDE = re.compile(r"\([^()]*\)\s*,?\s*$")
_EDGE = " \t\r\n\u00a0,;:.!?¡¿()[]«»\"'“”\u2018\u2019*_#>|—\u2013-…•·"


@dataclass(frozen=True, slots=True)
class _Grammar:
    """A language's patterns, compiled."""

    cues: tuple[tuple[CausalCue, re.Pattern[str], re.Pattern[str]], ...]
    denied: re.Pattern[str]
    supposed: re.Pattern[str]
    hedge: re.Pattern[str]
    nothing: re.Pattern[str]
    reflexive: re.Pattern[str]
    anaphor: re.Pattern[str]
    antecedent: re.Pattern[str]
    main_clause: re.Pattern[str]
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    pointer: re.Pattern[str]
    relative_start: re.Pattern[str]
    relative_end: re.Pattern[str]
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
    """A sentence with what stands before it.

    ``before`` is the sentence that a word such as "eso" may point to, None where that is not safe; ``outcome`` is what it
    led to, if it says so.
    """

    span: Span
    text: str
    is_statement: bool
    before: Span | None
    outcome: Span | None


def extract_causal_relations(text: str, *, language: Language, sentences: Sequence[Span]) -> list[CausalStatement]:
    """Read the causal statements of a text, in its order, the first ``MAX_STATEMENTS``; no sentences give [].

    A sentence of more than ``MAX_SENTENCE_CHARACTERS`` states nothing. Each side's words are ``text[start:end]`` of its
    span. No statement has the same words on both sides.
    """
    page = _Page(text=text, language=language, grammar=_grammar(language))
    found: list[CausalStatement] = []
    last: _Sentence | None = None
    for span in sentences:
        if len(found) >= MAX_STATEMENTS:
            break
        sentence = _sentence(page, span, last, found)
        if sentence.is_statement:
            found += _statements(page, sentence)
        last = sentence
    return found[:MAX_STATEMENTS]


class RuleExtractor:
    """The rules as an extractor; needs no model."""

    fingerprint = RULES_FINGERPRINT

    def extract(self, text: str, *, language: Language, sentences: Sequence[Span]) -> Extraction:
        """The statements that the rules read."""
        statements = extract_causal_relations(text, language=language, sentences=sentences)
        return Extraction(statements=tuple(statements), fingerprint=self.fingerprint)


def _sentence(page: _Page, span: Span, last: _Sentence | None, found: Sequence[CausalStatement]) -> _Sentence:
    start, end = _trimmed_spaces(page.text, span)
    own = page.text[start:end]
    is_statement = 0 < len(own) <= MAX_SENTENCE_CHARACTERS and "?" not in own and not page.grammar.supposed.search(own)
    is_near = last is not None and last.is_statement and "\n" not in page.text[last.span[1] : start]
    before = last.span if last is not None and is_near else None
    outcome = found[-1].effect if before and found and found[-1].evidence[1] == before[1] else None
    return _Sentence(span=(start, end), text=own, is_statement=is_statement, before=before, outcome=outcome)


def _pointed_at(page: _Page, sentence: _Sentence) -> Span | None:
    """What the sentence before led to; else that sentence, if most of it is one side."""
    if sentence.before is None or sentence.outcome is not None:
        return sentence.outcome
    side = _side(page, sentence.before)
    start, end = sentence.before
    return side if side is not None and 2 * (side[1] - side[0]) >= end - start else None


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
    for cue, pattern, needed in grammar.cues:
        if not needed.search(sentence):
            continue
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
    if found.cue.order == "cause_verb" and grammar.reflexive.search(sentence, 0, found.start):
        return True
    return found.cue.order == "cause_verb" and not found.cue.takes_clause and _is_nothing(sentence, found.end, grammar)


def _is_nothing(text: str, start: int, grammar: _Grammar) -> bool:
    return grammar.nothing.match(text, start) is not None


_Sides = tuple[Span, Span, bool]
"""Cause, effect, and whether one of them was only pointed at."""


def _sides(page: _Page, sentence: _Sentence, found: _Found, before: Span, after: Span) -> _Sides | None:
    cue, offset = found.cue, sentence.span[0]
    if found.cause is not None and found.effect is not None:
        return _both(_side(page, _shifted(found.cause, offset)), _side(page, _shifted(found.effect, offset)))
    if cue.order == "fronted_cause" or _is_fronted(page, cue, before, after):
        return _fronted(page, found, after)
    if cue.order == "cause_first" and _is_between_commas(page, before, after):
        return None
    is_pointed = before[0] == offset and _points_back(page, before)
    left = _pointed_at(page, sentence) if is_pointed else _before(page, cue, before)
    right = _right(page, after, is_phrase=cue.order.endswith("_verb") and not cue.takes_clause)
    ordered = (left, right) if cue.order in {"cause_verb", "cause_first"} else (right, left)
    return _both(*ordered, is_pointed=is_pointed)


def _both(cause: Span | None, effect: Span | None, *, is_pointed: bool = False) -> _Sides | None:
    return (cause, effect, is_pointed) if cause is not None and effect is not None else None


def _before(page: _Page, cue: CausalCue, room: Span) -> Span | None:
    left = _left(page, room, is_phrase=cue.order.endswith("_verb"))
    if left is not None and cue.order == "effect_first" and _is_slight(page, left):
        return None
    return _subject(page, left, room) if left is not None and cue.order == "cause_verb" else left


def _is_fronted(page: _Page, cue: CausalCue, before: Span, after: Span) -> bool:
    """Whether a connector opens its sentence or a clause, with its cause: "Debido a X, Y", "…, pero debido a X, Y"."""
    if cue.order != "effect_first" or not cue.can_open:
        return False
    return _is_put_before(page, before, after) or _points_back(page, before)


def _is_put_before(page: _Page, before: Span, after: Span) -> bool:
    """Whether a cue opens a clause that another word joined to the one before: "…, pero debido a X, Y"."""
    is_joined = page.grammar.joined.search(page.text, *before) is not None
    return is_joined and "," in page.text[slice(*after)]


def _is_between_commas(page: _Page, before: Span, after: Span) -> bool:
    """Whether a connector stands inside one clause, which then says no cause: "son, por lo tanto, iguales"."""
    return page.text[slice(*before)].rstrip().endswith(",") and page.text[slice(*after)].lstrip().startswith(",")


def _subject(page: _Page, left: Span, before: Span) -> Span | None:
    """The words before a verb as its subject: what a relative pronoun stands for, never what a preposition opens.

    Across a comma they are a clause, and the verb is told of it whole: "se rompió el tubo, provocando …".
    """
    if "," in page.text[left[1] : before[1]]:
        return left
    if page.grammar.relative_end.search(page.text, left[0], before[1]):
        starts = [match.start() for match in page.grammar.antecedent.finditer(page.text, *left)]
        left = (_side(page, (starts[-1], left[1])) if starts else None) or left
    return None if page.grammar.adjunct.match(page.text, *left) else left


def _points_back(page: _Page, before: Span) -> bool:
    """Whether nothing stands before the cue but a word like "eso"."""
    own = page.text[slice(*_trimmed(page.text, before, page.grammar))]
    return not own or page.grammar.pointer.fullmatch(own) is not None


def _shifted(span: Span, offset: int) -> Span:
    return span[0] + offset, span[1] + offset


def _fronted(page: _Page, found: _Found, room: Span) -> _Sides | None:
    """The cause up to the first comma, the effect after it: "Como X, Y". A noun phrase may do without: "Debido a X se Y"."""
    segments = _segments(page.text, room)
    if not segments or len(page.text[slice(*segments[0])].split()) > MAX_SIDE_WORDS:
        return None
    first, rest = segments[0], (segments[1][0] if len(segments) > 1 else room[1], room[1])
    is_clause = found.cue.order == "fronted_cause" or page.text[: room[0]].endswith(("que", "weil", "because"))
    inverted = None if is_clause else page.grammar.main_clause.search(page.text, *first)
    if inverted:
        first, rest = (first[0], inverted.start()), (inverted.start(), room[1])
    return _both(_side(page, first), _right(page, rest, is_phrase=False))


def _left(page: _Page, room: Span, *, is_phrase: bool) -> Span | None:
    """The nearest words before a cue that are about something.

    Before a verb a segment that only qualifies the one before it is passed over ("X, que no cesa, provoca"); before a
    connector one that says too little alone takes that one with it ("El portátil, seco, porque").
    """
    aside = _ASIDE.search(page.text, *room)
    segments = _segments(page.text, (room[0], aside.start() if aside else room[1]))
    end = segments[-1][1] if segments else room[1]
    for at in range(len(segments) - 1, -1, -1):
        start = next(
            (m.end() for m in reversed(list(page.grammar.reporting.finditer(page.text, *segments[at])))),
            segments[at][0],
        )
        opens = _trimmed_edges(page.text, (start, end))
        has_more = start == segments[at][0] and at > 0 and _are_joined(page.text, segments[at - 1], segments[at])
        if is_phrase and has_more and _only_qualifies(page, opens, end):
            end = segments[at - 1][1]
            continue
        side = _side(page, (start, end), keep="end")
        if side is None:
            end = segments[at - 1][1] if has_more else end
        elif is_phrase or not has_more or not (_is_slight(page, side) or page.grammar.adjunct.match(page.text, *opens)):
            return side
        if not has_more:
            return None
    return None


def _only_qualifies(page: _Page, opens: Span, end: int) -> bool:
    """Whether a segment before a verb is a relative clause that does not end in another, which the verb would belong to."""
    is_relative = page.grammar.relative_start.match(page.text, *opens) is not None
    return is_relative and page.grammar.relative_end.search(page.text, opens[0] + 1, end) is None


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
    opens_with_comma = page.text[slice(*room)].lstrip().startswith(",")
    for at, (start, segment_end) in enumerate(segments):
        end = segment_end
        if at == 0 and len(segments) > 1 and opens_with_comma and _qualifies(page, segments[0]):
            continue
        if is_phrase:
            own, _ = _trimmed(page.text, (start, end), page.grammar)
            cut = page.grammar.subordinator.search(page.text, own, end)
            end = cut.start() if cut else end
        elif _is_put_in(page, segments[at : at + 3]):
            end = segments[at + 2][1]
        side = _side(page, (start, end))
        if side is not None:
            return side
    return None


def _is_put_in(page: _Page, segments: Sequence[Span]) -> bool:
    """Whether the second of three segments only qualifies the first."""
    if len(segments) < 3 or not all(_are_joined(page.text, *pair) for pair in pairwise(segments)):
        return False
    return _qualifies(page, segments[1])


def _qualifies(page: _Page, segment: Span) -> bool:
    """Whether a segment begins as what belongs to other words: a relative clause, a preposition."""
    edges = _trimmed_edges(page.text, segment)
    return bool(page.grammar.relative_start.match(page.text, *edges) or page.grammar.adjunct.match(page.text, *edges))


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
    points_back = page.grammar.pointer.fullmatch(own) or page.grammar.anaphor.match(own)
    if not own or points_back or not phrase(own, page.language).content:
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
    while start < end and _is_edge(text[start]):
        start += 1
    while end > start and _is_edge(text[end - 1]):
        end -= 1
    return start, end


def _is_edge(character: str) -> bool:
    return character in _EDGE or character.isspace()


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
        evidence=_evidence(sentence, sides),
        confidence=round(confidence, 3),
    )


def _evidence(sentence: _Sentence, sides: _Sides) -> Span:
    """The sentence; with what it points back to, which may be what the one before pointed to: "X. Porque Y. Porque Z."."""
    cause, effect, is_pointed = sides
    start, end = sentence.span
    if is_pointed and sentence.before is not None:
        start = min(sentence.before[0], cause[0], effect[0])
    return start, end


@cache
def _grammar(language: Language) -> _Grammar:
    pack: CausalLanguage = CAUSALITY[language]
    return _Grammar(
        cues=tuple((cue, _words(cue.pattern), re.compile(cue.needs, re.IGNORECASE | re.DOTALL)) for cue in pack.cues),
        denied=re.compile(rf"{pack.negation}\s*$", re.IGNORECASE),
        supposed=re.compile(pack.conditional, re.IGNORECASE),
        hedge=re.compile(pack.hedge, re.IGNORECASE),
        nothing=re.compile(rf"\s*{pack.nothing}(?!\w)", re.IGNORECASE),
        reflexive=re.compile(pack.reflexive, re.IGNORECASE),
        anaphor=re.compile(pack.anaphor, re.IGNORECASE),
        antecedent=re.compile(pack.antecedent, re.IGNORECASE),
        main_clause=re.compile(pack.main_clause, re.IGNORECASE),
        relative_end=re.compile(rf"(?<!\w){pack.relative}\s+(?:\w{{2,3}}\s+)?$", re.IGNORECASE),
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
