"""Words that join one question to the next, and words a question begins with, in each language.

Matched against ``folding.fold``: lower case, no accents. ``rag_core.query.decomposition`` says how they are used.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_core.language import de, en, es
from rag_core.model.note import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWording:
    """How one language strings questions together.

    ``joining`` parts two questions, ``leading`` is dropped from the front of a part, ``asking`` is what a question begins
    with, ``empty`` are words that alone name nothing, ``opening`` is the mark a question starts with.
    """

    joining: str
    leading: str
    asking: str
    empty: frozenset[str]
    opening: str = ""


QUESTION_WORDINGS: Mapping[Language, QuestionWording] = {
    "es": QuestionWording(
        joining=r"(?:y|e) (?:tambien|ademas|aparte|asimismo)",
        leading=r"y|e|tambien|ademas|asimismo",
        asking=r"(?:(?:a|con|de|desde|en|hasta|para|por|sobre) )?"
        r"(?:que|quien|quienes|donde|adonde|cual|cuales|cuando|cuanto|cuanta|cuantos|cuantas|como)",
        empty=es.FUNCTION_WORDS | {"quién", "quiénes", "dónde", "adónde", "cuándo", "cuántos", "cuántas", "cuánta"},
        opening="¿",
    ),
    "de": QuestionWording(
        joining=r"und (?:auch|ausserdem|zudem|zusatzlich)",
        leading=r"und|auch|ausserdem|zudem",
        asking=r"(?:(?:an|auf|aus|bei|bis|durch|fur|gegen|in|mit|nach|seit|uber|um|von|zu) )?"
        r"(?:was|wer|wen|wem|wessen|wo|woher|wohin|wann|wie|warum|weshalb|wieso|welche[mnrs]?|womit|wofur|woran|wozu)",
        empty=de.FUNCTION_WORDS
        | {"wem", "wen", "wessen", "woher", "wohin", "weshalb", "wieso", "womit", "wofür", "wozu"},
    ),
    "en": QuestionWording(
        joining=r"and (?:also|additionally|furthermore|moreover|in addition)",
        leading=r"and|also|additionally|furthermore|moreover",
        asking=r"(?:(?:about|at|by|for|from|in|of|on|since|to|until|with) )?"
        r"(?:what|who|whom|whose|where|when|why|which|how)",
        empty=en.FUNCTION_WORDS,
    ),
}
