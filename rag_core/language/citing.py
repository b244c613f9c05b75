"""Words around citations, and of sentences that claim nothing."""

import re
from dataclasses import dataclass

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


ASIDE_TOPIC = re.compile(
    r"\b(?:sobre|acerca de|about|regarding|zu|zur|zum|über) (?:\w{2,3} )?\w+[.!]*\s*\Z", re.IGNORECASE
)
"""How an offer ends that names what it is about in one word: "más detalles sobre la factura"."""

LAST_COPULA = re.compile(r"\b(?:es|fue|era|ist|war|is|was)\s*:\s*\Z", re.IGNORECASE)
"""How a line ends that only leads to what follows: "El precio fue:"."""

DENYING_REPLY = re.compile(r"\?[\s\"'»*_]*(?:no|nein)\b[\s.!,*_]*\Z", re.IGNORECASE)
"""How a question ends that is answered with no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingWords:
    """Words around citations, and of sentences that claim nothing."""

    lead: re.Pattern[str]
    """What leads to a mark and hangs in the air without it: "(véase [9])", "Laut [9], …"."""
    naming_words: frozenset[str]
    """Words of a sentence that speak of the source instead of the matter: no source need say them."""
    aside_words: frozenset[str]
    """What sentences that greet, announce or offer are made of; one with any other word of content claims something."""
    label_verb: re.Pattern[str]
    """What shows that a heading, a bold line or a line with a colon is a clause. Plural copulas introduce lists and are left out."""
    replies: frozenset[str]
    """Words that make a statement of the question before them."""
    indirect_question: re.Pattern[str]
    """How a part of a refusal begins that says what is not known."""
    no_negation: re.Pattern[str]
    """Words that look like negations and deny nothing."""
    name_openers: frozenset[str]
    """In German, where every noun has a capital, a name is a capitalised word after one of these, or one beside another."""
