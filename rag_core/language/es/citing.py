"""Spanish: words around citations."""

import re

from rag_core.language.citing import CitingWords
from rag_core.language.words import word_set

CITING = CitingWords(
    source_words=("Fuentes?", "Notas?", "Documentos?", "Citas?", "Referencias?"),
    title_words=("Fuente",),
    joining_words=("y", "e"),
    pages=("página", r"pág\."),
    sections=("sección",),
    about=("sobre", "acerca de"),
    copulas=("es", "fue", "era"),
    denials=("no",),
    lead=re.compile(
        r"(?<!\w)(?:según|v[eé]a(?:n)?se(?: también)?|ver(?: también)?|cf\.)(?: (?:la|las|el|los))?"
        r"(?: (?:notas?|fuentes?|documentos?))?:?[ \t]*$|(?<=\()(?:notas?|fuentes?):?[ \t]*$",
        re.IGNORECASE,
    ),
    naming_words=word_set(
        "nota notas fuente fuentes apunte apuntes apuntado anotado documento según mencionar menciona indica dice"
    ),
    aside_words=word_set(
        """
        hola buenos buenas días tardes noches gracias nada claro supuesto perfecto acuerdo vale aquí tienes siguiente siguientes
        continuación encontrado encontré resumen resumiendo espero esperamos sirva sirve ayude ayuda ayudado ayudarte útil
        quieres necesitas deseas prefieres avísame dime dímelo puedo buscar buscarlo mirar más detalle detalles información respuesta
        respuestas pregunta preguntas duda dudas cosa cosas siento lamento gusto favor encantado resto lista parte ver
        """
    ),
    label_verb=re.compile(
        r"\b(?:es|fue|era|está|estaba|ha|han|había|hubo|hay|tiene|tuvo|debe|puede)\b|\b(?!fueron\b)\w{2,}(?:ó|aron|ieron|eron|aba|aban)\b",
        re.IGNORECASE,
    ),
    replies=word_set("sí si no claro exacto exactamente correcto cierto así efectivamente desde luego supuesto"),
    indirect_question=re.compile(
        r"(?:ni )?(?:cuánt\w+|cuándo|cuál\w*|qué|quién\w*|dónde|cómo|si|por qué)\b", re.IGNORECASE
    ),
    no_negation=re.compile(
        r"\bno (?:sol[oa]|sólo|solamente|obstante)\b|\bnada más\b|\bsin embargo\b|\bni que decir\b", re.IGNORECASE
    ),
    name_openers=frozenset(),
)
