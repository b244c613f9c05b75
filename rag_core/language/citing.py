"""Words around citations, and of sentences that claim nothing."""

import re
from dataclasses import dataclass

SOURCE_WORDS = (
    *("Fuentes?", "Notas?", "Documentos?", "Citas?", "Referencias?"),
    *("Quellen?", "Notiz(?:en)?", "Dokumente?", "Zitate?"),
    *("Sources?", "Notes?", "Documents?", "Doc", "Citations?", "Ref(?:erences?)?"),
)
"""Words before the number in a mark ("[Fuente 2]"), of all languages: a model does not keep to one."""
TITLE_WORDS = ("Fuente", "Quelle", "Source")
"""Words before a title in a mark ("[Quelle: Titel]"). "Nota" does not: "[Nota: …]" is a remark."""
JOINING_WORDS = ("y", "e", "und", "and")
"""Words between two numbers of a mark."""

PLACE = re.compile(
    r",\s*(?:(?:Seite|S\.|página|pág\.|page|p\.)\s*\d+|(?:Abschnitt|Blatt|sección|section)\s*\w+)\s*$", re.IGNORECASE
)
"""End of a title in a mark that names a place in the document."""


ASIDE_TOPIC = re.compile(
    r"\b(?:sobre|acerca de|about|regarding|zu|zur|zum|über) (?:\w{2,3} )?\w+[.!]*\s*\Z", re.IGNORECASE
)
"""End of an offer that names its subject in one word: "más detalles sobre la factura"."""

LAST_COPULA = re.compile(r"\b(?:es|fue|era|ist|war|is|was)\s*:\s*\Z", re.IGNORECASE)
"""End of a line that only introduces the next: "El precio fue:"."""

DENYING_REPLY = re.compile(r"\?[\s\"'»*_]*(?:no|nein)\b[\s.!,*_]*\Z", re.IGNORECASE)
"""End of a question that is answered with no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingWords:
    """Words around citations, and of sentences that claim nothing."""

    lead: re.Pattern[str]
    """Words before a mark that mean nothing without it: "(véase [9])", "Laut [9], …"."""
    naming_words: frozenset[str]
    """Words about the source instead of the matter, which no source has to hold."""
    aside_words: frozenset[str]
    """Words of sentences that greet, announce or offer; a sentence with any other content word claims something."""
    label_verb: re.Pattern[str]
    """Verb that makes a clause of a heading, a bold line or a line with a colon. Plural copulas introduce lists and are left out."""
    replies: frozenset[str]
    """Words that make a statement of the question before them."""
    indirect_question: re.Pattern[str]
    """Beginning of the part of a refusal that names what is not known."""
    no_negation: re.Pattern[str]
    """Words that look like negations and deny nothing."""
    name_openers: frozenset[str]
    """In German, where every noun has a capital, a name is a capitalised word after one of these, or one beside another."""
