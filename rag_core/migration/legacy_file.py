"""A file of JSON lines as rows to attach; the fields are called as the columns of a table are."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from rag_core.errors import InvalidInputError
from rag_core.migration.attach import LegacyNote
from rag_core.migration.legacy_table import NAMES
from rag_core.notes.importing import decoded_line

_ROLES = {name: role for role, names in NAMES.items() for name in names}


def read_notes(lines: Iterable[bytes], *, is_with_vectors: bool) -> Iterator[LegacyNote]:
    """The notes of a file, in its order; a line that is none comes with its problem. Blank lines are passed over."""
    for number, line in enumerate(lines, 1):
        place = f"(line {number})"
        try:
            text = decoded_line(line)
            if text:
                yield _note(_fields(text), place, is_with_vectors=is_with_vectors)
        except InvalidInputError as error:
            yield LegacyNote(place=place, problem=str(error))


def _fields(text: str) -> dict[str, Any]:
    try:
        item = json.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a plain ValueError
        raise InvalidInputError(f"not valid JSON: {error}") from error
    if not isinstance(item, dict):
        raise InvalidInputError(f"expected a JSON object, found {type(item).__name__}")
    return item


def _note(fields: dict[str, Any], place: str, *, is_with_vectors: bool) -> LegacyNote:
    found = {}
    for name, value in fields.items():
        role = _ROLES.get(name)
        if role is None or role in found:
            problem = (
                f"unknown field {name!r}; a line has {', '.join(NAMES)}" if role is None else f"two fields for {role}"
            )
            return LegacyNote(place=place, id=fields.get("id"), problem=problem)
        found[role] = value
    if not is_with_vectors:
        found.pop("embedding", None)
    return LegacyNote(place=place, text=found.pop("content", None), **found)
