"""Abbreviations and other words around a full stop, in a language."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceWords:
    """Words that decide whether a full stop ends a sentence, in lower case."""

    titles: frozenset[str]
    """Written before a name: never the end of a sentence, whatever follows."""
    abbreviations: frozenset[str]
    """Bound to what follows, unless a sentence plainly begins there (a capitalised function word)."""
    ending_abbreviations: frozenset[str]
    """Stand inside a sentence and at its end alike: only the next word tells."""
    measures: frozenset[str]
    """Units: after a number, and before a capital, their full stop ends the sentence ("mide 12 cm. Presenta")."""
    ordinary_words: frozenset[str]
    """Everyday words and prefixes that the segmenter takes for abbreviations ("está bien. Luego")."""
    ordinal_context: frozenset[str]
    """Words that make a number with a full stop an ordinal: none here."""
