"""Content of a statement that a source can support: words by weight, figures, units, names, negations. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from itertools import pairwise

from rag_core.answering.verification.citations import without_citations
from rag_core.language import LANGUAGES
from rag_core.language.content_words import clauses_of, function_stems, is_number, negation_stems, tokens_of
from rag_core.language.languages import any_word, language_of
from rag_core.model.note import Language

_DOUBTFUL_WORDS = 2
_MONTH, _WEEKDAY = "month", "weekday"
MONTHS = frozenset(f"{_MONTH}{number}" for number in range(1, 13))
WEEKDAYS = frozenset(f"{_WEEKDAY}{number}" for number in range(7))
"""Keys of months and days of the week in the content of a statement."""
_YEAR, _DAY = re.compile(r"(?:19|20)\d\d"), re.compile(r"[12]?\d|3[01]")
_SIGNS = frozenset({"€", "$", "£"})
_UNIT_NAMES = frozenset({"%"}).union(*(language_of(language).quantities.units.values() for language in LANGUAGES))
_PERCENT = re.compile(rf"\b(?:{any_word(lambda words: words.quantities.percent)})\b", re.IGNORECASE)
_DENYING_REPLY = re.compile(
    rf"\?[\s\"'»*_]*(?:{any_word(lambda words: words.citing.denials)})\b[\s.!,*_]*\Z", re.IGNORECASE
)
"""End of a question that is answered with no."""
_SCALABLE = re.compile(r"\d{1,12}(?:\.\d{1,6})?|\d{1,4}0{3,12}")
_UNREAD_NUMBER = re.compile(r"(?<!jahr)(?:hundert|taus(?:end)?(?!ch))")
"""A German number in one word that is not read, such as "zweitausendfünfhundert", as a stem."""
_NUMBER_LINKS = frozenset(any_word(lambda words: words.quantities.links).split("|"))
_LIST_NUMBER = re.compile(r"^\s*\d{1,3}[.)]\s+", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")  # noqa: RUF001
_ISO_DATE = re.compile(r"(?<![\w-])(\d{4})-(0[1-9]|1[0-2])-([0-3]\d)(?![\d-])")
_POINTED_DATE = re.compile(r"(?<![\w./])([0-3]?\d)([./])(0?[1-9]|1[0-2])\2(\d{4})(?![\w/])")
_MAY = re.compile(r"(?<=\d )May\b|\bMay(?= \d)")
_SENTENCE_OPENING = re.compile(r"(?:^|[.!?…:;\n])[\s\"'«“„(¿¡*_\[-]*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The words of a sentence or a clause: content as stems, those of it that are figures or names, and how they hang together.

    ``polarity`` holds for a content word whether it stands under a negation (True), not (False), or both in the text.
    ``counted`` holds for a word the figures right before it ("142 euros"), and for a month the year behind it, neither of which
    counts what comes next. ``units`` are currencies and measures beside a figure, by the names of ``units``, ``ones`` those of
    which there is one ("una hora").
    """

    content: frozenset[str]
    figures: frozenset[str]
    names: frozenset[str]
    polarity: Mapping[str, frozenset[bool]]
    counted: Mapping[str, frozenset[str]]
    units: frozenset[str] = frozenset()
    ones: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to hold to a source."""
        return not self.content


def statement_of(
    text: str, language: Language, *, is_claim: bool = False, has_weekdays_of_dates: bool = False
) -> Statement:
    """Read a text. Of a claim, words that speak of the source ("según la nota") are left out. '' gives an empty one.

    With ``has_weekdays_of_dates`` a date says its day of the week too: "03/03/2025" was a Monday.

    Figures are numbers in one form, in digits or in the words that are known ("40 mil" is 40000), months, days of the week, and
    words such as "double"; a date is its day, month and year. What a question answered with no asks is denied.
    """
    bare = without_citations(text)
    dated = _PERCENT.sub("%", _with_month_names(_LIST_NUMBER.sub("", bare), language))
    clauses = _clauses(dated, language)
    left_out = function_stems(language) | (
        stems_of(language_of(language).citing.naming_words, language) if is_claim else frozenset()
    )
    tokens = [token for clause in clauses for token in clause if token not in left_out]
    content = frozenset(tokens)
    weekdays = frozenset(_weekdays(tokens)) if has_weekdays_of_dates else frozenset[str]()
    denying = language_of(language).citing.no_negation.sub(" ", dated)
    polarity = _polarity(clauses if denying == dated else _clauses(denying, language), content, language)
    return Statement(
        content=content | weekdays,
        figures=frozenset(token for token in content if _is_figure(token)) | weekdays,
        names=frozenset(_names(dated, language)) & content,
        polarity=dict.fromkeys(content, frozenset({True})) if _DENYING_REPLY.search(bare) else polarity,
        counted=_counted(clauses, content),
        units=frozenset(_measured(clauses, content)),
        ones=frozenset(_ones(clauses, language)),
    )


@cache
def stems_of(words: frozenset[str], language: Language) -> frozenset[str]:
    """The tokens of words."""
    return frozenset(token for word in words for token in tokens_of(word, language))


def amounts_of(statement: Statement) -> frozenset[str]:
    """Its figures but those of dates: months, days of the week, years, and where a month is named, days of it."""
    has_month = any(figure.startswith(_MONTH) for figure in statement.figures)
    return frozenset(
        figure
        for figure in statement.figures
        if not figure.startswith((_MONTH, _WEEKDAY))
        and not _YEAR.fullmatch(figure)
        and not (has_month and _DAY.fullmatch(figure))
    )


def _with_month_names(text: str, language: Language) -> str:
    """The text with its dates as day, name of the month and year, so that "3.5.2025" is no 5."""

    def named(day: str, month: str, year: str) -> str:
        return f"{day} {_month_names(language)[int(month)]} {year}"

    text = _MAY.sub(_month_names("es")[5], text) if language == "en" else text
    text = _ISO_DATE.sub(lambda match: named(match[3], match[2], match[1]), text)
    is_day_first = language_of(language).traits.has_day_before_month
    return _POINTED_DATE.sub(lambda match: named(match[1], match[3], match[4]), text) if is_day_first else text


@cache
def _month_names(language: Language) -> Mapping[int, str]:
    names = {month: name for name, month in reversed(list(language_of(language).times.months.items()))}
    return names | {5: "mayo"} if language == "en" else names


@cache
def _figures_in_words(language: Language) -> Mapping[str, str]:
    """Months as "month5", days of the week as "weekday1", numbers from two as "2", multiples and units by one name, by their stems.

    "may" is a verb as well.
    """
    wording = language_of(language).times
    named = {**language_of(language).quantities.units, "mayo": f"{_MONTH}5"}
    named |= {name: f"{_MONTH}{month}" for name, month in wording.months.items() if name != "may"}
    named |= {name: f"{_WEEKDAY}{day}" for name, day in wording.weekdays.items()}
    named |= {name: str(number) for name, number in wording.numbers.items() if number > 1 and name != "par"}
    named |= {name: str(number) for name, number in language_of(language).quantities.numbers.items()}
    named |= language_of(language).quantities.multiples
    return {tokens_of(name, language)[0]: figure for name, figure in named.items()}


@cache
def _scales(language: Language) -> Mapping[str, int]:
    return {tokens_of(name, language)[0]: scale for name, scale in language_of(language).quantities.scales.items()}


def _figure(token: str, language: Language) -> str:
    return _figures_in_words(language).get(token, token)


def _is_figure(token: str) -> bool:
    return is_number(token) or _UNREAD_NUMBER.search(token) is not None


def _names(text: str, language: Language) -> Iterator[str]:
    """The tokens of words that a capital shows to be names: not one that opens a sentence, unless another follows it."""
    words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]
    for at, (word, start, _) in enumerate(words):
        before = words[at - 1] if at else ("", 0, 0)
        after = words[at + 1] if at + 1 < len(words) else ("", 0, 0)
        beside = _is_name_like(before[0]) and text[before[2] : start].strip() in {"", "-"}
        beside |= _is_name_like(after[0]) and text[words[at][2] : after[1]].strip() in {"", "-"}
        is_name = (
            beside or before[0] in language_of(language).citing.name_openers
            if language_of(language).traits.has_capitalised_nouns
            else (beside or not _SENTENCE_OPENING.search(text, max(0, start - 8), start))
        )
        if _is_name_like(word) and is_name:
            yield from (_figure(token, language) for token in tokens_of(word, language))


def _is_name_like(word: str) -> bool:
    return len(word) > 1 and word[0].isupper()


def _clauses(text: str, language: Language) -> list[list[str]]:
    return [_figures(clause, language) for clause in clauses_of(text, language)]


def _figures(tokens: Sequence[str], language: Language) -> list[str]:
    """The tokens with figures in one form: "40 mil" is 40000, "ciento ochenta y tres" 183; a word such as "mil" alone is its own."""
    read: list[str] = []
    part: int | None = None  # what the last word of a number in words came to
    for token in tokens:
        scale, figure = _scales(language).get(token), _figure(token, language)
        worded = str(scale or figure) if scale or (figure != token and figure.isdecimal()) else None
        if scale is not None and part is not None and scale <= int(read[-1]) and part < scale:
            read[-1], part = str(int(read[-1]) + part * (scale - 1)), part * scale
        elif scale is not None and read and _SCALABLE.fullmatch(read[-1]):
            read[-1] = _scaled(read[-1], scale)
            part = int(read[-1]) if read[-1].isdecimal() else None
        elif worded is not None and part is not None and _is_added(worded, read[-1]):
            read[-1], part = str(int(read[-1]) + int(worded)), int(worded)
        elif part is None or token not in _NUMBER_LINKS:
            read.append(worded or figure)
            part = None if worded is None else int(worded)
    return read


def _is_added(number: str, to: str) -> bool:
    """Test whether a number in words goes on the one before it: 80 does on 100, 100 does not on 80."""
    return to.isdecimal() and len(number) <= len(to) - len(to.rstrip("0"))


def _scaled(number: str, scale: int) -> str:
    """The product: "1.5" and a million give "1500000"."""
    scaled = format(Decimal(number) * scale, "f")
    return scaled.rstrip("0").rstrip(".") if "." in scaled else scaled


def _measured(clauses: list[list[str]], content: frozenset[str]) -> Iterator[str]:
    """Units right behind a figure, and signs of a currency right before one."""
    for clause in clauses:
        for one, other in pairwise([token for token in clause if token in content]):
            if is_number(one) and other in _UNIT_NAMES:
                yield other
            elif one in _SIGNS and is_number(other):
                yield one


def _weekdays(tokens: Sequence[str]) -> Iterator[str]:
    """The days of the week of dates among words of content: a day and a month, in either order, with a year behind them."""
    for one, other, year in zip(tokens, tokens[1:], tokens[2:], strict=False):
        day, month = (other, one) if one in MONTHS else (one, other)
        if month in MONTHS and _DAY.fullmatch(day) and _YEAR.fullmatch(year):
            with suppress(ValueError):  # the 31st of a month that has none
                yield f"{_WEEKDAY}{date(int(year), int(month.removeprefix(_MONTH)), int(day)).weekday()}"


def _ones(clauses: list[list[str]], language: Language) -> Iterator[str]:
    """Units right behind an article, which says one of them."""
    for clause in clauses:
        for one, other in pairwise(clause):
            if one in stems_of(language_of(language).quantities.one_words, language) and other in _UNIT_NAMES:
                yield other


def _polarity(clauses: list[list[str]], content: frozenset[str], language: Language) -> dict[str, frozenset[bool]]:
    """A negation denies the next word of content in its clause, and perhaps the two after it; without any, the last before it.

    In German it denies the clause: "zahlt die Rechnung nicht" is "zahlt nicht".
    """
    found: dict[str, set[bool]] = {}
    for clause in clauses:
        places = [at for at, token in enumerate(clause) if token in content]
        denied, doubtful = set[int](), set[int]()
        for at, token in enumerate(clause):
            if token in negation_stems(language) and places:
                after = bisect_right(places, at)
                denied.update(places if language_of(language).traits.negations_behind else ())
                denied.add(places[min(after, len(places) - 1)])
                doubtful.update(places[after + 1 : after + 1 + _DOUBTFUL_WORDS])
        for place in places:
            values = {True} if place in denied else ({True, False} if place in doubtful else {False})
            found.setdefault(clause[place], set()).update(values)
    return {token: frozenset(values) for token, values in found.items()}


def _counted(clauses: list[list[str]], content: frozenset[str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for clause in clauses:
        tokens = [token for token in clause if token in content and token not in WEEKDAYS]
        for before, (one, other) in zip(["", *tokens], pairwise(tokens), strict=False):
            is_of_date = one in MONTHS or (before in MONTHS and _YEAR.fullmatch(one))
            if one in MONTHS and is_number(other):
                found.setdefault(one, set()).add(other)
            elif is_number(one) and not is_of_date:
                found.setdefault(other, set()).add(one)
    return {token: frozenset(figures) for token, figures in found.items()}
