"""English: words that join and open questions."""

from rag_core.language.en.stop_words import STOP_WORDS
from rag_core.language.questions import QuestionWording

QUESTIONS = QuestionWording(
    joining=r"and (?:also|additionally|furthermore|moreover|in addition)",
    leading=r"and|also|additionally|furthermore|moreover",
    asking=r"(?:(?:about|at|by|for|from|in|of|on|since|to|until|with) )?"
    r"(?:what|who|whom|whose|where|when|why|which|how)",
    empty=STOP_WORDS.function_words,
)
