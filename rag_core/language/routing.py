"""Form of the phrases that tell where an answer stands: in steps, in relations, in many documents, in a table.

Matched against ``folding.fold_words``: lower case, no accents. Here: words and phrases only; ``rag_core.query.routing`` says what
follows from them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingWording:
    """The phrases of one language, as regular expressions over whole words.

    ``procedural`` asks how something is done, ``relational`` who or what belongs to whom, ``aggregative`` for many things as one,
    ``table`` for figures that stand in rows, ``hops`` join two facts in one question.
    """

    procedural: tuple[str, ...]
    relational: tuple[str, ...]
    aggregative: tuple[str, ...]
    table: tuple[str, ...]
    hops: tuple[str, ...]
    between: str
    """Preposition before two things that are compared, as it is written."""
    links: str
    """Words between the two things."""
