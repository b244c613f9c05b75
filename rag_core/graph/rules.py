"""Causal statements by rules: cues between, before or around their two sides, sentence by sentence. Pure.

A side is the clause or noun phrase beside the cue, within its sentence, up to a comma or another cue, without what
stands around it (articles, "al final", "ayer"). A side that only points back ("Eso provocó …", "Por eso …") is what
the sentence before led to, or that sentence itself, if it stands in the same paragraph and is short. Questions and
suppositions state nothing; what is denied is left out; what is hedged counts less.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_core.graph.cues import FoundCue, continues, found_cues, is_denied, is_nothing
from rag_core.graph.grammar import Grammar, Page, grammar_of
from rag_core.graph.sides import is_slight, left_side, phrase_of, points_back, right_side, side_of, subject_side
from rag_core.graph.statements import CausalStatement, Extraction
from rag_core.graph.stretches import MAX_SIDE_WORDS, segments_of, shifted, trimmed_spaces
from rag_core.language.causality import CausalCue
from rag_core.language.languages import language_of
from rag_core.model.note import Language, Span

RULES_FINGERPRINT = "rules-2"
"""To be raised with any change of what the rules read: stored graphs are then stale."""

MAX_SENTENCE_CHARACTERS = 600
MAX_STATEMENTS = 200
HEDGED = 0.7
POINTED_BACK = 0.8


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
    page = Page(text=text, language=language, grammar=grammar_of(language))
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


def _sentence(page: Page, span: Span, last: _Sentence | None, found: Sequence[CausalStatement]) -> _Sentence:
    start, end = trimmed_spaces(page.text, span)
    own = page.text[start:end]
    is_statement = 0 < len(own) <= MAX_SENTENCE_CHARACTERS and "?" not in own and not page.grammar.supposed.search(own)
    is_near = last is not None and last.is_statement and "\n" not in page.text[last.span[1] : start]
    before = last.span if last is not None and is_near else None
    outcome = found[-1].effect if before and found and found[-1].evidence[1] == before[1] else None
    return _Sentence(span=(start, end), text=own, is_statement=is_statement, before=before, outcome=outcome)


def _pointed_at(page: Page, sentence: _Sentence) -> Span | None:
    """Return the effect in the sentence before; else that sentence, if most of it is one side."""
    if sentence.before is None or sentence.outcome is not None:
        return sentence.outcome
    side = side_of(page, sentence.before)
    start, end = sentence.before
    return side if side is not None and 2 * (side[1] - side[0]) >= end - start else None


def _statements(page: Page, sentence: _Sentence) -> Iterator[CausalStatement]:
    cues = found_cues(sentence.text, page.grammar)
    for at, found in enumerate(cues):
        if is_denied(sentence.text, found, page.grammar):
            continue
        before, after = _rooms(sentence, cues, at, page.grammar)
        sides = _sides(page, sentence, found, before, after)
        statement = None if sides is None else _statement(page, sentence, found, sides)
        if statement is not None:
            yield statement


def _rooms(sentence: _Sentence, cues: Sequence[FoundCue], at: int, grammar: Grammar) -> tuple[Span, Span]:
    """Return the room of a cue's two sides: up to its neighbours.

    What comes before a further reason ("X porque A y porque B") is what came before the first one.
    """
    first = at
    while first and continues(sentence.text, cues[first - 1], cues[first], grammar):
        first -= 1
    low = cues[first - 1].end if first else 0
    high = cues[at + 1].start if at + 1 < len(cues) else len(sentence.text)
    offset = sentence.span[0]
    return shifted((low, cues[first].start), offset), shifted((cues[at].end, high), offset)


_Sides = tuple[Span, Span, bool]
"""Cause, effect, and whether one of them was only pointed at."""


def _sides(page: Page, sentence: _Sentence, found: FoundCue, before: Span, after: Span) -> _Sides | None:
    cue, offset = found.cue, sentence.span[0]
    if found.cause is not None and found.effect is not None:
        return _both(side_of(page, shifted(found.cause, offset)), side_of(page, shifted(found.effect, offset)))
    if cue.order == "fronted_cause" or _is_fronted(page, cue, before, after):
        return _fronted(page, found, after)
    if cue.order == "cause_first" and _is_between_commas(page, before, after):
        return None
    is_pointed = before[0] == offset and points_back(page, before)
    left = _pointed_at(page, sentence) if is_pointed else _before(page, cue, before)
    right = right_side(page, after, is_phrase=cue.order.endswith("_verb") and not cue.takes_clause)
    ordered = (left, right) if cue.order in {"cause_verb", "cause_first"} else (right, left)
    return _both(*ordered, is_pointed=is_pointed)


def _both(cause: Span | None, effect: Span | None, *, is_pointed: bool = False) -> _Sides | None:
    return (cause, effect, is_pointed) if cause is not None and effect is not None else None


def _before(page: Page, cue: CausalCue, room: Span) -> Span | None:
    left = left_side(page, room, is_phrase=cue.order.endswith("_verb"))
    if left is not None and cue.order == "effect_first" and is_slight(page, left):
        return None
    return subject_side(page, left, room) if left is not None and cue.order == "cause_verb" else left


def _is_fronted(page: Page, cue: CausalCue, before: Span, after: Span) -> bool:
    """Tell whether a connector opens its sentence or a clause, with its cause: "Debido a X, Y", "…, pero debido a X, Y"."""
    if cue.order != "effect_first" or not cue.can_open:
        return False
    return _is_put_before(page, before, after) or points_back(page, before)


def _is_put_before(page: Page, before: Span, after: Span) -> bool:
    """Tell whether a cue opens a clause that another word joined to the one before: "…, pero debido a X, Y"."""
    is_joined = page.grammar.joined.search(page.text, *before) is not None
    return is_joined and "," in page.text[slice(*after)]


def _is_between_commas(page: Page, before: Span, after: Span) -> bool:
    """Tell whether a connector stands inside one clause, which then states no cause: "son, por lo tanto, iguales"."""
    return page.text[slice(*before)].rstrip().endswith(",") and page.text[slice(*after)].lstrip().startswith(",")


def _fronted(page: Page, found: FoundCue, room: Span) -> _Sides | None:
    """The cause up to the first comma, the effect after it: "Como X, Y". A noun phrase may do without: "Debido a X se Y"."""
    segments = segments_of(page.text, room)
    if not segments or len(page.text[slice(*segments[0])].split()) > MAX_SIDE_WORDS:
        return None
    first, rest = segments[0], (segments[1][0] if len(segments) > 1 else room[1], room[1])
    is_clause = found.cue.order == "fronted_cause" or page.text[: room[0]].endswith(
        language_of(page.language).causality.clause_openings
    )
    inverted = None if is_clause else page.grammar.main_clause.search(page.text, *first)
    if inverted:
        first, rest = (first[0], inverted.start()), (inverted.start(), room[1])
    return _both(side_of(page, first), right_side(page, rest, is_phrase=False))


def _statement(page: Page, sentence: _Sentence, found: FoundCue, sides: _Sides) -> CausalStatement | None:
    cause, effect, is_pointed = sides
    is_loop = phrase_of(page, cause).key == phrase_of(page, effect).key
    if is_loop or (found.cue.order == "cause_verb" and is_nothing(page.text, cause[0], page.grammar)):
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
