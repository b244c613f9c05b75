"""Words that decide which sentences of notes are quoted for a question."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotingWords:
    """Words and patterns that decide which sentences are quoted for a question."""

    happening_words: frozenset[str]
    """Words of a question about everything that happened: with a time and no other words it asks for all of that time."""
    light_words: frozenset[str]
    """Words that most sentences could hold, which weigh little."""
    synonyms: tuple[frozenset[str], ...]
    """Words that people use for each other; a word named here has no other forms than those of its set."""
