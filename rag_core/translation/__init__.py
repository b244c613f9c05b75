"""Translation by gettext catalogues, and of finished messages by their templates.

Beside this module are translations of what the core says in Spanish; the pages and the command line have catalogues of their own.
"""

import re
from ast import literal_eval
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal, get_args

_AMOUNT = re.compile(r"([\d,]+) ([a-z -]+)")
_SENTENCE_END = re.compile(r"(?<=\.) ")
_NAMED = re.compile(r"([\w.+-]+(?:, [\w.+-]+)*(?:=.*?)?): (.+)", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{(\w+)(?:![rs])?(?::[^{}]*)?\}")
_LONGEST_MATCHED = 2_000
"""Characters; matching a longer message, which repeats somebody's input, against all templates takes seconds."""
_NESTED = "tr_"
"""A placeholder of this prefix holds a text that is translated in its turn."""

Facts = Literal["one part", "any text"]
"""Extent of a template's facts: within colons, semicolons and sentences, nested ones with a translation of their own; or any."""


def read_catalogue(file: Traversable) -> dict[str, str]:
    """Translations by their texts, from a file in gettext's format, for languages with two forms: one and many.

    The plural of a text (``msgid_plural``) is a text of its own.
    """
    texts: dict[bool, list[str]] = {True: [], False: []}
    is_text = True
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("msg"):
            is_text = line.startswith("msgid")
            texts[is_text].append(literal_eval(line.split(" ", 1)[1]))
        elif line.startswith('"'):
            texts[is_text][-1] += literal_eval(line)
    catalogue = dict(zip(texts[True], texts[False], strict=True))
    catalogue.pop("", None)  # the header
    return catalogue


@cache
def core_catalogue(language: str) -> dict[str, str]:
    """Translations of what the core says in Spanish, by its templates; none for Spanish."""
    file = files(__name__).joinpath(f"{language}.po")
    return read_catalogue(file) if file.is_file() else {}


def document_catalogue(language: str) -> dict[str, str]:
    """Translations of what is told about documents and folders, from English; none for English."""
    file = files(__name__).joinpath("documents", f"{language}.po")
    return read_catalogue(file) if file.is_file() else {}


class MessageTranslator:
    """Translates finished messages by their templates; ``noun_of`` translates the noun of an amount (``2 notes``)."""

    def __init__(self, templates: Mapping[str, str], *, noun_of: Callable[[str], str] = str) -> None:
        self._noun_of = noun_of
        # most literal text first, so that the most particular one wins
        longest_first = sorted(templates.items(), key=lambda pair: -len(_PLACEHOLDER.sub("", pair[0])))
        self._patterns: Mapping[Facts, list[tuple[re.Pattern[str], str]]] = {
            facts: [(_pattern(template, facts), text) for template, text in longest_first] for facts in get_args(Facts)
        }

    def translate(self, message: str) -> str:
        """The translation of a message; as it is where no template fits.

        A message of several sentences, or of parts between semicolons, is translated part by part; so is what follows a name and a
        colon (``hybrid: no baseline``, ``BRAIN_API_PORT='x': …``).
        """
        if len(message) > _LONGEST_MATCHED:
            return message
        if (translated := self._translated(message)) is not None:
            return translated
        parts = message.split("; ")
        return message if len(parts) == 1 else "; ".join(map(self.translate, parts))

    def _translated(self, message: str) -> str | None:
        """The translation of the whole message; None where a part of it has no template.

        Parts are tried before a template whose facts would span several of them.
        """
        if (found := self._by_template(message, "one part")) is not None:
            return found
        for parts, joint in ((_SENTENCE_END.split(message), " "), (message.split("; "), "; ")):
            told = [self._translated(part) for part in parts] if len(parts) > 1 else [None]
            if None not in told:
                return joint.join(filter(None, told))
        if (named := _NAMED.fullmatch(message)) is not None and (told_of := self._translated(named[2])) is not None:
            return f"{named[1]}: {told_of}"
        if message.endswith(".") and (sentence := self._translated(message[:-1])) is not None:
            return f"{sentence}."
        return self._by_template(message, "any text")

    def _by_template(self, message: str, facts: Facts) -> str | None:
        for pattern, translated in self._patterns[facts]:
            if (found := pattern.fullmatch(message)) is not None:
                told = {name: self._nested(name, text, facts) for name, text in found.groupdict().items()}
                if None not in told.values():
                    return translated.format(**told)
        if (found := _AMOUNT.fullmatch(message)) is not None:
            return f"{found[1]} {self._noun_of(found[2])}"
        return None

    def _nested(self, name: str, text: str, facts: Facts) -> str | None:
        if not name.startswith(_NESTED):
            return text
        return self.translate(text) if facts == "any text" else self._translated(text)


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
