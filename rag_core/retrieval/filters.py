"""Filters as other programs write them (``{from, to, kinds, …}``), checked and turned into ``rag_core.model.retrieval.Filters``.

Shared by the HTTP API, the page and the command line; what is wrong is said in Spanish, as on every route.
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Annotated, Any, TypeVar
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from rag_core.configuration.schema import describe_problem
from rag_core.errors import AmbiguousNoteError, InvalidInputError, InvalidPeriodError, NotFoundError
from rag_core.language.languages import LanguageChoice
from rag_core.model.enrichment import KindOrType
from rag_core.model.note import NoteId, NoteKind, TenantId, tag_key
from rag_core.model.retrieval import Filters
from rag_core.notes.validation import MAX_NAME_CHARACTERS, is_storable
from rag_core.storage.database import Database
from rag_core.storage.notes import find_notes

MAX_VALUES = 100
_DATE_CHARACTERS = len("2025-03-01")
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_T = TypeVar("_T")


def _named(text: str) -> str:
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise ValueError("no puede estar en blanco")
    if not is_storable(name):
        raise ValueError("contiene un carácter no admitido")
    if len(name) > MAX_NAME_CHARACTERS:
        raise ValueError(f"supera el máximo de {MAX_NAME_CHARACTERS} caracteres")
    return name


Name = Annotated[str, AfterValidator(_named)]
"""A short text with something in it: NFC, trimmed."""


class FilterFields(BaseModel):
    """Filters on notes. All that are given must hold; one that is absent, null or empty restricts nothing."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)

    since: str | None = Field(
        None,
        alias="from",
        description="Notes created at this moment or later. An ISO 8601 date or date-time; without a zone it is local.",
        examples=["2025-03-01"],
    )
    until: str | None = Field(
        None,
        alias="to",
        description="Notes created before this moment; a date without a time includes the whole of that day.",
        examples=["2025-03-31", "2025-03-31T18:00:00+02:00"],
    )
    kinds: list[NoteKind] | None = Field(None, max_length=MAX_VALUES, examples=[["note"]])
    sources: list[Name] | None = Field(
        None, max_length=MAX_VALUES, description="Where the notes come from, any of these.", examples=[["diario"]]
    )
    languages: list[LanguageChoice] | None = Field(None, max_length=MAX_VALUES, examples=[["es"]])
    tags: list[Name] | None = Field(
        None,
        max_length=MAX_VALUES,
        description="Notes with any of these tags or one below: `curso` finds `curso/x`; case does not matter.",
        examples=[["trabajo", "salud"]],
    )
    topics: list[Name] | None = Field(
        None,
        max_length=MAX_VALUES,
        description="Notes about any of these: tags, or topics read in the text; case does not matter.",
        examples=[["riego"]],
    )
    document_types: list[KindOrType] | None = Field(
        None,
        max_length=MAX_VALUES,
        description="Types that the text was read as, or kinds as in `kinds`, any of these.",
        examples=[["invoice", "contract"]],
    )
    document_ids: list[Name] | None = Field(
        None,
        max_length=MAX_VALUES,
        description="These notes or documents only: by id, external id, or `source:id` where an external id stands in "
        "several sources.",
        examples=[["2025-03-03", "diario:n1", "660e8400-e29b-41d4-a716-446655440001"]],
    )


WireFilters = Mapping[str, Any] | FilterFields | None


def parse_filters(wire: WireFilters, *, zone: ZoneInfo, resolve: Callable[[str], NoteId]) -> Filters:
    """Filters from what a caller wrote; None restricts nothing.

    ``resolve`` gives a note's id by any of its names, or raises NotFoundError or AmbiguousNoteError.

    Raises:
        InvalidPeriodError: a time that is none, or one that ends before it begins.
        InvalidInputError: an unknown key, a wrong value, or a note that is not there or whose name stands in several sources.
    """
    fields = checked_fields(wire)
    since, until = _moment("from", fields.since, zone), _moment("to", fields.until, zone)
    if since is not None and until is not None and since >= until:
        raise InvalidPeriodError(f"filters: from ({fields.since}) debe ser anterior a to ({fields.until})")
    return Filters(
        since=since,
        until=until,
        kinds=_distinct(fields.kinds),
        sources=_distinct(fields.sources),
        languages=_distinct(fields.languages),
        tags=_distinct_tags(fields.tags or ()),
        topics=_distinct_tags(fields.topics or ()),
        document_types=_distinct(fields.document_types),
        document_ids=_distinct(_resolved(name, resolve) for name in fields.document_ids or ()),
    )


def fetch_filters(
    database: Database, tenant: TenantId, wire: WireFilters, *, zone: ZoneInfo, timeout_ms: int
) -> Filters:
    """``parse_filters`` with the notes of the tenant, looked up in one query.

    Raises:
        InvalidInputError: see ``parse_filters``.
        DatabaseUnavailableError, DeadlineExceededError: the notes named could not be looked up.
    """
    fields = checked_fields(wire)
    found: Mapping[str, NoteId | AmbiguousNoteError] = {}
    if fields.document_ids:
        with database.transaction(tenant, timeout_ms=timeout_ms) as connection:
            found = find_notes(connection, tenant, fields.document_ids)
    return parse_filters(fields, zone=zone, resolve=partial(_note_called, found))


def checked_fields(wire: WireFilters) -> FilterFields:
    """The fields with their types and bounds checked.

    Raises:
        InvalidInputError: an unknown key, or a value of a wrong type or out of bounds.
    """
    try:
        return FilterFields.model_validate({} if wire is None else wire)
    except ValidationError as error:
        told = (describe_problem({**item, "loc": ("filters", *item["loc"])}) for item in error.errors())
        raise InvalidInputError("; ".join(told)) from None


def _moment(name: str, written: str | None, zone: ZoneInfo) -> datetime | None:
    """Parse a bound: the time itself or, for a ``to`` that is a date alone, the beginning of the next day."""
    if written is None:
        return None
    try:
        return _parsed(written.strip(), zone, is_end=name == "to")
    except ValueError:
        raise InvalidPeriodError(
            f"filters.{name}: «{written[:40]}» no es una fecha ISO 8601 válida, como 2025-03-01 o "
            "2025-03-01T09:00:00+01:00"
        ) from None


def _parsed(written: str, zone: ZoneInfo, *, is_end: bool) -> datetime:
    if len(written) > _DATE_CHARACTERS:
        moment = datetime.fromisoformat(written)
        return _in_utc(moment if moment.tzinfo else moment.replace(tzinfo=zone))
    day = date.fromisoformat(written)
    if is_end and day == date.max:
        return _LAST
    return _in_utc(datetime.combine(day + timedelta(days=is_end), time(), tzinfo=zone))


def _in_utc(moment: datetime) -> datetime:
    """The moment in UTC; who writes 0001-01-01 or 9999-12-31 means no bound, and gets the first or last moment."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return _FIRST if moment.year == 1 else _LAST


def _resolved(name: str, resolve: Callable[[str], NoteId]) -> NoteId:
    try:
        return resolve(name)
    except NotFoundError:
        raise InvalidInputError(f"filters.documentIds: no existe ninguna nota llamada «{name}»") from None
    except AmbiguousNoteError as error:
        raise InvalidInputError(
            f"filters.documentIds: «{name}» está en varias fuentes; escribe uno de {', '.join(error.choices)}"
        ) from None


def _note_called(found: Mapping[str, NoteId | AmbiguousNoteError], name: str) -> NoteId:
    note = found.get(name)
    if note is None:
        raise NotFoundError(f"no note is called {name!r}; give its external id, source:id or uuid")
    if isinstance(note, AmbiguousNoteError):
        raise note
    return note


def _distinct_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags that compare equal once, as they are written first."""
    first: dict[str, str] = {}
    for tag in tags:
        first.setdefault(tag_key(tag), tag)
    return tuple(first.values())


def _distinct(values: Iterable[_T] | None) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values or ()))
