"""Front matter: YAML between two lines of ``---`` at the beginning of a Markdown file."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import yaml

_FENCE = "---"
_ENDS = ("---", "...")
MAX_CHARACTERS = 100_000
MAX_DEPTH = 20
MAX_BITS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """Fields of a file's front matter, the text behind it, and a warning where it cannot be read.

    Front matter that cannot be read stays part of the text.
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
    """The fields and the body of a Markdown text whose lines end with a line feed."""
    first, _, rest = text.partition("\n")
    if first.rstrip() != _FENCE:
        return FrontMatter(body=text)
    lines = rest.split("\n")
    end = next((place for place, line in enumerate(lines) if line.rstrip() in _ENDS), None)
    if end is None:
        return FrontMatter(body=text)
    written, body = "\n".join(lines[:end]), "\n".join(lines[end + 1 :]).lstrip("\n")
    try:
        fields = _fields(written)
    except Exception as error:  # noqa: BLE001  a tag such as !!int makes the loader raise anything
        return FrontMatter(body=text, warning=f"the front matter is not read and stays in the text: {_reason(error)}")
    return FrontMatter(fields=fields, body=body)


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
