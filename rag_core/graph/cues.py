"""Causal cues of a sentence, in order, and whether one is denied. Pure."""

import re
from dataclasses import dataclass

from rag_core.graph.grammar import Grammar
from rag_core.language.causality import CausalCue
from rag_core.model.note import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCue:
    """A cue found in a sentence; positions are the sentence's."""

    cue: CausalCue
    start: int
    end: int
    cause: Span | None = None
    effect: Span | None = None


def found_cues(sentence: str, grammar: Grammar) -> list[FoundCue]:
    """The cues of a sentence in order; where two overlap, the one named first in the language stays."""
    taken: list[FoundCue] = []
    for cue, pattern, needed in grammar.cues:
        if not needed.search(sentence):
            continue
        for match in pattern.finditer(sentence):
            if cue.order == "fronted_cause" and not grammar.lead.fullmatch(sentence, 0, match.start()):
                continue
            if all(match.end() <= other.start or other.end <= match.start() for other in taken):
                taken.append(_found(cue, match))
    return sorted(taken, key=lambda one: one.start)


def _found(cue: CausalCue, match: re.Match[str]) -> FoundCue:
    if cue.order != "framed":
        return FoundCue(cue=cue, start=match.start(), end=match.end())
    return FoundCue(
        cue=cue, start=match.start(), end=match.end(), cause=match.span("cause"), effect=match.span("effect")
    )


def is_denied(sentence: str, found: FoundCue, grammar: Grammar) -> bool:
    """Tell whether the sentence denies a cue, or leaves it without one of its sides."""
    if grammar.denied.search(sentence, 0, found.start):
        return True
    if found.cue.order == "cause_verb" and grammar.reflexive.search(sentence, 0, found.start):
        return True
    return found.cue.order == "cause_verb" and not found.cue.takes_clause and is_nothing(sentence, found.end, grammar)


def is_nothing(text: str, start: int, grammar: Grammar) -> bool:
    """Tell whether a side begins with "nothing" or "nobody"."""
    return grammar.nothing.match(text, start) is not None


def continues(sentence: str, last: FoundCue, found: FoundCue, grammar: Grammar) -> bool:
    """Tell whether a cue gives a further reason for the effect of the last one."""
    both = last.cue.order == found.cue.order == "effect_first"
    return both and grammar.joined.search(sentence, last.end, found.start) is not None
