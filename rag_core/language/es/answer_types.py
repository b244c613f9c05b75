"""Spanish: kinds of answers."""

from rag_core.language.answer_types import AnswerTypeWords
from rag_core.language.es.times import MONTHS, WEEKDAYS
from rag_core.language.words import word_set

ANSWER_TYPES = AnswerTypeWords(
    questions={
        "date": r"cu[aá]ndo|(?:qu[eé]|cu[aá]l (?:es|era|fue|ha sido) (?:el|la)) (?:año|siglo|fecha|d[ií]a|mes|d[eé]cada)",
        "number": r"cu[aá]nt[oa]s?|(?:qu[eé]|cu[aá]l (?:es|era|fue|ha sido) (?:el|la)) (?:porcentaje|proporci[oó]n|cantidad"
        r"|n[uú]mero|altura|edad|distancia|tamaño|velocidad|temperatura|precio|poblaci[oó]n|superficie|hora|peso|talla)",
        "name": r"qui[eé]n(?:es)?|d[oó]nde|c[oó]mo se llam\w+|(?:qu[eé]|cu[aá]l (?:es|era|fue) (?:el|la)) (?:persona|ciudad"
        r"|pa[ií]s|lugar|estado|regi[oó]n|r[ií]o|calle|barrio|pueblo|empresa|equipo)",
    },
    number_words=word_set(
        "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho"
        " diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento cientos doscientos"
        " trescientos quinientos mil miles millón millones mitad doble tercio docena"
    ),
    date_words=word_set(" ".join((*MONTHS, *WEEKDAYS)).lower()) | word_set("setiembre siglo ayer anteayer hoy anoche"),
)
