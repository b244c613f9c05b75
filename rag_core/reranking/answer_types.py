"""What kind of answer a question asks for, and which tokens of a passage are of that kind. Pure.

A question beginning "¿cuántos puntos…?" is answered where a number stands near the words it shares with the passage. Only
the kinds that a token shows by itself are told apart; every other question has none.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from rag_core.language.words import word_set
from rag_core.model.note import Language

AnswerType = Literal["number", "date", "name"]

_QUESTIONS: dict[Language, dict[AnswerType, str]] = {
    "es": {
        "date": r"cu[aá]ndo|(?:qu[eé]|cu[aá]l (?:es|era|fue|ha sido) (?:el|la)) (?:año|siglo|fecha|d[ií]a|mes|d[eé]cada)",
        "number": r"cu[aá]nt[oa]s?|(?:qu[eé]|cu[aá]l (?:es|era|fue|ha sido) (?:el|la)) (?:porcentaje|proporci[oó]n|cantidad"
        r"|n[uú]mero|altura|edad|distancia|tamaño|velocidad|temperatura|precio|poblaci[oó]n|superficie|hora|peso|talla)",
        "name": r"qui[eé]n(?:es)?|d[oó]nde|c[oó]mo se llam\w+|(?:qu[eé]|cu[aá]l (?:es|era|fue) (?:el|la)) (?:persona|ciudad"
        r"|pa[ií]s|lugar|estado|regi[oó]n|r[ií]o|calle|barrio|pueblo|empresa|equipo)",
    },
    "en": {
        "date": r"when|(?:what|which|what (?:is|was) the) (?:year|date|day|month|century|decade)",
        "number": r"how (?:many|much|old|long|far|tall|high|big|large|often|fast|deep|wide|heavy)|what (?:is |was )?(?:the )?"
        r"(?:percentage|percent|proportion|number|amount|height|age|distance|size|speed|temperature|price|population|time)",
        "name": r"who|whom|whose|where|(?:what|which|what (?:is|was) the) (?:person|city|country|place|state|region|river|street"
        r"|town|company|team)|what (?:is|was) \w+ name",
    },
    "de": {
        "date": r"wann|seit wann|(?:welche[mnrs]?|was ist das) (?:jahr|jahrhundert|datum|tag|monat|jahrzehnt)",
        "number": r"wie ?(?:viele?|alt|lange?|weit|hoch|groß|oft|schnell|tief|breit|schwer|teuer)|(?:welche[mnrs]?) "
        r"(?:prozentsatz|anteil|anzahl|zahl|höhe|alter|entfernung|größe|temperatur|preis|uhrzeit)|um wie viel uhr",
        "name": r"wer|wen|wem|wessen|wo|wohin|woher|wie heißt\w*|welche[mnrs]? (?:person|stadt|land|ort|staat|region|fluss"
        r"|straße|dorf|firma|team)",
    },
}
_NUMBER_WORDS: dict[Language, frozenset[str]] = {
    "es": word_set(
        "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho"
        " diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento cientos doscientos"
        " trescientos quinientos mil miles millón millones mitad doble tercio docena"
    ),
    "en": word_set(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
        " nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions"
        " billion half twice third dozen"
    ),
    "de": word_set(
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn"
        " neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert hunderte tausend tausende million"
        " millionen milliarde milliarden halb hälfte doppelt drittel dutzend"
    ),
}
_DATE_WORDS: dict[Language, frozenset[str]] = {
    "es": word_set(
        "enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre lunes martes"
        " miércoles jueves viernes sábado domingo siglo ayer anteayer hoy anoche"
    ),
    "en": word_set(
        "january february march april may june july august september october november december monday tuesday wednesday"
        " thursday friday saturday sunday century yesterday today tonight"
    ),
    "de": word_set(
        "januar februar märz april mai juni juli august september oktober november dezember montag dienstag mittwoch"
        " donnerstag freitag samstag sonnabend sonntag jahrhundert gestern vorgestern heute"
    ),
}
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}|\d{1,2}[.:]\d{2}(?:[.]\d{2,4})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The kind of answer a question expects, and where in the query its cue ends."""

    kind: AnswerType
    cue_end: int


def expected_answer(query: str, language: Language) -> Expected | None:
    """What the first cue of the query asks for; None for every other question and for what is no question."""
    lowered = query.lower()
    found = [
        (match.start(), Expected(kind=kind, cue_end=match.end()))
        for kind in _QUESTIONS[language]
        if (match := _cue(language, kind).search(lowered))
    ]
    return min(found, key=lambda item: item[0])[1] if found else None


@cache
def _cue(language: Language, kind: AnswerType) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_QUESTIONS[language][kind]})\b")


def answer_test(kind: AnswerType, language: Language) -> Callable[[str], bool]:
    """A test of one token as written; in German every noun has a capital, so a name is not told by it."""
    if kind == "number":
        words = _NUMBER_WORDS[language]
        return lambda token: token[0].isdigit() or token.lower() in words
    if kind == "date":
        dates = _DATE_WORDS[language]
        return lambda token: _YEAR.fullmatch(token) is not None or token.lower() in dates
    return (lambda _token: False) if language == "de" else lambda token: token[0].isupper()
