"""A legacy table as rows to attach: which column is what, and values as a file of JSON lines would have them."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rag_core.errors import InvalidInputError
from rag_core.migration.attach import LegacyNote
from rag_core.storage import legacy as store
from rag_core.storage.legacy import TableColumn, TableDescription

NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id",),
    "content": ("content", "text", "body"),
    "title": ("title",),
    "created_at": ("created_at", "createdAt"),
    "updated_at": ("updated_at", "updatedAt"),
    "tags": ("tags",),
    "metadata": ("metadata",),
    "language": ("language",),
    "embedding": ("embedding", "vector"),
}
"""Accepted names of a column or a field, by its meaning."""
OUR_SCHEMA = "brain"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTable:
    """A table being read: where from, how many rows, which column is what, and the columns that are nothing known."""

    origin: str
    rows: int
    columns: Mapping[str, TableColumn]
    ignored: tuple[TableColumn, ...]
    notes: Iterator[LegacyNote]

    @property
    def vectors(self) -> TableColumn | None:
        """The column of vectors, taken or not."""
        return self.columns.get("embedding")

    @property
    def is_newest_first(self) -> bool:
        """True when the rows carry a date to be sorted by."""
        return "created_at" in self.columns or "updated_at" in self.columns


@contextmanager
def open_table(
    conninfo: str, name: str, *, is_ours: bool, chosen: Mapping[str, str], is_with_vectors: bool
) -> Iterator[OpenTable]:
    """Read a table's rows, newest first, as long as the block lasts; it is never written to.

    ``is_ours`` says that ``conninfo`` is Brain Sync's own database, ``chosen`` names columns that are called otherwise.

    Raises:
        NotFoundError: there is no such table.
        InvalidInputError: a column that is needed or named is not there, or the table is Brain Sync's.
        DatabaseUnavailableError, QueryFailedError: see ``rag_core.storage.legacy.reading``.
    """
    with store.reading(conninfo) as connection:
        table = store.describe_table(connection, name)
        if is_ours and table.schema == OUR_SCHEMA:
            raise InvalidInputError(f"{name} is Brain Sync's own table; its notes are here already")
        columns = find_columns(table, chosen)
        taken = {role: column for role, column in columns.items() if is_with_vectors or role != "embedding"}
        rows = store.iterate_rows(connection, table, taken)
        yield OpenTable(
            origin=table.origin,
            rows=store.count_rows(connection, table),
            columns=columns,
            ignored=tuple(column for column in table.columns if column not in columns.values()),
            notes=(_note(row, f"(row {number})") for number, row in enumerate(rows, 1)),
        )


def find_columns(table: TableDescription, chosen: Mapping[str, str]) -> dict[str, TableColumn]:
    """Find the column of each role: the chosen ones, else those of the usual names, each for one role.

    Raises:
        InvalidInputError: a chosen role or column is unknown, or there is none for the id or the text.
    """
    by_name = {column.name: column for column in table.columns}
    for role, name in chosen.items():
        if role not in NAMES:
            raise InvalidInputError(f"--column {role}={name}: {role!r} is none of {', '.join(NAMES)}")
        if name not in by_name:
            raise InvalidInputError(f"--column {role}={name}: {_there_is(table)}")
    found = {}
    for role, names in NAMES.items():
        wanted = [chosen[role]] if role in chosen else [name for name in names if name not in chosen.values()]
        column = next((by_name[name] for name in wanted if name in by_name), None)
        if column is not None:
            found[role] = column
    for role in ("id", "content"):
        if role not in found:
            raise InvalidInputError(
                f"no column for the {role}: expected {' or '.join(NAMES[role])}; {_there_is(table)}. Name it with "
                f"--column {role}=NAME"
            )
    return found


def _there_is(table: TableDescription) -> str:
    return f"{table.schema}.{table.name} has {', '.join(column.name for column in table.columns)}"


def _note(row: Mapping[str, Any], place: str) -> LegacyNote:
    """A row of texts as the note it tells of."""
    try:
        return LegacyNote(
            place=place,
            id=row["id"],
            text=row["content"],
            title=row.get("title"),
            created_at=row.get("created_at"),
            updated_at=row.get("updated_at"),
            tags=_json(row.get("tags"), "tags"),
            metadata=_metadata(row.get("metadata")),
            language=row.get("language"),
            embedding=_numbers(row.get("embedding")),
        )
    except InvalidInputError as error:
        return LegacyNote(place=place, id=row["id"], problem=str(error))


def _json(text: str | None, field: str) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a plain ValueError
        raise InvalidInputError(f"{field} is no JSON: {error}") from error


def _metadata(text: str | None) -> Any:
    """An object, also one that was stored in a column of texts."""
    value = _json(text, "metadata")
    return _json(value, "metadata") if isinstance(value, str) else value


def _numbers(value: Any) -> Any:
    """A vector written as text, of whatever type it is, as numbers; anything else as it is, to be refused."""
    if not isinstance(value, str):
        return value
    try:
        return [float(number) for number in value.strip("[]{}").split(",")]
    except ValueError:
        return value
