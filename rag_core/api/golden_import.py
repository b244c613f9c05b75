"""A golden set that comes in as one document: its good queries stored, and what is wrong with the others.

The core's import says its reasons in English, for the command line; so a query is checked here first, in the same
order: its fields, its notes, whether it came before.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from rag_core.api.errors import field_problem, validation_problem
from rag_core.api.schemas import GoldenLineIn
from rag_core.errors import AmbiguousNoteError, InvalidFieldError, InvalidInputError
from rag_core.evaluation.golden_query import normalise_query, parse_golden_line
from rag_core.evaluation.golden_set import import_golden
from rag_core.model import NoteId, TenantId
from rag_core.storage.database import Database
from rag_core.storage.notes import find_notes

NOT_TAKEN = "No se puede guardar esta consulta; revisa sus fechas y sus notas"

Names = Mapping[str, NoteId | AmbiguousNoteError]


class _RejectedError(Exception):
    """Why one query is not taken."""


def import_document(
    database: Database, tenant: TenantId, entries: Sequence[Mapping[str, Any]]
) -> tuple[int, dict[int, str]]:
    """Take the good queries into the default set; how many, and why the others not, by their place from 1."""
    lines: dict[int, GoldenLineIn] = {}
    rejected: dict[int, str] = {}
    for number, entry in enumerate(entries, 1):
        try:
            lines[number] = _parsed(entry)
        except _RejectedError as reason:
            rejected[number] = str(reason)
    rejected |= _refused(lines, _named_notes(database, tenant, lines))
    good = (lines[number] if number in lines and number not in rejected else None for number in _places(entries))
    report = import_golden(database, tenant, [_written(line) for line in good])
    return report.imported, rejected | {number: NOT_TAKEN for number, _ in report.rejected}


def _places(entries: Sequence[Any]) -> range:
    return range(1, len(entries) + 1)


def _parsed(entry: Mapping[str, Any]) -> GoldenLineIn:
    try:
        line = GoldenLineIn.model_validate({key: value for key, value in entry.items() if value is not None})
        parse_golden_line(_written(line).decode())
    except ValidationError as error:
        raise _RejectedError(validation_problem(error.errors())) from error
    except InvalidFieldError as error:
        raise _RejectedError(field_problem(error)) from error
    except InvalidInputError as error:
        raise _RejectedError(NOT_TAKEN) from error
    return line


def _written(line: GoldenLineIn | None) -> bytes:
    """The query as a line of an import file; a blank one keeps the place of a query that is not taken."""
    if line is None:
        return b""
    fields = line.model_dump(exclude_none=True)
    return json.dumps({"answer": fields.pop("expected_answer"), **fields}).encode()


def _named_notes(database: Database, tenant: TenantId, lines: Mapping[int, GoldenLineIn]) -> Names:
    names = [name.strip() for line in lines.values() for name in line.relevant_ids]
    with database.transaction(tenant) as connection:
        return find_notes(connection, tenant, names)


def _refused(lines: Mapping[int, GoldenLineIn], notes: Names) -> dict[int, str]:
    refused: dict[int, str] = {}
    first: dict[str, int] = {}
    for number, line in lines.items():
        problem = _note_problem(line, notes) or _repetition(line, number, first)
        if problem is not None:
            refused[number] = problem
    return refused


def _note_problem(line: GoldenLineIn, notes: Names) -> str | None:
    for name in line.relevant_ids:
        found = notes.get(name.strip())
        if found is None:
            return f"No existe ninguna nota llamada «{name}»"
        if isinstance(found, AmbiguousNoteError):
            return f"«{name}» está en varias fuentes; escribe fuente:identificador"
    return None


def _repetition(line: GoldenLineIn, number: int, first: dict[str, int]) -> str | None:
    earlier = first.setdefault(normalise_query(line.query), number)
    return None if earlier == number else f"La consulta está ya en el lugar {earlier} de este documento"
