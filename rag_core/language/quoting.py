"""Words that decide which sentences of notes are quoted for a question."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Wanted = Literal[
    "money",
    "duration",
    "clock",
    "temperature",
    "weight",
    "length",
    "number",
    "date",
    "place",
    "person",
    "name",
    "cause",
    "polarity",
    "speech",
]
"""What a question is after, as a sentence shows it; finer than ``rag_core.reranking.answer_types``, which looks at single words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotingWords:
    """Words and patterns that decide which sentences are quoted for a question."""

    happening_words: frozenset[str]
    """Words with which one asks for all that was: a question that has no others but a time is for whatever happened in it."""
    light_words: frozenset[str]
    """Words that most sentences could hold: they say little of what a question is about."""
    synonyms: tuple[frozenset[str], ...]
    """Words that people use for each other; a word named here has no other forms than those of its set."""
    question_cues: Mapping[Wanted, str]
    """How a question shows what it wants, tried in this order; what none of these tells is asked of ``answer_types``."""
    of_a_person: str
    """A question for what a diary says of many: of whom a sentence says it, its words do not show."""
    yes_or_no: str
    """A question that asks for a yes or a no: it has no word that asks."""
    shown: Mapping[Wanted, str]
    """How a sentence shows that it holds a thing of the kind; numbers, dates and names are told by ``answer_types``."""
    beside_places: str
    """How a place is told by a thing."""
    counting: str
    """How things are counted: the thing is what follows."""
    place_prepositions: str
    """What stands before the name of a place."""
    naming: re.Pattern[str]
