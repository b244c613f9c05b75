"""Form of the words of cause and effect: cues, and what stands around them.

A cue is a pattern with the order of its two sides. Patterns are matched
without regard to case, as whole words, and know only what may stand between a cue's own words; what a side is, where it ends and
what weakens it is for ``rag_core.graph.rules``. Confidence is how often the reading was right when extractions were read by a person.
"""

from dataclasses import dataclass
from typing import Literal

CueOrder = Literal["cause_verb", "effect_verb", "cause_first", "effect_first", "fronted_cause", "framed"]
"""Side of a cue on which its cause stands.

``cause_verb`` and ``effect_verb`` are verbs between two noun phrases ("X provoca Y", "Y se debe a X"), ``cause_first``
and ``effect_first`` connectors between clauses ("X, así que Y", "Y porque X"), ``fronted_cause`` opens its sentence
("Como X, Y"); ``framed`` stands around its sides, which are groups of the pattern named cause and effect.
"""
CueKind = Literal["CAUSES", "TRIGGERS", "LEADS_TO"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalCue:
    """A way to say it.

    ``takes_clause`` where the effect is a clause, which may hold a relative one; ``can_open`` where the connector may open
    a sentence with its cause ("Debido a X, Y") and does not answer the sentence before ("Porque X."). ``needs`` is what
    a sentence must hold for the pattern to be tried: one that begins with a side is tried at every character.
    """

    pattern: str
    order: CueOrder
    kind: CueKind = "CAUSES"
    confidence: float
    takes_clause: bool = False
    can_open: bool = True
    needs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalLanguage:
    """A language's cues, and patterns of what stands around them.

    ``negation`` right before a cue denies it, ``conditional`` opens a sentence that supposes, ``hedge`` weakens; ``nothing``
    opens a side that is nothing or nobody, ``reflexive`` before a verb leaves it without a cause; ``pronoun`` is a side that only
    points back, ``anaphor`` opens one; ``antecedent`` begins the noun phrase that a relative pronoun stands for, ``main_clause``
    the clause after a fronted noun phrase without a comma; ``opening`` and ``closing`` are trimmed off a side's ends;
    ``relative`` and ``adjunct`` begin what belongs to the words before it, ``joining`` are words for "and", ``subordinator`` ends
    a noun phrase, ``clause_openings`` stand before a clause, ``reporting`` begins one; ``polarity`` are words that turn a phrase
    into its opposite, ``circumstance`` words that say when or how much, not what; ``asking`` are words of a causal question that
    are not what it asks about.
    """

    cues: tuple[CausalCue, ...]
    negation: str
    conditional: str
    hedge: str
    nothing: str
    reflexive: str
    pronoun: str
    anaphor: str
    antecedent: str
    main_clause: str
    opening: str
    closing: str
    relative: str
    joining: str
    adjunct: str
    subordinator: str
    clause_openings: tuple[str, ...]
    reporting: str
    polarity: frozenset[str]
    circumstance: frozenset[str]
    asking: frozenset[str]
