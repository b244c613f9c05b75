"""Words around citations: how a source is named in an answer, and sentences of it that claim nothing, in each language."""

import re
from collections.abc import Mapping

from rag_core.language.words import word_set
from rag_core.model.note import Language

SOURCE_WORDS = (
    *("Fuentes?", "Notas?", "Documentos?", "Citas?", "Referencias?"),
    *("Quellen?", "Notiz(?:en)?", "Dokumente?", "Zitate?"),
    *("Sources?", "Notes?", "Documents?", "Doc", "Citations?", "Ref(?:erences?)?"),
)
"""What may stand before the number in a mark ("[Fuente 2]"), in all languages: a model does not keep to one."""
TITLE_WORDS = ("Fuente", "Quelle", "Source")
"""What stands before a title in a mark ("[Quelle: Titel]"). "Nota" does not: "[Nota: …]" is a remark."""
JOINING_WORDS = ("y", "e", "und", "and")
"""What may stand between two numbers of a mark."""

PLACE = re.compile(
    r",\s*(?:(?:Seite|S\.|página|pág\.|page|p\.)\s*\d+|(?:Abschnitt|Blatt|sección|section)\s*\w+)\s*$", re.IGNORECASE
)
"""How a title in a mark ends that names a place in the document."""

LEADS: Mapping[Language, re.Pattern[str]] = {
    "es": re.compile(
        r"(?<!\w)(?:según|v[eé]a(?:n)?se(?: también)?|ver(?: también)?|cf\.)(?: (?:la|las|el|los))?"
        r"(?: (?:notas?|fuentes?|documentos?))?:?[ \t]*$|(?<=\()(?:notas?|fuentes?):?[ \t]*$",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"(?<!\w)(?:laut|gemäß|siehe(?: auch)?|vgl\.)(?: (?:der|den|dem))?(?: (?:Notiz(?:en)?|Quellen?|Dokument(?:en)?))?:?[ \t]*$|"
        r"(?<=\()(?:Notiz(?:en)?|Quellen?):?[ \t]*$",
        re.IGNORECASE,
    ),
    "en": re.compile(
        r"(?<!\w)(?:according to|per|see(?: also)?|cf\.)(?: the)?(?: (?:notes?|sources?|documents?))?:?[ \t]*$|"
        r"(?<=\()(?:notes?|sources?):?[ \t]*$",
        re.IGNORECASE,
    ),
}
"""What leads to a mark and hangs in the air without it: "(véase [9])", "Laut [9], …"."""

NAMING_WORDS: Mapping[Language, frozenset[str]] = {
    "es": word_set(
        "nota notas fuente fuentes apunte apuntes apuntado anotado documento según mencionar menciona indica dice"
    ),
    "de": word_set("notiz notizen quelle quellen dokument laut gemäß erwähnt steht notiert"),
    "en": word_set("note notes source sources document according mentions mentioned says states noted"),
}
"""Words of a sentence that speak of the source instead of the matter: no source need say them."""

ASIDE_WORDS: Mapping[Language, frozenset[str]] = {
    "es": word_set(
        """
        hola buenos buenas días tardes noches gracias nada claro supuesto perfecto acuerdo vale aquí tienes siguiente siguientes
        continuación encontrado encontré resumen resumiendo espero esperamos sirva sirve ayude ayuda ayudado ayudarte útil
        quieres necesitas deseas prefieres avísame dime dímelo puedo buscar buscarlo mirar más detalle detalles información respuesta
        respuestas pregunta preguntas duda dudas cosa cosas siento lamento gusto favor encantado resto lista parte ver
        """
    ),
    "de": word_set(
        """
        hallo guten tag morgen abend danke dank gern gerne geschehen klar natürlich ordnung hier findest kommt kommen folgt folgende
        folgenden folgendes gefunden zusammenfassung zusammengefasst überblick hoffe hilft geholfen helfen hilfe möchtest willst
        magst brauchst sag sagen lass wissen kann einzelheiten details mehr weitere weiteren weiter information informationen
        antwort antworten frage fragen bescheid leider bitte tut leid nachsehen suchen liste rest deine deinen
        """
    ),
    "en": word_set(
        """
        hello hi good morning afternoon evening thanks thank sure course certainly okay ok following follows found find summary
        summarise summarize overview hope helps help helped useful want need like let know feel free can look search detail details
        information answer answers question questions anything else further please sorry afraid glad happy rest list here
        """
    ),
}
"""What sentences that greet, announce or offer are made of; one with any other word of content claims something."""

ASIDE_TOPIC = re.compile(
    r"\b(?:sobre|acerca de|about|regarding|zu|zur|zum|über) (?:\w{2,3} )?\w+[.!]*\s*\Z", re.IGNORECASE
)
"""How an offer ends that names what it is about in one word: "más detalles sobre la factura"."""

LABEL_VERBS: Mapping[Language, re.Pattern[str]] = {
    "es": re.compile(
        r"\b(?:es|fue|era|está|estaba|ha|han|había|hubo|hay|tiene|tuvo|debe|puede)\b|\b(?!fueron\b)\w{2,}(?:ó|aron|ieron|eron|aba|aban)\b",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\b(?:ist|war|wird|wurde|wurden|hat|haben|hatte|hatten|muss|soll|kann|konnte|starb|kam|ging|gab|nahm)\b|"
        r"\b[a-zäöüß]+[^\Wsz_]te[nt]?\b",
    ),
    "en": re.compile(
        r"\b(?:is|was|has|had|did|does|will|must|can|could|paid|cost|took|came|went|got|gave)\b|\b\w{2,}ed\b",
        re.IGNORECASE,
    ),
}
"""What shows that a heading, a bold line or a line with a colon is a clause. Plural copulas introduce lists and are left out."""
LAST_COPULA = re.compile(r"\b(?:es|fue|era|ist|war|is|was)\s*:\s*\Z", re.IGNORECASE)
"""How a line ends that only leads to what follows: "El precio fue:"."""

REPLIES: Mapping[Language, frozenset[str]] = {
    "es": word_set("sí si no claro exacto exactamente correcto cierto así efectivamente desde luego supuesto"),
    "de": word_set("ja nein doch genau richtig stimmt korrekt natürlich klar"),
    "en": word_set("yes no yeah yep indeed exactly correct right true sure certainly course did was"),
}
"""Words that make a statement of the question before them."""
DENYING_REPLY = re.compile(r"\?[\s\"'»*_]*(?:no|nein)\b[\s.!,*_]*\Z", re.IGNORECASE)
"""How a question ends that is answered with no."""

INDIRECT_QUESTIONS: Mapping[Language, re.Pattern[str]] = {
    "es": re.compile(r"(?:ni )?(?:cuánt\w+|cuándo|cuál\w*|qué|quién\w*|dónde|cómo|si|por qué)\b", re.IGNORECASE),
    "de": re.compile(r"(?:wie|wann|wo\w*|wer|wen|wem|was|ob|welche\w*|warum|wieso|dass)\b", re.IGNORECASE),
    "en": re.compile(r"(?:wh\w+|how|if)\b", re.IGNORECASE),
}
"""How a part of a refusal begins that says what is not known."""

CONJUNCTIONS: Mapping[Language, frozenset[str]] = {
    "es": word_set("y e o u ni pero aunque porque que"),
    "de": word_set("und oder aber denn sondern dass weil"),
    "en": word_set("and or but because that"),
}
"""What needs no comma once what stood between two of them behind it is gone: "Y, según [9], llovió"."""

NO_NEGATIONS: Mapping[Language, re.Pattern[str]] = {
    "es": re.compile(
        r"\bno (?:sol[oa]|sólo|solamente|obstante)\b|\bnada más\b|\bsin embargo\b|\bni que decir\b", re.IGNORECASE
    ),
    "de": re.compile(r"\bnicht nur\b|\bnoch (?!nie|nicht|kein)", re.IGNORECASE),
    "en": re.compile(r"\bnot only\b|\bno doubt\b|\bnot just\b|\bno sooner\b", re.IGNORECASE),
}
"""Words that look like negations and deny nothing."""

NAME_OPENERS: Mapping[Language, frozenset[str]] = {
    "es": frozenset(),
    "de": word_set("Herr Herrn Frau Dr Prof in aus nach von bei mit für"),
    "en": frozenset(),
}
"""In German, where every noun has a capital, a name is a capitalised word after one of these, or one beside another."""
