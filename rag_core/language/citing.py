"""Words around citations: how a source is named in an answer, and sentences of it that claim nothing, in each language."""

import re
from collections.abc import Mapping

from rag_core.language.words import word_set
from rag_core.model import Language

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

ASIDES: Mapping[Language, re.Pattern[str]] = {
    "es": re.compile(
        r"(?:hola|buen(?:os|as) (?:días|tardes|noches)|gracias|de nada|claro|por supuesto|perfecto|de acuerdo|vale)\b"
        r"[^.!]{0,30}[.!]*\s*|"
        r"(?:aquí (?:tienes|está|va|te dejo)|a continuación|esto es lo que (?:dicen|he encontrado)|en resumen\s*[.:])"
        r"[^.]{0,120}[.:!]*\s*|"
        r"(?:espero (?:que|haber)|si (?:quieres|necesitas|deseas)|avísame|dime si|puedo (?:ayudarte|buscar)).{0,200}",
        re.IGNORECASE | re.DOTALL,
    ),
    "de": re.compile(
        r"(?:hallo|guten (?:tag|morgen|abend)|danke|gern(?: geschehen)?|klar|natürlich|in ordnung)\b[^.!]{0,30}[.!]*\s*|"
        r"(?:hier (?:ist|sind|findest du|kommt)|das (?:steht|sagen)|zusammengefasst\s*[.:]|im folgenden)[^.]{0,120}[.:!]*\s*|"
        r"(?:ich hoffe|wenn du (?:möchtest|willst|magst|noch)|falls du|sag mir|lass mich wissen|ich kann (?:dir|auch))"
        r".{0,200}",
        re.IGNORECASE | re.DOTALL,
    ),
    "en": re.compile(
        r"(?:hello|hi|good (?:morning|afternoon|evening)|thanks|thank you|sure|of course|certainly|okay)\b[^.!]{0,30}[.!]*\s*|"
        r"(?:here (?:is|are)|here['’]s|this is what|below (?:is|are)|in summary\s*[.:])[^.]{0,120}[.:!]*\s*|"
        r"(?:i hope|if you (?:want|need|would like|['’]d like)|let me know|feel free|i can (?:also|help)).{0,200}",
        re.IGNORECASE | re.DOTALL,
    ),
}
"""Whole sentences that greet, announce or offer: they claim nothing a note could hold."""

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
