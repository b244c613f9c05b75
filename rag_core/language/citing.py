"""Words around citations, and of sentences that claim nothing."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingWords:
    """Words around citations, and of sentences that claim nothing."""

    source_words: tuple[str, ...]
    """Patterns of the words before the number in a mark: "[Fuente 2]"."""
    title_words: tuple[str, ...]
    """Words before a title in a mark: "[Quelle: Titel]". "Nota" is none: "[Nota: …]" is a remark."""
    joining_words: tuple[str, ...]
    """Words between two numbers of a mark."""
    pages: tuple[str, ...]
    """Patterns of the words before the number of a page in a mark."""
    sections: tuple[str, ...]
    """Words before the name of a section in a mark."""
    about: tuple[str, ...]
    """Prepositions before the subject of an offer: "más detalles sobre la factura"."""
    copulas: tuple[str, ...]
    """Copulas at the end of a line that only introduces the next: "El precio fue:"."""
    denials: tuple[str, ...]
    """Answers that deny the question before them."""
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
