"""Spanish: words that join and open questions."""

from rag_core.language.es.stop_words import STOP_WORDS
from rag_core.language.questions import QuestionWording

QUESTIONS = QuestionWording(
    joining=r"(?:y|e) (?:tambien|ademas|aparte|asimismo)",
    leading=r"y|e|tambien|ademas|asimismo",
    asking=r"(?:(?:a|con|de|desde|en|hasta|para|por|sobre) )?"
    r"(?:que|quien|quienes|donde|adonde|cual|cuales|cuando|cuanto|cuanta|cuantos|cuantas|como)",
    empty=STOP_WORDS.function_words | {"quién", "quiénes", "dónde", "adónde", "cuándo", "cuántos", "cuántas", "cuánta"},
    opening="¿",
)
