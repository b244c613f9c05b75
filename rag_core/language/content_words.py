"""Words of answers and sources as they are compared: stems without accents, numbers in one form. Pure."""

import re
from functools import cache, lru_cache

from rag_core.language.folding import fold
from rag_core.language.languages import language_of
from rag_core.language.stemming import stem
from rag_core.model.note import Language

LEAST_PLURAL_LETTERS = 3
_THOUSANDS_DIGITS = 3

# One separator makes a decimal or thousands, two of them a date ("03.02.2025"), whose parts are numbers.
_NUMBER = r"(?<!\d[.,])(?:\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?|\d+[.,]\d+)(?![.,]?\d)|\d+"
# A minus is a sign where nothing stands right before it: "-5", not "10-5". "C++" and "C#" are other words than "C".
_SIGN = r"(?:(?<![\w.,)\]%€$£+\-\u2212])[-\u2212](?=\d))?"
_NAME = r"[^\W\d_]+(?:\+\+?|#)(?!\w)"
_TOKEN = re.compile(rf"{_SIGN}(?:{_NUMBER})|[%€$£]|{_NAME}|[^\W\d_]+|\w")
_ISO_DATE = re.compile(r"(?<![\w-])(\d{4})-(\d\d)-(\d\d)(?![\d-])")
# Zeros that are no part of anything: three digits may be thousands by another language's separator.
_NO_FRACTION = re.compile(r"[.,]0{1,2}\Z")
# Signs that part clauses, not those within a number, a date or a time, and a dash between blanks.
_CLAUSE_END = re.compile(r"(?<!\d)[.,:]|[.,:](?!\d)|[;?!¿¡…()\[\]]|\s[-\u2013\u2014]\s|\u2014|\n\s*\n|\n\s*[-*•]\s")
_THOUSANDS = {".": re.compile(r"\d{1,3}(?:\.\d{3})+"), ",": re.compile(r"\d{1,3}(?:,\d{3})+")}


def tokens_of(text: str, language: Language) -> list[str]:
    """Words as stems without accents and numbers in one form, in their order: "Los 1.000 días" gives los, 1000, dia.

    A decimal is one token ("3,5" gives 3.5), so that 5 is not found in it, and so is a negative number; %, €, $ and £ are
    tokens. A date is its day, month and year, however it is written in digits: "2025-02-03" and "03.02.2025" give 3, 2, 2025.
    """
    dated = _ISO_DATE.sub(r"\3.\2.\1", text.lower())
    return [_normalised(token, language) for token in _TOKEN.findall(dated)]


def clauses_of(text: str, language: Language) -> list[list[str]]:
    """The tokens of each clause, in their order: "No, es gratis." gives [no] and [es, gratis]."""
    clauses = (tokens_of(clause, language) for clause in _CLAUSE_END.split(text))
    return [tokens for tokens in clauses if tokens]


def is_number(token: str) -> bool:
    """Tell whether a token of ``tokens_of`` is a number."""
    return token[-1].isdigit()


def content_of(text: str, language: Language) -> frozenset[str]:
    """The distinct tokens of a text that are no function words."""
    return frozenset(tokens_of(text, language)) - function_stems(language)


@lru_cache(maxsize=65_536)
def _normalised(token: str, language: Language) -> str:
    if token[-1].isdigit():
        is_negative = token[0] in "-\u2212"
        return "-" * is_negative + _number(token[is_negative:], language)
    if token[-1] in "+#":
        return fold(token).text
    stemmed = fold(stem(token, language)).text
    # Snowball leaves the plural of short Spanish words alone: día and días, año and años.
    plural = language_of(language).word_forms.short_plural
    return stemmed.removesuffix(plural) if len(stemmed) > LEAST_PLURAL_LETTERS else stemmed


def _number(token: str, language: Language) -> str:
    """Without separators of thousands and zeros that say nothing, the decimal point as in English: "1.000,50" gives 1000.5.

    A zero behind the other separator stays: "am 3.10." is not "am 3.1.".
    """
    traits = language_of(language).traits
    thousands, decimal = traits.thousands_separator, traits.decimal_point
    whole, _, fraction = _NO_FRACTION.sub("", token).partition(decimal)
    if _THOUSANDS[thousands].fullmatch(whole):
        whole = whole.replace(thousands, "")
    if len(fraction) < _THOUSANDS_DIGITS:
        fraction = fraction.rstrip("0")
    number = whole.lstrip("0") or "0"
    return (f"{number}.{fraction}" if fraction else number).replace(",", ".")


@cache
def function_stems(language: Language) -> frozenset[str]:
    """Function words as ``tokens_of`` gives them."""
    return frozenset(_normalised(word, language) for word in language_of(language).stop_words.function_words)


@cache
def negation_stems(language: Language) -> frozenset[str]:
    """Negations as ``tokens_of`` gives them."""
    return frozenset(_normalised(word, language) for word in language_of(language).stop_words.negations)


@cache
def stems_of_negations_behind(language: Language) -> frozenset[str]:
    """Negations that may stand behind what they deny, as ``tokens_of`` gives them."""
    return frozenset(_normalised(word, language) for word in language_of(language).traits.negations_behind)
