"""Amounts of money as notes write them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from rag_core.language import LANGUAGES
from rag_core.language.languages import language_of
from rag_core.model.note import Language, Span

_NUMBER = r"(?:(?<![€$£])[-\u2212+])?(?:\d{1,3}(?:[.,'\u00a0\u202f]\d{3})+|\d+)(?:[.,]\d{1,2})?(?![\d.,]*\d)"
_CURRENCIES = frozenset({"€", "$", "£", "franc", "peso"})
_CODES = {"eur": "€", "usd": "$", "gbp": "£", "chf": "franc", "mxn": "peso"}
_SIGNS = {"franc": "CHF", "peso": "MXN"}
_SWAPPED = str.maketrans(",.", ".,")
_BELOW_ONE = re.compile(r"[-\u2212+]?0[.,]\d{3}")
_TOKEN = re.compile(r"\w+|[€$£]")
_DECIMALS = re.compile(r"[.,](\d{1,2})$")
_DIGITS = re.compile(r"\d(?:[\d.,'\u00a0\u202f]*\d)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """An amount, its currency where one is written ("€"), and where it stands."""

    value: Decimal
    currency: str | None
    span: Span


def amounts_in(text: str) -> Iterator[Amount]:
    """The numbers of a text that may be amounts, each with the currency beside it.

    A point or comma before one or two last digits is a decimal one, any other groups thousands.
    """
    for match in _pattern().finditer(text):
        written = match["before"] or match["after"]
        currency = None if written is None else _currency_of(written.lower())
        value = -_value(match["number"]) if match["minus"] else _value(match["number"])
        yield Amount(value=value, currency=currency, span=match.span())


def amount_of(cell: str) -> Amount | None:
    """The amount that is all of a cell; None where there is none or more."""
    text = cell.strip(" *_~")
    found = list(amounts_in(text))
    return found[0] if len(found) == 1 and found[0].span == (0, len(text)) else None


def currency_named(words: str) -> str | None:
    """The first currency that the words of a header name: "€" for "Importe (EUR)"."""
    return next((_names()[word] for word in _TOKEN.findall(words.lower()) if word in _names()), None)


def are_plain(written: Iterable[str], language: Language) -> bool:
    """Test whether every amount of a table can be read in one way alone.

    Three digits behind a single mark are thousands where the mark is the language's one of thousands, or other amounts show that it
    is, and none shows it as the decimal one: "1,459 €" in Spanish is plain beside "12.50 €", and neither alone nor beside "12,50 €".
    """
    decimal, thousands, unclear = set[str](), set[str](), set[str]()
    for number in (found[0] for text in written if (found := _DIGITS.search(text))):
        *before, last = re.findall("[.,]", number) or [""]
        if _DECIMALS.search(number) or _BELOW_ONE.fullmatch(number):
            decimal.add(last)
            thousands.update(before)
        elif last:
            (thousands if last in before else unclear).add(last)
    thousands |= {mark.translate(_SWAPPED) for mark in decimal} | {language_of(language).traits.thousands_separator}
    return unclear <= thousands - decimal


def money(value: Decimal, currency: str | None, language: Language) -> str:
    """An amount as it is written in a language, with two decimals: "1.234,50 €", in English "1,234.50 €"."""
    plain = f"{value:,.2f}"
    if language != "en":
        plain = plain.translate(_SWAPPED)
    return f"{plain} {_SIGNS.get(currency, currency)}" if currency else plain


@cache
def _pattern() -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in sorted(_names(), key=len, reverse=True))
    return re.compile(
        rf"(?:(?P<minus>(?<![\w.])[-\u2212])?(?P<before>(?<!\w)(?:{names}))[^\S\n]?)?(?<![\w.,/:'\u2019-])(?P<number>{_NUMBER})"
        rf"(?:[^\S\n]?(?P<after>{names})(?!\w))?(?![\w%/:-])",
        re.IGNORECASE,
    )


@cache
def _names() -> dict[str, str]:
    words = {
        word: unit
        for language in LANGUAGES
        for word, unit in language_of(language).quantities.units.items()
        if unit in _CURRENCIES
    }
    return words | _CODES | {sign: sign for sign in "€$£"}


def _currency_of(name: str) -> str:
    return _names()[name]


def _value(number: str) -> Decimal:
    sign = -1 if number[0] in "-\u2212" else 1
    decimals = _DECIMALS.search(number)
    if decimals is None and _BELOW_ONE.fullmatch(number):
        return sign * Decimal(f"0.{number[-3:]}")
    whole = number[: decimals.start()] if decimals else number
    return sign * Decimal(f"{re.sub(r'[^0-9]', '', whole)}.{decimals[1] if decimals else 0}")
