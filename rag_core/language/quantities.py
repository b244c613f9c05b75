"""Words for numbers, for multiples and parts of them, and for what is measured, in each language."""

from collections.abc import Mapping
from itertools import product

from rag_core.model.note import Language


def _named(table: str) -> dict[str, str]:
    """Words by the name that opens their line: "€ euro euros" gives euro €, euros €."""
    lines = (line.split() for line in table.strip().splitlines())
    return {word: name for name, *words in lines for word in words}


def _numbered(table: str) -> dict[str, int]:
    return {word: int(name) for word, name in _named(table).items()}


_GERMAN_UNITS = _numbered(
    """
    1 ein
    2 zwei
    3 drei
    4 vier
    5 fünf
    6 sechs
    7 sieben
    8 acht
    9 neun
    """
)
_GERMAN_TENS = _numbered(
    """
    20 zwanzig
    30 dreißig
    40 vierzig
    50 fünfzig
    60 sechzig
    70 siebzig
    80 achtzig
    90 neunzig
    """
)
_GERMAN_NUMBERS = {
    **_GERMAN_TENS,
    **{f"{unit}hundert": 100 * units for unit, units in _GERMAN_UNITS.items()},
    **{
        f"{unit}und{ten}": units + tens
        for (unit, units), (ten, tens) in product(_GERMAN_UNITS.items(), _GERMAN_TENS.items())
    },
}

NUMBER_WORDS: Mapping[Language, Mapping[str, int]] = {
    "es": _numbered(
        """
        21 veintiuno veintiún veintiuna
        22 veintidós
        23 veintitrés
        25 veinticinco
        26 veintiséis
        27 veintisiete
        28 veintiocho
        29 veintinueve
        70 setenta
        80 ochenta
        200 doscientos doscientas
        300 trescientos trescientas
        400 cuatrocientos cuatrocientas
        500 quinientos quinientas
        600 seiscientos seiscientas
        700 setecientos setecientas
        800 ochocientos ochocientas
        900 novecientos novecientas
        """
    ),
    "de": _GERMAN_NUMBERS | {f"{word}tausend": 1000 * number for word, number in _GERMAN_NUMBERS.items()},
    "en": _numbered(
        """
        70 seventy
        80 eighty
        """
    ),
}
"""Numbers in words that ``times.TIME_WORDINGS`` does not name."""

SCALES: Mapping[Language, Mapping[str, int]] = {
    "es": _numbered(
        """
        12 docena docenas
        100 ciento cientos centenar centenares
        1000 mil miles millar millares
        1000000 millón millones
        1000000000000 billón billones
        """
    ),
    "de": _numbered(
        """
        12 dutzend dutzende
        100 hundert hunderte
        1000 tausend tausende tsd
        1000000 million millionen mio
        1000000000 milliarde milliarden mrd
        1000000000000 billion billionen
        """
    ),
    "en": _numbered(
        """
        12 dozen dozens
        100 hundred hundreds
        1000 thousand thousands
        1000000 million millions
        1000000000 billion billions
        1000000000000 trillion trillions
        """
    ),
}
"""Words that multiply the number before them, or stand for themselves: "40 mil", "a million"."""

MULTIPLES: Mapping[Language, Mapping[str, str]] = {
    "es": _named(
        """
        factor2 doble
        factor3 triple
        factor4 cuádruple
        part2 mitad
        part3 tercio
        """
    ),
    "de": _named(
        """
        factor2 doppelt doppelte doppelten zweifache zweifachen
        factor3 dreifach dreifache dreifachen
        factor4 vierfach vierfache vierfachen
        part2 hälfte halb halbe halben halber halbes
        part3 drittel
        """
    ),
    "en": _named(
        """
        factor2 double twice
        factor3 triple thrice
        factor4 quadruple
        part2 half
        part3 third
        """
    ),
}
"""Words that make another figure of the one beside them; their names end in a digit, as those of all figures do."""

PERCENT = r"\b(?:por ciento|per ?cent|Prozent)\b"
"""What "%" is in words, in all languages."""

UNITS: Mapping[Language, Mapping[str, str]] = {
    "es": _named(
        """
        € euro euros eur
        $ dólar dólares usd
        £ libra libras gbp
        peso peso pesos
        franc franco francos chf
        minute minuto minutos min
        hour hora horas h
        day día días
        week semana semanas
        month mes meses
        year año años
        mm milímetro milímetros mm
        cm centímetro centímetros cm
        metre metro metros m
        km kilómetro kilómetros km
        mile milla millas
        foot pie pies
        gram gramo gramos g
        kilo kilo kilos kilogramo kilogramos kg
        ton tonelada toneladas
        litre litro litros l
        degree grado grados
        """
    ),
    "de": _named(
        """
        € euro euros eur
        $ dollar dollars usd
        £ pfund gbp
        peso peso pesos
        franc franken chf
        minute minute minuten min
        hour stunde stunden h
        day tag tage tagen
        week woche wochen
        month monat monate monaten
        year jahr jahre jahren
        mm millimeter mm
        cm zentimeter cm
        metre meter metern m
        km kilometer kilometern km
        mile meile meilen
        foot fuß
        gram gramm g
        kilo kilo kilos kilogramm kg
        ton tonne tonnen
        litre liter litern l
        degree grad
        """
    ),
    "en": _named(
        """
        € euro euros eur
        $ dollar dollars usd
        £ pound pounds gbp
        peso peso pesos
        franc franc francs chf
        minute minute minutes min
        hour hour hours h
        day day days
        week week weeks
        month month months
        year year years
        mm millimetre millimetres millimeter millimeters mm
        cm centimetre centimetres centimeter centimeters cm
        metre metre metres meter meters m
        km kilometre kilometres kilometer kilometers km
        mile mile miles
        foot foot feet
        gram gram grams g
        kilo kilo kilos kilogram kilograms kg
        ton ton tons tonne tonnes
        litre litre litres liter liters l
        degree degree degrees
        """
    ),
}
"""What a figure counts or measures, by one name for all languages."""

KINDS_OF_UNITS: tuple[frozenset[str], ...] = (
    frozenset({"€", "$", "£", "peso", "franc"}),
    frozenset({"minute", "hour", "day", "week", "month", "year"}),
    frozenset({"mm", "cm", "metre", "km", "mile", "foot"}),
    frozenset({"gram", "kilo", "ton"}),
)
"""Names of units that measure the same, so that one in the place of another is another measure."""

ONE_WORDS: Mapping[Language, frozenset[str]] = {
    "es": frozenset({"un", "una"}),
    "de": frozenset({"ein", "eine", "einen", "einem", "einer", "eines"}),
    "en": frozenset({"a", "an", "one"}),
}
"""Words before a unit that measure one of it: "una hora"."""

PARTS_OF_ONE: Mapping[tuple[str, str], str] = {
    ("hour", "minute"): "60",
    ("day", "hour"): "24",
    ("week", "day"): "7",
    ("year", "month"): "12",
    ("km", "metre"): "1000",
    ("metre", "cm"): "100",
    ("cm", "mm"): "10",
    ("ton", "kilo"): "1000",
    ("kilo", "gram"): "1000",
}
"""How many of the smaller unit one of the larger is."""
