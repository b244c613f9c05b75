"""Normalisation and validation of notes, for files and for the API alike.

Text is NFC-normalised here and never after, because every offset counts code points of the stored text.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from rag_core.errors import InvalidFieldError, InvalidInputError
from rag_core.language import LANGUAGES
from rag_core.language.detection import detect_language
from rag_core.language.near_misses import edit_distance, folded_name, near_name
from rag_core.model.note import Language, NewNote, department_key

MAX_NAME_CHARACTERS = 512
MAX_NAME_BYTES = 1000
"""Source and id together must fit an index row of 2,704 bytes."""
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_ESCAPED_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_LINE_KEYS = ("id", "text", "title", "created_at", "metadata", "language")
VISIBILITIES = ("tenant", "department", "private")
MAX_DEPARTMENTS = 50
_AUDIENCE_KEYS = ("visibility", "department", "departments")
_KNOWN_FIELDS = (*_LINE_KEYS, "tags", *_AUDIENCE_KEYS)


def parse_line(
    line: str,
    *,
    source: str,
    language: Language | None,
    zone: ZoneInfo,
    max_characters: int,
    on_warning: Callable[[str], None] = lambda _warning: None,
) -> NewNote:
    """One line of an import file as a note.

    Fields that a line is not known to have become metadata, among them tags and whom the note is for. A line without
    metadata that does not say whom its note is for leaves a stored note to those who saw it.
    ``on_warning`` is told of those that are nearly a known field.

    Raises:
        InvalidInputError: the line is not a JSON object, or a field is missing, of a wrong type or out of bounds.
    """
    try:
        item = json.loads(line)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a plain ValueError
        raise InvalidInputError(f"not valid JSON: {error}") from error
    if not isinstance(item, dict):
        raise InvalidInputError(f"expected a JSON object, found {type(item).__name__}")
    note = parse_note(
        keeps_audience=item.get("metadata") is None and not any(key in item for key in _AUDIENCE_KEYS),
        external_id=checked_identifier(item.get("id")),
        source=source,
        title=item.get("title"),
        text=item.get("text"),
        created_at=item.get("created_at"),
        language=language or item.get("language"),
        metadata=_with_further_fields(item),
        zone=zone,
        max_characters=max_characters,
    )
    for name in item:
        if meant := near_name(name, _KNOWN_FIELDS):
            on_warning(f"field {shown(name)} is kept as metadata; did you mean {meant!r}?")
    return note


def _with_further_fields(item: Mapping[str, Any]) -> Any:
    """The metadata of a line with its further fields among them.

    Raises:
        InvalidInputError: a further field has another value in the metadata.
    """
    metadata = with_tags(item.get("metadata"), item.get("tags"))
    further = {name: value for name, value in item.items() if name not in _LINE_KEYS and name != "tags"}
    if not further or (metadata is not None and not isinstance(metadata, dict)):
        return metadata  # metadata that are no object are refused later, with their own message
    own = metadata or {}
    for name, value in further.items():
        if name in own and own[name] != value:
            raise InvalidInputError(
                f"{shown(name)} has two values, one in the line and one in its metadata; remove one"
            )
    return own | further


def with_tags(metadata: Any, tags: Any) -> Any:
    """Metadata with further tags among their own: a list of texts, or one text with commas.

    Raises:
        InvalidInputError: the further tags are anything else.
    """
    if tags is None:
        return metadata
    listed = _listed(tags)
    if not isinstance(listed, list) or not all(isinstance(tag, str) for tag in listed):
        raise InvalidInputError(f"tags is {shown(tags)}; expected a list of texts")
    if metadata is not None and not isinstance(metadata, dict):
        return metadata  # refused later, with its own message
    own = _listed((metadata or {}).get("tags"))
    known = own if isinstance(own, list) else []
    merged = list(dict.fromkeys(tag for tag in [*known, *listed] if tag))
    return {**(metadata or {}), "tags": merged} if merged else metadata


def parse_note(
    *,
    external_id: str,
    source: str,
    title: Any,
    text: Any,
    created_at: Any,
    language: Any,
    metadata: Any,
    zone: ZoneInfo,
    max_characters: int,
    keeps_audience: bool = False,
) -> NewNote:
    """Check and normalise the fields of a note.

    Without metadata (None, not an empty object) a note that is stored keeps its own, and stays for whom it was; with
    ``keeps_audience`` it stays for whom it was in any case.

    Raises:
        InvalidInputError: names the field, what was found and what was expected.
    """
    content = checked_text(text, "text", max_characters=max_characters)
    if not content.strip():
        raise InvalidFieldError("text is empty; a note needs some content", field="text", problem="empty")
    heading = checked_heading(title)
    facts = checked_metadata(metadata)
    return NewNote(
        external_id=checked_name(external_id, "id"),
        source=checked_name(source, "source"),
        title=heading,
        content=content,
        language=_language(language, heading, content),
        created_at=parse_time(created_at, zone=zone),
        metadata=facts,
        tags=tags_in(facts),
        departments=audience(facts),
        keeps_metadata=metadata is None,
        keeps_audience=keeps_audience or metadata is None,
    )


def checked_heading(title: Any) -> str | None:
    """The title on one line; a blank one is none.

    Raises:
        InvalidFieldError: it is no text, or has too many characters.
    """
    if title is None:
        return None
    return " ".join(checked_text(title, "title", max_characters=MAX_NAME_CHARACTERS).split()) or None


def parse_time(value: Any, *, zone: ZoneInfo, field: str = "created_at") -> datetime | None:
    """An ISO 8601 date or date-time; without a zone it is in ``zone``.

    Raises:
        InvalidInputError: not a date, or outside the years 1 to 9999.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise _not_a_date(value, field)
    try:
        moment = _parse_iso(value.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(ZoneInfo("UTC"))
    except (ValueError, OverflowError) as error:
        raise _not_a_date(value, field) from error


def _not_a_date(value: Any, field: str) -> InvalidFieldError:
    return InvalidFieldError(
        f"{field} is {value!r}; expected an ISO date or date-time such as 2025-03-01T09:00:00+01:00",
        field=field,
        problem="date",
    )


def _parse_iso(value: str) -> datetime:
    if len(value) <= 10:
        return datetime.combine(date.fromisoformat(value), time())
    return datetime.fromisoformat(value)


def checked_identifier(value: Any) -> str:
    """The id of a note as text; a number is taken too.

    Raises:
        InvalidInputError: anything else.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidInputError(f"id is {value!r}; expected a text that names the note within its source")
    return str(value)


def checked_name(value: str, field: str) -> str:
    """A short text that is not empty, trimmed.

    Raises:
        InvalidFieldError: empty, too long, or no text.
    """
    name = checked_text(value, field, max_characters=MAX_NAME_CHARACTERS).strip()
    if not name:
        raise InvalidFieldError(f"{field} is empty", field=field, problem="empty")
    if len(name.encode()) > MAX_NAME_BYTES:
        raise InvalidFieldError(
            f"{field} has {len(name.encode())} bytes, at most {MAX_NAME_BYTES} are taken; use a shorter one",
            field=field,
            problem="too_long",
            limit=MAX_NAME_CHARACTERS,
        )
    return name


def checked_text(value: Any, field: str, *, max_characters: int) -> str:
    """A text as it is stored: NFC, without a byte order mark.

    Raises:
        InvalidFieldError: no text, too long, or with a character PostgreSQL cannot store.
    """
    if not isinstance(value, str):
        raise InvalidFieldError(f"{field} is {shown(value)}; expected a text", field=field, problem="type")
    if "\0" in value:
        raise InvalidFieldError(
            f"{field} has a NUL character, which PostgreSQL cannot store; remove it", field=field, problem="nul"
        )
    text = value if value.isascii() else _normalised(value, field)
    if len(text) > max_characters:
        raise InvalidFieldError(
            f"{field} has {len(text):,} characters, at most {max_characters:,} are taken; split it",
            field=field,
            problem="too_long",
            limit=max_characters,
        )
    return text


def is_storable(text: str) -> bool:
    """Tell whether PostgreSQL can store the text: it has no NUL character and no unpaired surrogate."""
    return _UNSTORABLE.search(text) is None


def _normalised(value: str, field: str) -> str:
    text = unicodedata.normalize("NFC", value).removeprefix("\ufeff")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidFieldError(
            f"{field} has half a surrogate pair, which is no character", field=field, problem="surrogate"
        ) from error
    return text


def _language(given: Any, title: str | None, content: str) -> Language:
    if given is None:
        return detect_language(f"{title or ''}\n{content}") or "es"
    if not isinstance(given, str) or given not in LANGUAGES:
        raise InvalidFieldError(
            f"language is {shown(given)}; expected one of {', '.join(LANGUAGES)}", field="language", problem="choice"
        )
    return given


def checked_metadata(value: Any) -> Mapping[str, Any]:
    """Metadata that JSON and PostgreSQL can hold; none of None.

    Raises:
        InvalidFieldError: they cannot.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidFieldError(f"metadata is {shown(value)}; expected an object", field="metadata", problem="type")
    try:
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
        written.encode()
    except ValueError as error:
        raise InvalidFieldError(
            "metadata has a number or character that JSON does not know", field="metadata", problem="json"
        ) from error
    if _ESCAPED_NUL.search(written):
        raise InvalidFieldError(
            "metadata has a NUL character, which PostgreSQL cannot store; remove it", field="metadata", problem="nul"
        )
    return value


def _listed(tags: Any) -> Any:
    """Tags written as one text with commas, as a list; anything else as it is."""
    return [tag.strip() for tag in tags.split(",")] if isinstance(tags, str) else tags


def tags_in(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags that a note's metadata name: a list of texts, or one text with commas."""
    listed = _listed(metadata.get("tags"))
    if not isinstance(listed, list):
        return ()
    return tuple(dict.fromkeys(tag for tag in listed if isinstance(tag, str) and tag))


def audience(metadata: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the departments that may see a note: None is everybody of the tenant, () only callers that see all its notes.

    ``visibility`` is ``tenant`` (or absent), ``department`` with ``department`` or ``departments``, or ``private``. A department
    that is named without such a visibility is a fact like others and hides nothing.

    Raises:
        InvalidFieldError: another visibility, one for departments that names none, or a key that is one of these but for its spelling.
    """
    _check_spelling(metadata)
    visibility = metadata.get("visibility", "tenant")
    if visibility == "tenant":
        return None
    if visibility == "private":
        return ()
    if visibility != "department":
        raise InvalidFieldError(
            f"metadata.visibility is {shown(visibility)}; expected one of {', '.join(VISIBILITIES)}",
            field="metadata.visibility",
            problem="visibility",
        )
    return _departments(metadata)


def with_asked_facts(own: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """A file's own metadata under those that are asked for; where these say whom the note is for, they alone say it."""
    hidden = _AUDIENCE_KEYS if "visibility" in asked else ()
    return {name: value for name, value in own.items() if name not in hidden} | dict(asked)


def _check_spelling(metadata: Mapping[str, Any]) -> None:
    """Refuse a key that is nearly one that hides a note: it would hide nothing."""
    for key in metadata:
        if meant := _nearly_audience_key(key):
            raise InvalidFieldError(
                f"metadata has {shown(key)}, which is nearly {meant!r}; write {meant!r}, or give it another name",
                field="metadata",
                problem="audience_key",
            )


def is_audience_key(name: str) -> bool:
    """Tell whether a name is, but for its spelling, one that says whom a note is for."""
    return name in _AUDIENCE_KEYS or _nearly_audience_key(name) is not None


def _nearly_audience_key(name: str) -> str | None:
    """The key that a name is nearly; "departamento", a word of its own, is two edits away from "department" and is not."""
    meant = near_name(name, _AUDIENCE_KEYS)
    if meant is None or (meant != "visibility" and edit_distance(folded_name(name), meant) > 1):
        return None
    return meant


def _departments(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    one, several = metadata.get("department"), metadata.get("departments", [])
    named = [*([] if one is None else [one]), *(several if isinstance(several, list) else [None])]
    keys = {department_key(name) if isinstance(name, str) and is_storable(name) else "" for name in named}
    if not keys or len(keys) > MAX_DEPARTMENTS or not all(0 < len(key) <= MAX_NAME_CHARACTERS for key in keys):
        raise InvalidFieldError(
            "metadata.visibility is 'department', but department and departments do not say which; give a name, or a list of "
            f"up to {MAX_DEPARTMENTS}",
            field="metadata.departments",
            problem="departments",
        )
    return tuple(sorted(keys))


def shown(value: Any) -> str:
    """A value as a message shows it, at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
