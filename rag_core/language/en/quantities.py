"""English: numbers and units."""

from rag_core.language.quantities import QuantityWords
from rag_core.language.words import named_lines, numbered_lines

QUANTITIES = QuantityWords(
    numbers=numbered_lines(
        """
        70 seventy
        80 eighty
        """
    ),
    scales=numbered_lines(
        """
        12 dozen dozens
        100 hundred hundreds
        1000 thousand thousands
        1000000 million millions
        1000000000 billion billions
        1000000000000 trillion trillions
        """
    ),
    multiples=named_lines(
        """
        factor2 double twice
        factor3 triple thrice
        factor4 quadruple
        part2 half
        part3 third
        """
    ),
    units=named_lines(
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
    percent=("per ?cent",),
    links=("and",),
    one_words=frozenset({"a", "an", "one"}),
)
