"""Traits of a language: its grammar where rules depend on it, and its names in libraries."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingEase:
    """Formula of how easily a text reads: base - words_a_sentence · words/sentence - syllables_a_word · syllables/word."""

    name: str
    base: float
    words_a_sentence: float
    syllables_a_word: float
    syllable: str
    """Pattern of the vowels of one syllable in a word in lower case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageTraits:
    """Traits of one language."""

    stemmer: str
    """Name of the Snowball stemmer, which is that of PostgreSQL's text search configuration too."""
    decimal_point: str
    thousands_separator: str
    has_capitalised_nouns: bool
    """Every noun has a capital, so a capital does not tell a name."""
    has_verb_after_subject: bool
    """The verb follows its subject in a question: "when did the plumber come"."""
    has_head_first: bool
    """A noun stands before what describes it: "dolor de cabeza", unlike "Kopfschmerz" and "head ache"."""
    negations_behind: tuple[str, ...]
    """Negations that may stand behind all that they deny: "zahlt die Rechnung nicht"; others deny what follows: "ohne Rechnung"."""
    has_day_before_month: bool
    """A date in figures has its day first: "3.5.2025" is in May."""
    signs: str
    """Characters of no other language."""
    phone_regions: tuple[str, ...]
    """Countries in which a telephone number without a country code is looked for, by ISO 3166."""
    reading_ease: ReadingEase
