"""Names that are told by their own form: dates, money, laws, titles, addresses, companies with a legal form. Pure."""

import re
from collections.abc import Collection, Iterator
from decimal import Decimal
from functools import cache

from rag_core.language.amounts import amount_of, amounts_in, currency_named
from rag_core.language.folding import fold
from rag_core.language.languages import language_of
from rag_core.language.names import LEGAL_FORMS, REGULATIONS, ROLE_ADDRESSES
from rag_core.language.times import NUMERIC_DATES
from rag_core.model.entity import EntityKind, NamedMention
from rag_core.model.note import Language, Span

CAPITAL = r"[^\W\d_a-zß-öø-ÿ]"
_WORD = rf"{CAPITAL}[\w'\u2019-]*"
_YEAR = r"(?P<year>(?:19|20)\d{2})(?!\d)"
_EMAIL = re.compile(r"(?<![\w.+-])(?P<local>[\w.+-]+)@(?P<domain>[\w-]+)(?:\.[\w-]+)+")
_FILE = re.compile(
    r"(?<![\w./-])[\w-]+(?:\.[\w-]+)*\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|csv|txt|md|zip|rtf|ics|eml|jpe?g|png)(?![\w/])"
)
_STANDARD = re.compile(
    r"(?<!\w)(?:(?:DIN|UNE|BS|ISO|IEC|EN|VDE|IEEE|RFC)[ /-]){1,3}\d{3,}(?:-\d+)*(?::\d{4})?(?!\w)"
    r"|(?<!\w)(?:ISO|DIN)(?:/IEC)? \d{3,}(?:-\d+)*(?!\w)"
)
_QUOTED = re.compile(
    r"«([^«»\n]{2,90})»|\u201c([^\u201c\u201d\n]{2,90})\u201d|\u201e([^\u201e\u201c\u201d\n]{2,90})[\u201c\u201d]"
    r"|(?<!\w)\"([^\"\n]{2,90})\"(?!\w)|(?<![*\w])\*([^*\n]{2,90})\*(?![*\w])|(?<![_\w])_([^_\n]{2,90})_(?![_\w])"
)
_LINK = re.compile(r"(?<!!)\[([^\[\]\n]{2,120})\]\([^()\n]*\)")
_WIKI_LINK = re.compile(r"\[\[([^\[\]|#\n]{2,120})(?:[#|][^\[\]\n]*)?\]\]")
_COMPANY = re.compile(
    rf"(?<!\w){_WORD}(?:(?: (?:&|de|del|la|los|las|y|und|and|of))*[ ]{_WORD}){{0,5}},? (?:{LEGAL_FORMS})(?!\w)"
)
_SPEECH_BEFORE = re.compile(r":\s*\Z")
_MAX_WORDS_OF_TITLE = 12
_NEAR = 200
"""Characters before a quoted title in which a word says that it is one; what is quoted else is speech."""
_INVISIBLE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`|(?:https?://|www\.)[^\s)>\]]+|(?<![\w&])#[^\W\d]\w*", re.DOTALL)
HIDDEN = "\ufffc"


def parsed_names(text: str, language: Language) -> list[NamedMention]:
    """The names of a text that their form tells, none overlapping, by place."""
    hidden = hide(text, [match.span() for match in _INVISIBLE.finditer(text)])
    found: list[NamedMention] = []
    for read in (_dates, _money, _addresses, _documents, _laws, _streets, _companies):
        mentions = _apart(read(hidden, language))
        found.extend(mentions)
        hidden = hide(hidden, [mention.span for mention in mentions])
    return sorted(found, key=lambda mention: mention.span)


def hidden_text(text: str, mentions: list[NamedMention]) -> str:
    """The text without what ``parsed_names`` found, and without code, links' addresses and tags; as long as before."""
    invisible = [match.span() for match in _INVISIBLE.finditer(text)]
    return hide(text, [*invisible, *(mention.span for mention in mentions)])


def hide(text: str, spans: list[Span]) -> str:
    """The text with a mark for every character of the spans."""
    pieces, reached = [], 0
    for start, end in sorted(spans):
        if start >= reached:
            pieces += [text[reached:start], HIDDEN * (end - start)]
            reached = end
    return "".join(pieces) + text[reached:]


def date_key(text: str, language: Language) -> str | None:
    """The day, month or quarter that is all of a text: "2026-03-09", "--03-09", "2026-03", "2026-Q1"; None where it is none."""
    return next((key for span, key in _read_dates(text, language) if span == (0, len(text))), None)


def money_key(text: str, language: Language) -> str | None:
    """The amount that is all of a text, with its currency: "1234.50 €"; None where it is none."""
    return next((key for span, key in _read_money(text, language) if span == (0, len(text))), None)


def email_name(address: str) -> str | None:
    """The name that an address is made of: "Joan Bosch" for "joan.bosch@…"; None for a role's."""
    found = _EMAIL.fullmatch(address)
    parts = [part for part in re.split(r"[._+-]", found["local"]) if part.isalpha()] if found else []
    if (
        not parts
        or found is None
        or found["local"].lower() in ROLE_ADDRESSES
        or any(part.lower() in ROLE_ADDRESSES for part in parts)
    ):
        return None
    return " ".join(part.capitalize() for part in parts)


def domain_names(text: str) -> Iterator[str]:
    """The names of the domains of a text's e-mail addresses: "sonnwerk" of "info@sonn-werk.de"."""
    return (fold(match["domain"].replace("-", "")).text for match in _EMAIL.finditer(text))


def _apart(mentions: Iterator[NamedMention]) -> list[NamedMention]:
    """The longest of those that overlap."""
    kept: list[NamedMention] = []
    taken: set[int] = set()
    for one in sorted(mentions, key=lambda one: (one.span[0] - one.span[1], one.span)):
        places = range(*one.span)
        if not taken.intersection((places[0], places[-1])):
            kept.append(one)
            taken.update(places)
    return kept


def _mention(span: Span, kind: EntityKind, name: str) -> NamedMention:
    return NamedMention(
        span=span, kind=kind, name=name, confidence=0.95 if kind in {"DATE", "MONEY"} else 0.9, method="parser"
    )


def _dates(text: str, language: Language) -> Iterator[NamedMention]:
    yield from (_mention(span, "DATE", text[slice(*span)]) for span, _ in _read_dates(text, language))


def _read_dates(text: str, language: Language) -> Iterator[tuple[Span, str]]:
    for pattern in _date_patterns(language):
        for match in pattern.finditer(text):
            if key := _date_of(match.groupdict(), language):
                yield match.span(), key


def _date_of(groups: dict[str, str | None], language: Language) -> str | None:
    year, day, month = groups.get("year"), groups.get("day"), groups.get("month_number")
    if year and len(year) == 2:
        year = f"20{year}"
    if word := groups.get("month"):
        month = str(_months(language)[fold(word).text])
    if groups.get("number") or groups.get("word"):
        return f"{year}-Q{groups.get('number') or _ordinal(str(groups.get('word')), language)}"
    if month is None or not 1 <= int(month) <= 12:
        return None
    if day is None:
        return f"{year}-{int(month):02d}" if year else None
    number = int(day) if day.isdigit() else 1
    return f"{year or '-'}-{int(month):02d}-{number:02d}" if 1 <= number <= 31 else None


def _ordinal(word: str, language: Language) -> int:
    first = language_of(language).names.quarters
    alternatives = next(match[1] for pattern in first if (match := re.search(r"\(\?P<word>([^)]*)\)", pattern)))
    places = [re.match(one, word, re.IGNORECASE) is not None for one in alternatives.split("|")]
    return min(places.index(True) + 1, 4) if True in places else 4


@cache
def _months(language: Language) -> dict[str, int]:
    times = language_of(language).times
    short = {fold(name).text.rstrip("."): number for number, name in enumerate(times.month_abbreviations, 1)}
    return short | dict(times.months)


@cache
def _date_patterns(language: Language) -> tuple[re.Pattern[str], ...]:
    words, times = language_of(language).names, language_of(language).times
    names = sorted({*times.month_names, *times.month_abbreviations, *_months(language)}, key=len, reverse=True)
    month = rf"(?P<month>{'|'.join(map(re.escape, names))})(?!\w)(?:\.(?= \d))?"
    written = [
        rf"(?<![\w/.,-]){pattern.replace('{month}', month).replace('{year}', _YEAR)}(?![\w]|[.,/-]\d)"
        for pattern in (*words.dates, *words.quarters)
    ]
    quarters = [
        rf"(?<!\w)[QT](?P<number>[1-4])[ /-]?(?:of )?{_YEAR}(?!\w)",
        r"(?<!\w)(?P<year>20\d{2})[ /-]?Q(?P<number>[1-4])(?!\w)",
    ]
    numeric = [rf"(?<![\w/.,-]){pattern}(?!\d)" for _, pattern in NUMERIC_DATES]
    return (
        *(re.compile(pattern, re.IGNORECASE) for pattern in written),
        *(re.compile(pattern) for pattern in (*numeric, *quarters)),
    )


def _money(text: str, language: Language) -> Iterator[NamedMention]:
    yield from (_mention(span, "MONEY", text[slice(*span)]) for span, _ in _read_money(text, language))


def _read_money(text: str, language: Language) -> Iterator[tuple[Span, str]]:
    taken: list[Span] = []
    for match in _many(language).finditer(text):
        currency = currency_named(match["before"] or match["after"] or "")
        number = language_of(language).names.small_numbers.get(fold(match["number"]).text)
        read = amount_of(match["number"])
        value = Decimal(number) if number is not None else read.value if read else None
        if currency and value is not None:
            taken.append(match.span())
            yield (
                match.span(),
                _amount(value * language_of(language).names.millions[fold(match["many"]).text], currency),
            )
    for amount in amounts_in(text):
        if amount.currency and not any(start < amount.span[1] and amount.span[0] < end for start, end in taken):
            yield amount.span, _amount(amount.value, amount.currency)


def _amount(value: Decimal, currency: str) -> str:
    return f"{value:.2f} {currency}"


@cache
def _many(language: Language) -> re.Pattern[str]:
    words = language_of(language).names
    numbers, many = (
        "|".join(words.small_numbers),
        "|".join(map(re.escape, sorted(words.millions, key=len, reverse=True))),
    )
    return re.compile(
        rf"(?P<before>[€$£])?(?<![\w.,])(?P<number>\d[\d.,]*|{numbers})[ \u00a0]?(?P<many>{many})(?!\w)"
        r"(?:(?: de)? ?(?P<after>[€$£]|\w+))?",
        re.IGNORECASE,
    )


def _addresses(text: str, language: Language) -> Iterator[NamedMention]:
    given = language_of(language).names.given
    for match in _EMAIL.finditer(text):
        name = email_name(match[0])
        if name and (" " in name or fold(name).text in given):
            yield _mention(match.span(), "PERSON", name)


def _documents(text: str, language: Language) -> Iterator[NamedMention]:
    words = language_of(language).names
    function_words = language_of(language).stop_words.function_words
    for match in re.finditer(rf"(?<!\w)(?:{words.documents})", text):
        yield _named(match, "DOCUMENT", function_words)
    for match in _FILE.finditer(text):
        yield _mention(match.span(), "DOCUMENT", match[0])
    for match in _WIKI_LINK.finditer(text):
        if " " in match[1].strip():
            yield _mention(match.span(1), "DOCUMENT", match[1])
    for pattern in (_QUOTED, _LINK):
        for match in pattern.finditer(text):
            if found := _title(text, match, language, is_link=pattern is _LINK):
                yield found


def _title(text: str, match: re.Match[str], language: Language, *, is_link: bool) -> NamedMention | None:
    """A quoted or linked title; what follows a colon, or ends like a sentence, is speech."""
    group = match.lastindex or 1
    title, span = match[group], match.span(group)
    before = text[max(0, match.start() - 30) : match.start()]
    names_something = title[0].isupper() or title[0].isdigit()
    if not names_something or title[-1] in ".!?,;:" or len(title.split()) > _MAX_WORDS_OF_TITLE or HIDDEN in title:
        return None
    if (is_link and " " not in title) or (not is_link and _SPEECH_BEFORE.search(before) and len(title.split()) > 5):
        return None
    words = language_of(language).names
    last = re.search(r"(\w+)\W*\Z", before)
    if last is not None and fold(last[1]).text in words.venues:
        return _mention(span, "ORG", title)
    told = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - _NEAR) : match.start()]
    is_told = (
        is_link
        or re.search(rf"(?<!\w)(?:{words.reading}|{words.documents})", told, re.IGNORECASE)
        or re.match(words.reading, title)
    )
    is_paper = re.search(
        rf"(?:^|(?<=\w))(?:{words.reading})", title, re.IGNORECASE
    )  # "Guía de despliegue", "Ausfallbericht"
    return _mention(span, "DOCUMENT", title) if is_told or is_paper else None


def _laws(text: str, language: Language) -> Iterator[NamedMention]:
    function_words = language_of(language).stop_words.function_words
    for pattern in (*_law_patterns(language), _STANDARD):
        yield from (_named(match, "REGULATION", function_words) for match in pattern.finditer(text))


@cache
def _law_patterns(language: Language) -> tuple[re.Pattern[str], ...]:
    short = "|".join(map(re.escape, sorted(REGULATIONS, key=len, reverse=True)))
    laws = language_of(language).names.laws
    return (*(re.compile(rf"(?<![\w-])(?:{law})") for law in laws), re.compile(rf"(?<![\w-])(?:{short})(?!\w)"))


def _streets(text: str, language: Language) -> Iterator[NamedMention]:
    for street in language_of(language).names.streets:
        yield from (
            _mention(match.span(), "LOCATION", match[0]) for match in re.finditer(rf"(?<!\w)(?:{street})", text)
        )


def _companies(text: str, language: Language) -> Iterator[NamedMention]:
    words = language_of(language)
    dropped = words.names.venues | words.names.companies | words.stop_words.function_words
    yield from (_named(match, "ORG", dropped) for match in _COMPANY.finditer(text))


def _named(match: re.Match[str], kind: EntityKind, dropped: Collection[str]) -> NamedMention:
    """The name without the words before it that are no part of it, except its last two."""
    start, name = match.start(), match[0]
    while fold(name.partition(" ")[0]).text in dropped and name.count(" ") > 1:
        start, name = start + name.index(" ") + 1, name.partition(" ")[2]
    return _mention((start, match.end()), kind, name)
