"""Spanish: numbers and units."""

from rag_core.language.quantities import QuantityWords
from rag_core.language.words import named_lines, numbered_lines

QUANTITIES = QuantityWords(
    numbers=numbered_lines(
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
    scales=numbered_lines(
        """
        12 docena docenas
        100 ciento cientos centenar centenares
        1000 mil miles millar millares
        1000000 millón millones
        1000000000000 billón billones
        """
    ),
    multiples=named_lines(
        """
        factor2 doble
        factor3 triple
        factor4 cuádruple
        part2 mitad
        part3 tercio
        """
    ),
    units=named_lines(
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
    percent=("por ciento",),
    links=("y",),
    one_words=frozenset({"un", "una"}),
)
