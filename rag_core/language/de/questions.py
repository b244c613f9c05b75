"""German: words that join and open questions."""

from rag_core.language.de.stop_words import STOP_WORDS
from rag_core.language.questions import QuestionWording

QUESTIONS = QuestionWording(
    joining=r"und (?:auch|ausserdem|zudem|zusatzlich)",
    leading=r"und|auch|ausserdem|zudem",
    asking=r"(?:(?:an|auf|aus|bei|bis|durch|fur|gegen|in|mit|nach|seit|uber|um|von|zu) )?"
    r"(?:was|wer|wen|wem|wessen|wo|woher|wohin|wann|wie|warum|weshalb|wieso|welche[mnrs]?|womit|wofur|woran|wozu)",
    empty=STOP_WORDS.function_words
    | {"wem", "wen", "wessen", "woher", "wohin", "weshalb", "wieso", "womit", "wofür", "wozu"},
)
