"""German: numbers and units."""

from itertools import product

from rag_core.language.quantities import QuantityWords
from rag_core.language.words import named_lines, numbered_lines

_GERMAN_UNITS = numbered_lines(
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
_GERMAN_TENS = numbered_lines(
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

QUANTITIES = QuantityWords(
    numbers=_GERMAN_NUMBERS | {f"{word}tausend": 1000 * number for word, number in _GERMAN_NUMBERS.items()},
    scales=numbered_lines(
        """
        12 dutzend dutzende
        100 hundert hunderte
        1000 tausend tausende tsd
        1000000 million millionen mio
        1000000000 milliarde milliarden mrd
        1000000000000 billion billionen
        """
    ),
    multiples=named_lines(
        """
        factor2 doppelt doppelte doppelten zweifache zweifachen
        factor3 dreifach dreifache dreifachen
        factor4 vierfach vierfache vierfachen
        part2 hälfte halb halbe halben halber halbes
        part3 drittel
        """
    ),
    units=named_lines(
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
    percent=("Prozent",),
    links=(),
    one_words=frozenset({"ein", "eine", "einen", "einem", "einer", "eines"}),
)
