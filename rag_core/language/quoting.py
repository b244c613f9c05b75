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
"""Kind of thing a question asks for; finer than ``rag_core.reranking.answer_types``, which looks at single words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotingWords:
    """Words and patterns that decide which sentences are quoted for a question."""

    happening_words: frozenset[str]
    """Words of a question about everything that happened: with a time and no other words it asks for all of that time."""
    light_words: frozenset[str]
    """Words that most sentences could hold, which weigh little."""
    synonyms: tuple[frozenset[str], ...]
    """Words that people use for each other; a word named here has no other forms than those of its set."""
    question_cues: Mapping[Wanted, str]
    """Cues of a question by the kind it asks for, tried in this order; ``answer_types`` decides where none is found."""
    of_a_person: str
    """Questions for a fact about a person that a diary states of many, without saying whose it is."""
    yes_or_no: str
    """A question that asks for a yes or a no: it has no word that asks."""
    shown: Mapping[Wanted, str]
    """Patterns of sentences that hold a thing of the kind; ``answer_types`` tells numbers, dates and names."""
    beside_places: str
    """Prepositions that tell a place by a thing."""
    counting: str
    """Question that counts things; the thing follows."""
    place_prepositions: str
    """Prepositions before the name of a place."""
    naming: re.Pattern[str]
