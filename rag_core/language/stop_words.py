"""Function words of a language, by their kind."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StopWords:
    """Function words, in lower case."""

    function_words: frozenset[str]
    negations: frozenset[str]
    """Words that turn what stands beside them into its contrary, or nearly ("apenas"); "t" is what is left of "don't"."""
    prepositions: frozenset[str]
    determiners: frozenset[str]
    """Articles, possessives and demonstratives before a noun."""
    contractions: Mapping[str, str]
    """Prepositions that an article was drawn into, and what they are without it."""
    conjunctions: frozenset[str]
    """Conjunctions after which a comma goes when the words behind it were removed: "Y, según [9], llovió"."""
    clause_connectors: frozenset[str]
    """Connectors by language, lower case."""
