"""Forms of words that the stemmer of a language does not join."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WordForms:
    """Forms of a language's words."""

    irregular_stems: tuple[frozenset[str], ...] = ()
    """Stems of one word each: verbs whose stem changes, strong preterites, old plurals."""
    question_words: str = ""
    """Pattern of the question words that PostgreSQL's stop words lack."""
    short_plural: str = ""
    """Plural ending that the stemmer leaves on short words."""
    has_vowel_changes: bool = False
    """Stems change a vowel, and a final z becomes c: "poder" and "puede", "luz" and "luces"."""
    has_umlauts: bool = False
    """The stemmer drops umlauts, which may be written with an e."""
    compound_links: tuple[str, ...] = ()
    """Letters between the parts of a compound; '' last. Empty in a language without compounds."""
