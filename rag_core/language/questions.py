"""Words that join one question to the next, and words a question begins with, in each language.

Matched against ``folding.fold``: lower case, no accents. ``rag_core.query.decomposition`` says how they are used.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWording:
    """Words around the questions of a query in one language.

    ``greetings`` are phrases that greet, thank or take leave, and ask nothing. ``joining`` parts two questions, ``leading`` is
    dropped from the front of a part, ``asking`` is what a question begins with, ``empty`` are words that alone name nothing,
    ``happening`` words of a question about everything that happened, ``opening`` is the mark a question starts with.
    """

    joining: str
    leading: str
    asking: str
    empty: frozenset[str]
    happening: frozenset[str]
    greetings: str
    opening: str = ""
