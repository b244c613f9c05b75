"""Questions for a sum of money, and what they ask it of. Pure."""

import re
from datetime import UTC, datetime, tzinfo
from functools import cache

from rag_core.answering.quoting.asked_words import Term, terms_of
from rag_core.language.folding import fold_words
from rag_core.language.languages import language_of
from rag_core.model.note import Language
from rag_core.query.time_expressions import find_times, strip_times

_LATER = 9000


def asks_total(question: str, language: Language) -> bool:
    """True for a question about a sum of money: how much was spent, paid or earned."""
    return _asking(language).search(fold_words(question)) is not None


def without_asking(question: str, language: Language) -> str:
    """The question, folded, without the words that ask for a sum: those for what it is of."""
    return _saying_nothing(language).sub(" ", fold_words(question))


def things_asked(question: str, language: Language) -> tuple[Term, ...]:
    """Words of a question for a sum that say what it is of; none of another question, or of one for everything."""
    if not asks_total(question, language):
        return ()
    untimed = strip_times(question, find_times(question, now=later(None), language=language))
    terms = terms_of(without_asking(untimed, language), language, spoken=language)
    return tuple(term for term in terms if not term.key.isdigit())


def later(zone: tzinfo | None) -> datetime:
    """A moment after all times that notes and questions name, which are read as past."""
    return datetime(_LATER, 1, 1, tzinfo=zone or UTC)


@cache
def _saying_nothing(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{language_of(language).totals.saying_nothing})(?!\w)")


@cache
def _asking(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(language_of(language).totals.asking)})(?!\w)")
