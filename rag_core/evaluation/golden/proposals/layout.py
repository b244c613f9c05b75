"""Lists in a note: labelled lines and lists under a heading. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from rag_core.language.languages import language_of
from rag_core.model.note import Language, Span

MAX_LIST_CHARACTERS = 900
_LABELLED = re.compile(
    r"^(?:[-*•] |\d+[.)] )?(?P<label>[^\W\d_][^:\n?!.,;«»()]{2,45}): (?P<value>\S[^\n]{7,239})$", re.MULTILINE
)
_LIST = re.compile(
    r"^(?P<heading>[^\W\d_][^:\n]{3,60}):[ \t]*\n+(?P<items>(?:[ \t]*(?:[-*•]|\d+[.)]) [^\n]+(?:\n|\Z)){2,})",
    re.MULTILINE,
)
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)]) (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A line "label: value", or an amount of something, and where it stands."""

    label: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A heading with its items, and where they stand."""

    heading: str
    items: tuple[str, ...]
    span: Span


def labelled_lines(text: str) -> Iterator[Labelled]:
    """Lines with a label of a few words and a value of its own."""
    for match in _LABELLED.finditer(text):
        if len(match["label"].split()) <= 5 and not match["value"].startswith("//"):
            yield Labelled(label=match["label"].strip(), value=match["value"].strip(), span=match.span())


def amounts(text: str, language: Language) -> Iterator[Labelled]:
    """List items that begin with a measure: "330 g de harina" gives harina, 330 g."""
    for match in _amount(language).finditer(text):
        start = match.start("amount")
        yield Labelled(label=match["thing"].strip(), value=match["amount"], span=(start, match.end()))


@cache
def _amount(language: Language) -> re.Pattern[str]:
    wording = language_of(language).proposing
    return re.compile(
        rf"^[ \t]*[-*•] (?P<amount>\d[\d.,]* ?(?:{wording.measures})) (?:{wording.of})?(?P<thing>[^\W\d_][^\n,;.(]{{3,40}})",
        re.MULTILINE,
    )


def listings(text: str) -> Iterator[Listing]:
    """Headings that end with a colon, each with at least two items below."""
    for match in _LIST.finditer(text):
        items = tuple(item.strip() for item in _ITEM.findall(match["items"]))
        whole = match[0].rstrip()
        if len(whole) <= MAX_LIST_CHARACTERS:
            yield Listing(
                heading=match["heading"].strip(), items=items, span=(match.start(), match.start() + len(whole))
            )
