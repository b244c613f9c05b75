"""German: words that join and open questions."""

from rag_core.language.de.stop_words import STOP_WORDS
from rag_core.language.questions import QuestionWording
from rag_core.language.words import word_set

QUESTIONS = QuestionWording(
    joining=r"und (?:auch|ausserdem|zudem|zusatzlich)",
    leading=r"und|auch|ausserdem|zudem",
    asking=r"(?:(?:an|auf|aus|bei|bis|durch|fur|gegen|in|mit|nach|seit|uber|um|von|zu) )?"
    r"(?:was|wer|wen|wem|wessen|wo|woher|wohin|wann|wie|warum|weshalb|wieso|welche[mnrs]?|womit|wofur|woran|wozu)",
    empty=STOP_WORDS.function_words
    | {"wem", "wen", "wessen", "woher", "wohin", "weshalb", "wieso", "womit", "wofür", "wozu"},
    happening=word_set(
        """
        mache machst macht machen machte machten machtest gemacht tue tut tun tat taten getan passiert passierte passierten
        geschah geschehen geschieht los war waren gewesen erlebt erlebte notiert notierte geschrieben tag tage notizen notiz
        """
    ),
    greetings=r"hallo|guten morgen|guten tag|guten abend|danke|"
    r"danke schon|dankeschon|danke sehr|vielen dank|tschuss|auf wiedersehen",
)
