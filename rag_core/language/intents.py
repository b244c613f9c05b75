"""Form of the phrases that tell a question's intent: regular expressions over whole words.

They are matched against ``folding.fold_words``: lower case, no accents but those of ``accented``, single spaces.
Here: words and phrases only; ``rag_core.query.analysis`` says in which order they count.

The Spanish table holds every keyword of the original requirements. "efectos", "motivo", "qué año" and their like
were added, and the forms of a verb instead of one of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_core.model.retrieval import Intent


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentWording:
    """Phrases of one language, by the intent they show.

    ``phrases`` count wherever they stand; ``question_words`` only where a question begins: at the start of the query
    or after ¿, behind any of ``openers``, or behind ``asking`` ("dime cuándo"). ``idioms`` merely look like a phrase
    and are taken out first. ``why`` asks for causes whatever else is said; ``effects`` asks for effects.
    """

    accented: frozenset[str]
    openers: str
    asking: str
    idioms: tuple[str, ...]
    phrases: Mapping[Intent, tuple[str, ...]]
    question_words: Mapping[Intent, str]
    why: tuple[str, ...]
    effects: tuple[str, ...]
