"""Texts of the terminal in the reader's language.

The code holds the English texts, a folder a language their translations. ``tr`` translates what the command line says itself,
``localised`` what reaches it as a finished sentence: messages of errors, findings, warnings.
"""

import os
from functools import cache
from importlib.resources import files
from typing import Literal

from rag_core.translation import MessageTranslator, core_catalogue, document_catalogue, read_catalogue

Language = Literal["es", "en"]
LANGUAGES: tuple[Language, ...] = ("es", "en")
LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def language() -> Language:
    """The language of the terminal: BRAIN_LANGUAGE, else that of the locale, else Spanish."""
    locale = next(filter(None, map(os.environ.get, LOCALE_VARIABLES)), "")
    named = (os.environ.get("BRAIN_LANGUAGE", "").strip()[:2].lower(), locale[:2].lower())
    return next((known for name in named for known in LANGUAGES if known == name), "es")


def tr(text: str, /, **facts: object) -> str:
    """The text in the reader's language, with the facts in its placeholders."""
    translated = _texts(language()).get(text, text)
    return translated.format(**facts) if facts else translated


def help_of(name: str | None) -> str | None:
    """A help text in the reader's language; None in English, where the code holds it."""
    return None if name is None else help_texts(language()).get(name)


def label(name: str) -> str:
    """A field's name or a state as words."""
    return tr(name.replace("_", " "))


def headings(*texts: str) -> list[str]:
    """Several texts, each translated."""
    return [tr(text) for text in texts]


def amount(count: int, noun: str, plural: str = "") -> str:
    """``1 note``, ``2 notes``; ``plural`` where an s is not enough."""
    return f"{count:,} {tr(noun if count == 1 else plural or noun + 's')}"


def localised(message: str | None) -> str:
    """The message in the reader's language, found by its template; as it is where no template fits; None is empty."""
    return _translator(language()).translate(message) if message else ""


def read_texts(name: str) -> dict[str, str]:
    """A file of Spanish translations."""
    return read_catalogue(files(__name__).joinpath("es", f"{name}.po"))


@cache
def help_texts(spoken: Language) -> dict[str, str]:
    """Help texts: of commands by their names, of parameters by the English text."""
    return {} if spoken == "en" else read_texts("help")


@cache
def _texts(spoken: Language) -> dict[str, str]:
    """Translations of what the command line says, which is written in English."""
    return {} if spoken == "en" else read_texts("words") | read_texts("texts")


@cache
def _translator(spoken: Language) -> MessageTranslator:
    """In English of what the core says in Spanish, in Spanish of what it says in English."""
    templates = (
        core_catalogue(spoken)
        if spoken == "en"
        else read_texts("core") | read_texts("usage") | document_catalogue(spoken)
    )
    return MessageTranslator(templates, noun_of=tr)
