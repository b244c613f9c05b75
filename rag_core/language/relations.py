"""Form of the phrases that state a relation between two names.

A pattern is of a folded sentence in which names are marks: SOURCE and TARGET are one or several names of the types that the kind
allows, the second of the two with articles and words such as "proyecto" before it; without TARGET it is the note's own project. What
stands between them is all that may: a negation, a conditional or a verb of another time is no part of a pattern, so that they match
no pattern. GAP is up to three words that deny nothing, ROLE a position that somebody has, END the end of a clause.
"""

from dataclasses import dataclass

from rag_core.model.entity import EdgeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationPattern:
    """A way to state a relation, and how often it does."""

    kind: EdgeKind
    pattern: str
    confidence: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationWords:
    """Patterns of relations; ``negation`` and ``role`` are patterns of words, ``joining`` of what joins the names of a list."""

    patterns: tuple[RelationPattern, ...]
    negation: str
    role: str
    joining: str


def relation_patterns(kind: EdgeKind, *patterns: str, confidence: float = 0.95) -> tuple[RelationPattern, ...]:
    """Patterns of one kind."""
    return tuple(RelationPattern(kind=kind, pattern=pattern, confidence=confidence) for pattern in patterns)
