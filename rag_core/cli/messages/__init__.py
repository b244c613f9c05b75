"""Texts of the terminal in the reader's language.

The code holds the English texts, a folder a language their translations. ``tr`` translates what the command line says itself,
``localised`` what reaches it as a finished sentence: messages of errors, findings, warnings.
"""

import os
import re
from ast import literal_eval
from functools import cache
from importlib.resources import files
from typing import Literal

Language = Literal["es", "en"]
Facts = Literal["one part", "any text"]
"""Extent of a template's facts: within colons, semicolons and sentences, nested ones with a translation of their own; or any."""
LANGUAGES: tuple[Language, ...] = ("es", "en")
LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_PLACEHOLDER = re.compile(r"\{(\w+)(?:![rs])?(?::[^{}]*)?\}")
_AMOUNT = re.compile(r"([\d,]+) ([a-z -]+)")
_SENTENCE_END = re.compile(r"(?<=\.) ")
_NAMED = re.compile(r"([\w.+-]+(?:, [\w.+-]+)*(?:=.*?)?): (.+)", re.DOTALL)
_LONGEST_MATCHED = 2_000
"""Characters; matching a longer message, which repeats somebody's input, against all templates takes seconds."""
_NESTED = "tr_"
"""A placeholder of this prefix holds a text that is translated in its turn."""


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
    """The message in the reader's language, found by its template; as it is where no template fits; None is empty.

    A message of several sentences, or of parts between semicolons, is translated part by part; so is what follows a name and a
    colon (``hybrid: no baseline``, ``BRAIN_API_PORT='x': …``).
    """
    if not message:
        return ""
    if len(message) > _LONGEST_MATCHED:
        return message
    if (translated := _translated(message)) is not None:
        return translated
    parts = message.split("; ")
    return message if len(parts) == 1 else "; ".join(map(localised, parts))


def _translated(message: str) -> str | None:
    """The whole message in the reader's language; None where a part of it has no template.

    Parts are tried before a template whose facts would span several of them.
    """
    if (found := _by_template(message, "one part")) is not None:
        return found
    for parts, joint in ((_SENTENCE_END.split(message), " "), (message.split("; "), "; ")):
        told = [_translated(part) for part in parts] if len(parts) > 1 else [None]
        if None not in told:
            return joint.join(filter(None, told))
    if (named := _NAMED.fullmatch(message)) is not None and (told_of := _translated(named[2])) is not None:
        return f"{named[1]}: {told_of}"
    if message.endswith(".") and (sentence := _translated(message[:-1])) is not None:
        return f"{sentence}."
    return _by_template(message, "any text")


def _by_template(message: str, facts: Facts) -> str | None:
    for pattern, translated in _patterns(language(), facts):
        if (found := pattern.fullmatch(message)) is not None:
            told = {name: _nested(name, text, facts) for name, text in found.groupdict().items()}
            if None not in told.values():
                return translated.format(**told)
    if (found := _AMOUNT.fullmatch(message)) is not None:
        return f"{found[1]} {tr(found[2])}"
    return None


def _nested(name: str, text: str, facts: Facts) -> str | None:
    if not name.startswith(_NESTED):
        return text
    return localised(text) if facts == "any text" else _translated(text)


def read_catalogue(spoken: Language, name: str) -> dict[str, str]:
    """A file of a language, in gettext's format: ``msgid`` and ``msgstr`` in turn, each a quoted string, on several lines if long."""
    texts: list[str] = []
    for line in files(__name__).joinpath(spoken, f"{name}.po").read_text(encoding="utf-8").splitlines():
        if line.startswith("msg"):
            texts.append(literal_eval(line.split(" ", 1)[1]))
        elif line.startswith('"'):
            texts[-1] += literal_eval(line)
    return dict(zip(texts[::2], texts[1::2], strict=True))


@cache
def help_texts(spoken: Language) -> dict[str, str]:
    """Help texts: of commands by their names, of parameters by the English text."""
    return {} if spoken == "en" else read_catalogue(spoken, "help")


@cache
def _texts(spoken: Language) -> dict[str, str]:
    """Translations of what the command line says, which is written in English."""
    return {} if spoken == "en" else read_catalogue(spoken, "words") | read_catalogue(spoken, "texts")


def _templates(spoken: Language) -> dict[str, str]:
    core = read_catalogue(spoken, "core")
    return core if spoken == "en" else core | read_catalogue(spoken, "usage")


@cache
def _patterns(spoken: Language, facts: Facts) -> list[tuple[re.Pattern[str], str]]:
    """The templates as patterns, those with most literal text first, so that the most particular one wins."""
    core = sorted(_templates(spoken).items(), key=lambda pair: -len(_PLACEHOLDER.sub("", pair[0])))
    return [(_pattern(template, facts), translated) for template, translated in core]


def _pattern(template: str, facts: Facts) -> re.Pattern[str]:
    """Pattern of the texts made from the template: its literal text, with the facts in its placeholders."""
    pieces, end, seen = [], 0, set()
    for place in _PLACEHOLDER.finditer(template):
        pieces.append(re.escape(template[end : place.start()].replace("{{", "{").replace("}}", "}")))
        any_text = ".*?" if place.start() else "(?:(?!: |; ).)*?"  # "NAME: cause" and parts have templates of their own
        text = any_text if facts == "any text" or place[1].startswith(_NESTED) else r"(?:(?![:;.] ).)*?"
        pieces.append(f"(?P={place[1]})" if place[1] in seen else f"(?P<{place[1]}>{text})")
        seen.add(place[1])
        end = place.end()
    pieces.append(re.escape(template[end:].replace("{{", "{").replace("}}", "}")))
    return re.compile("".join(pieces), re.DOTALL)
