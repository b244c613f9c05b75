"""Front matter: YAML between two lines of ``---`` at the beginning of a Markdown file.

Fields that say something of the note's subject ("autor: Marta") are told behind its text, where they are found, quoted and cited
like the rest; those that programs keep for themselves are metadata alone.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import yaml

from rag_core.errors import InvalidInputError
from rag_core.notes.validation import is_audience_key

_FENCE = "---"
_ENDS = ("---", "...")
_NEARLY_FENCED = re.compile(
    r"\s*[-\u2013\u2014]+[ \t]*\n(.*?)(?:\n[ \t]*[-\u2013\u2014]+[ \t]*(?:\n|\Z)|\Z)", re.DOTALL
)
"""Lines behind a fence as it is mistyped: indented, of other dashes or another number of them, without an end."""
MAX_CHARACTERS = 100_000
MAX_DEPTH = 20
MAX_BITS = 64
_OF_READERS = frozenset({"tags", "visibility", "department", "departments"})
"""Metadata with a place of their own, or about who may read the note."""
_OF_PROGRAMS = frozenset(
    [
        "aliases",
        "banner",
        "cssclass",
        "cssclasses",
        "id",
        "kanban-plugin",
        "modificado",
        "modified",
        "permalink",
        "uid",
        "updated",
        "uuid",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """Fields of a file's front matter, the text behind it, and a warning where it cannot be read.

    Front matter that cannot be read stays part of the text, unless it may say who is to read the note: see ``split_front_matter``.
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    body: str
    warning: str | None = None


class _Loader(yaml.SafeLoader):
    """Loads no aliases: a few lines of them could stand for gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not read")
        return super().compose_node(parent, index)


def split_front_matter(text: str) -> FrontMatter:
    """The fields and the body of a Markdown text whose lines end with a line feed.

    Raises:
        InvalidInputError: the fields cannot be read, and one of them says who is to read the note.
    """
    first, _, rest = text.partition("\n")
    lines = rest.split("\n")
    end = next((place for place, line in enumerate(lines) if line.rstrip() in _ENDS), None)
    if first.rstrip() != _FENCE or end is None:
        if nearly := _NEARLY_FENCED.match(text):
            _require_public(nearly[1], "a line of `---` is missing before or behind it")
        return FrontMatter(body=text)
    written, body = "\n".join(lines[:end]), "\n".join(lines[end + 1 :]).lstrip("\n")
    try:
        fields = _fields(written)
    except Exception as error:  # noqa: BLE001  a tag such as !!int makes the loader raise anything
        _require_public(written, _reason(error))
        return FrontMatter(body=text, warning=f"the front matter is not read and stays in the text: {_reason(error)}")
    return FrontMatter(fields=fields, body=body)


def _require_public(unread: str, reason: str) -> None:
    """Go on only with fields that hide no note: a typing error is to publish nothing."""
    if any(map(is_audience_key, _names(unread))):
        raise InvalidInputError(f"the front matter says who may read the note, but cannot be read: {reason}")


def _names(unread: str) -> Iterator[str]:
    """Texts that may be names of fields: each line and part of a flow up to its colon, and its first word."""
    for line in re.split(r"[\n,{}]", unread):
        yield line.partition(":")[0]
        yield from line.split(maxsplit=1)[:1]


def _fields(written: str) -> Mapping[str, Any]:
    if len(written) > MAX_CHARACTERS:
        raise ValueError(f"it has more than {MAX_CHARACTERS:,} characters")
    read = yaml.load(written, Loader=_Loader)  # noqa: S506  a safe loader
    if read is None:
        return {}
    if not isinstance(read, dict):
        raise ValueError("it has no fields such as `title: …`")  # noqa: TRY004  bad input, not a bad call
    return {str(name): _plain(value) for name, value in read.items()}


def _reason(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return f"line {mark.line + 2}: {getattr(error, 'problem', None) or 'no valid YAML'}"
    return str(error) if isinstance(error, yaml.YAMLError | ValueError) and str(error) else "no valid YAML"


def _plain(value: Any, depth: int = 0) -> Any:
    """A value as JSON knows it, except for dates."""
    if depth > MAX_DEPTH:
        raise ValueError(f"it is nested more than {MAX_DEPTH} deep")
    if isinstance(value, dict):
        return {str(name): _plain(one, depth + 1) for name, one in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(one, depth + 1) for one in value]
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ValueError("it has a number of more than 64 bits")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, str | int | float | bool | date | datetime | None) else str(value)


def as_json(value: Any) -> Any:
    """A field's value as JSON: dates in ISO 8601."""
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {name: as_json(one) for name, one in value.items()}
    return [as_json(one) for one in value] if isinstance(value, list) else value


def told_fields(metadata: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values of a note's metadata as people read them, by name: texts, numbers and lists of them."""
    told = (
        (" ".join(name.split()), _told(value)) for name, value in sorted(metadata.items()) if name not in _OF_READERS
    )
    return [(name, value) for name, value in told if name and value]


def with_fields(body: str, metadata: Mapping[str, Any]) -> str:
    """The body, a blank line, and the fields about the note's subject, a line each: "estado: en curso"."""
    return f"{body.rstrip()}{told}".lstrip("\n") if (told := _behind(metadata)) else body


def start_of_fields(text: str, metadata: Mapping[str, Any]) -> int:
    """Where the fields begin that stand behind the body of a text; its end where none do."""
    told = _behind(metadata)
    return 0 if text == told.strip() else len(text.removesuffix(told))


def _behind(metadata: Mapping[str, Any]) -> str:
    told = "\n".join(f"{name}: {value}" for name, value in told_fields(metadata) if name not in _OF_PROGRAMS)
    return f"\n\n{told}" if told else ""


def _told(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_told, value)))
    return " ".join(str(value).split()) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
