"""German: kinds of answers."""

from rag_core.language.answer_types import AnswerTypeWords
from rag_core.language.de.times import MONTHS, WEEKDAYS
from rag_core.language.words import word_set

ANSWER_TYPES = AnswerTypeWords(
    questions={
        "date": r"wann|seit wann|(?:welche[mnrs]?|was ist das) (?:jahr|jahrhundert|datum|tag|monat|jahrzehnt)",
        "number": r"wie ?(?:viele?|alt|lange?|weit|hoch|groß|oft|schnell|tief|breit|schwer|teuer)|(?:welche[mnrs]?) "
        r"(?:prozentsatz|anteil|anzahl|zahl|höhe|alter|entfernung|größe|temperatur|preis|uhrzeit)|um wie viel uhr",
        "name": r"wer|wen|wem|wessen|wo|wohin|woher|wie heißt\w*|welche[mnrs]? (?:person|stadt|land|ort|staat|region|fluss"
        r"|straße|dorf|firma|team)",
    },
    number_words=word_set(
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn"
        " neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert hunderte tausend tausende million"
        " millionen milliarde milliarden halb hälfte doppelt drittel dutzend"
    ),
    date_words=word_set(" ".join((*MONTHS, *WEEKDAYS)).lower())
    | word_set("sonnabend jahrhundert gestern vorgestern heute"),
)
