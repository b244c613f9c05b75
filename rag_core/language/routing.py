"""Form of the phrases that tell what a question asks for, and where its answer stands: in steps, in relations, in a table.

Matched against ``folding.fold_words``: lower case, no accents. Here: words and phrases only; ``rag_core.query.routing`` says what
follows from them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingWording:
    """The phrases of one language, as regular expressions over whole words.

    ``when``, ``who`` and ``procedural`` are questions for a time, for somebody and for a way to do something. The rest counts where
    none of these asks: ``times`` are words of dates and of change, ``relational`` of who or what belongs to whom, ``aggregative`` of
    many things as one, unless ``limits`` ask for one that stands somewhere, ``comparative`` of two things beside each other.
    """

    comparative: tuple[str, ...]
    when: tuple[str, ...]
    procedural: tuple[str, ...]
    aggregative: tuple[str, ...]
    limits: tuple[str, ...]
    who: tuple[str, ...]
    relational: tuple[str, ...]
    times: tuple[str, ...]
    table: tuple[str, ...]
    """Tables by name."""
    figures: tuple[str, ...]
    """Amounts, which mostly stand in tables."""
    counted: str
    """Things that are counted: their number is no amount, whatever they are."""
    clauses: tuple[str, ...]
    """A relative clause: the thing is to be found before what is asked of it."""
    free_clauses: str
    """A relative clause without a noun before it: "the one who drove a tram"."""
    naming: tuple[str, ...]
    """Questions for the thing that a relative clause describes, and for no more."""
    chains: tuple[str, ...]
    """Genitives in a row, and two questions in one."""
    superlatives: str
    """A superlative that something else belongs to, as it is written."""
    vague: str
    """Words beside the function words that cannot be looked up."""
    between: str
    """Preposition before two things that are compared, as it is written."""
    links: str
    """Words between the two things."""
    alternatives: str
    """Word between two things to choose from."""
    before_names: str
    """Words that a name without an article follows, as they are written; for languages that write all nouns with a capital."""
    noun_endings: str
    """Endings of nouns that are no names, for the same languages."""


def any_of(words: str) -> str:
    """Pattern of one of the words, which are patterns parted by white space."""
    return rf"(?:{'|'.join(words.split())})"
