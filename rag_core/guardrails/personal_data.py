"""Personal data by shape and check digit: e-mail, phone, IBAN, DNI, NIE, tax number, social security number, card. Pure.

A number counts when its check digits hold, so that quantities, prices and identifiers of other kinds stay; a phone number when a
number of that form can be dialled. Social security numbers are taken by the word before them, whatever their digits. Names are no
findings: who asks whom they met asks for a name.
"""

import re
from collections.abc import Callable, Iterator

from stdnum import iban, luhn
from stdnum.de import idnr
from stdnum.es import dni, nie

from rag_core.guardrails import Finding, PersonalDataKind
from rag_core.guardrails.phones import phone_spans
from rag_core.guardrails.spaced import joined_runs, spaced_emails
from rag_core.language.languages import language_of
from rag_core.model.note import Language, Span

Check = Callable[[], None]
"""Callback during the search of a long text, which raises when time is over."""

# Bounded, so that a long text of such characters takes linear time.
_EMAIL = re.compile(
    r"(?<![\w.+%-])[\w](?:[\w.+%'-]{0,62}[\w+-])?@[^\W_](?:[\w-]{0,62}[^\W_])?(?:\.[^\W_](?:[\w-]{0,62}[^\W_])?){1,6}",
    re.ASCII,
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ \u00a0-]?[A-Z0-9]){11,30}(?![A-Za-z0-9])")
_DNI = re.compile(r"(?<![\w.-])\d{1,2}\.?\d{3}\.?\d{3}[ -]?[A-Za-z](?!\w)", re.ASCII)
_NIE = re.compile(r"(?<![\w.-])[XYZxyz][ -]?\d{7}[ -]?[A-Za-z](?!\w)", re.ASCII)
_TAX_ID = re.compile(r"(?<![\w.,/-])[1-9](?:[ /]?\d){10}(?![\w/-])(?![.,]\d)", re.ASCII)
_CARD = re.compile(r"(?<![\w.,/-])[2-6](?:[ \u00a0-]?\d){12,18}(?![\w/-])(?![.,]\d)", re.ASCII)
_SOCIAL_ID = re.compile(
    r"\b(?:NASS|NUSS|N\.?\s?[ºo°]\s?(?:de\s)?(?:la\s)?(?:S\.?S\.?|Seguridad\sSocial)|n[uú]mero\sde\s(?:la\s)?Seguridad\sSocial|"
    r"n[uú]mero\sde\safiliaci[oó]n|Sozialversicherungsnummer|Rentenversicherungsnummer|SV-Nummer|social\ssecurity\s(?:number|no\.?)|SSN)"
    r"\s{0,3}(?:(?:es|ist|is|lautet)\s)?[:=#]?\s{0,3}"
    r"(?P<value>\d(?:[ /-]?[\dA-Z]){5,13}(?!\w))",
    re.IGNORECASE,
)
_LEAST_IBAN_CHARACTERS = 15
_LEAST_PHONE_DIGITS = 7
_CARD_LENGTHS = {"3": (14, 15), "4": (13, 16, 19), "5": (16,), "2": (16,), "6": (16, 17, 18, 19)}
_CARD_PREFIXES = re.compile(
    r"4|5[1-5]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)|3(?:[47]|0[0-5]|6|8)|6(?:011|5|4[4-9]|22|0|3|7)"
)


def find_personal_data(text: str, language: Language, *, check: Check = lambda: None) -> list[Finding]:
    """Find personal data of every kind, in the text's order; findings may overlap across kinds.

    ``check`` is called every few milliseconds of the search, and may raise to end it.
    """
    found = [finding for find in (_numbers, _emails, _labelled) for finding in find(text)]
    found += [Finding(span=span, kind="phone") for span in _phones(text, language, check)]
    return sorted(found, key=lambda finding: finding.span)


def _emails(text: str) -> Iterator[Finding]:
    if "@" in text:
        yield from (Finding(span=match.span(), kind="email") for match in _EMAIL.finditer(text))
    yield from (Finding(span=span, kind="email") for span in spaced_emails(text))


def _labelled(text: str) -> Iterator[Finding]:
    yield from (Finding(span=match.span("value"), kind="social_id") for match in _SOCIAL_ID.finditer(text))


def _numbers(text: str) -> Iterator[Finding]:
    for match in _IBAN.finditer(text):
        end = _iban_end(text, match.span())
        if end:
            yield Finding(span=(match.start(), end), kind="iban")
    for kind, pattern, is_valid in _CHECKED:
        yield from (Finding(span=match.span(), kind=kind) for match in pattern.finditer(text) if is_valid(match[0]))
    for run in joined_runs(text):
        found = [*_numbers(run.text), *_emails(run.text)]
        yield from (Finding(span=run.original(one.span), kind=one.kind) for one in found)


def _iban_end(text: str, span: Span) -> int:
    """Find the end of the IBAN that begins there; 0 without one. Capitals after it ("... 5332 OK") look like more of it."""
    start, last = span
    for end in reversed(_checked_ends(text[start:last])):
        if iban.is_valid(text[start : start + end].replace("\u00a0", " "), check_country=False):
            return start + end
    return 0


def _checked_ends(text: str) -> list[int]:
    """Ends before which letters and digits, the first four moved behind the others, give 1 modulo 97 (ISO 7064); 15 characters or more.

    One pass for all of them: ``stdnum`` would read the text anew for each.
    """
    signs = [(at + 1, int(sign, 36)) for at, sign in enumerate(text) if sign.isalnum()]
    head = "".join(str(value) for _, value in signs[:4])
    moved, shift, rest, ends = int(head), 10 ** len(head), 0, []
    for end, value in signs[4:]:
        rest = (rest * (10 if value < 10 else 100) + value) % 97
        if end >= _LEAST_IBAN_CHARACTERS and (rest * shift + moved) % 97 == 1:
            ends.append(end)
    return ends


def _is_card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    return (
        len(digits) in _CARD_LENGTHS[digits[0]]
        and _CARD_PREFIXES.match(digits) is not None
        and luhn.is_valid(digits)
        and len(set(digits)) > 1
    )


def _is_dni(text: str) -> bool:
    return bool(dni.is_valid(text.replace(".", "").zfill(9)))


_CHECKED: tuple[tuple[PersonalDataKind, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("card", _CARD, _is_card),
    ("tax_id", _TAX_ID, idnr.is_valid),
    ("dni", _DNI, _is_dni),
    ("nie", _NIE, nie.is_valid),
)


def _phones(text: str, language: Language, check: Check) -> set[Span]:
    """Numbers of the language's own country by their digits, those of the others only where they are grouped as there.

    "02 02 85780" could be dialled in Germany; nobody there would write it like that.
    """
    if sum(map(text.count, "0123456789")) < _LEAST_PHONE_DIGITS:
        return set()
    return {
        span
        for at, region in enumerate(language_of(language).traits.phone_regions)
        for span in phone_spans(text, region, is_strict=at > 0, least_digits=_LEAST_PHONE_DIGITS, check=check)
    }
