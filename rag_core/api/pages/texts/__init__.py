"""Texts, figures and dates of the pages in the reader's language.

The code and the templates hold the Spanish texts, a catalogue beside this module those of each other language.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime
from functools import cache
from importlib.resources import files
from typing import TypeVar
from zoneinfo import ZoneInfo

from rag_core.language.languages import language_of
from rag_core.model.note import Language
from rag_core.model.zones import in_zone
from rag_core.translation import MessageTranslator, core_catalogue, document_catalogue, read_catalogue

SOURCE: Language = "es"
_SPOKEN: ContextVar[Language] = ContextVar("spoken", default=SOURCE)
_DECIMAL_POINT = frozenset({"en"})
"""Languages that write 1,190.5 for 1190.5; the others write 1.190,5."""
_SWAPPED = str.maketrans(".,", ",.")
Key = TypeVar("Key")


class Texts(Mapping[Key, str]):
    """Spanish texts by a key, each given in the reader's language."""

    def __init__(self, texts: Mapping[Key, str]) -> None:
        self._texts = texts

    def __getitem__(self, key: Key) -> str:
        """The text in the reader's language."""
        return tr(self._texts[key])

    def __iter__(self) -> Iterator[Key]:
        """The keys in their order."""
        return iter(self._texts)

    def __len__(self) -> int:
        """Number of texts."""
        return len(self._texts)


def speak(language: Language) -> None:
    """Set the language of the pages for this request."""
    _SPOKEN.set(language)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Set the language of pages that are made within the block."""
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def spoken() -> Language:
    """The language of the page that is being made."""
    return _SPOKEN.get()


def tr(text: str, /, **facts: object) -> str:
    """The text in the reader's language, with the facts in its placeholders."""
    found = _catalogue(spoken()).get(text, text)
    return found.format(**facts) if facts else found


def plural(one: str, many: str, count: int) -> str:
    """The one of two texts that goes with the number."""
    return tr(one if count == 1 else many)


def counted(one: str, many: str, count: int, **facts: object) -> str:
    """``1 consulta``, ``1.190 consultas``: the text that goes with the number, which stands in its placeholder ``count``."""
    return plural(one, many, count).format(count=grouped(count), **facts)


def headings(*texts: str) -> tuple[str, ...]:
    """Several texts, each in the reader's language."""
    return tuple(tr(text) for text in texts)


def localised(message: str) -> str:
    """A message of the core, found by its template; as it is where no template fits."""
    return _translator(spoken()).translate(message)


def decimal(number: float, *, decimals: int = 0) -> str:
    """``0,5``: a number with the decimal mark of the language."""
    return marked_decimal(f"{number:.{decimals}f}")


def marked_decimal(figure: str) -> str:
    """A figure written with a point, with the marks of the language: ``1.190,5`` for ``1,190.5``."""
    return figure if spoken() in _DECIMAL_POINT else figure.translate(_SWAPPED)


def grouped(count: int) -> str:
    """``1.190``: a number in groups of three digits."""
    return marked_decimal(f"{count:,}")


def day(moment: date) -> str:
    """``3 de marzo de 2025``."""
    month = language_of(spoken()).times.month_names[moment.month - 1]
    return tr("{day} de {month} de {year}", day=moment.day, month=month, year=moment.year)


def day_of(moment: datetime, zone: ZoneInfo) -> str:
    """``3 de marzo de 2025``, as it was there and then."""
    return day(in_zone(moment, zone).date())


@cache
def _catalogue(language: Language) -> dict[str, str]:
    return {} if language == SOURCE else read_catalogue(files(__name__).joinpath(f"{language}.po"))


@cache
def _translator(language: Language) -> MessageTranslator:
    return MessageTranslator(core_catalogue(language) | document_catalogue(language))
