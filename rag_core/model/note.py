"""Notes, and what identifies them. Offsets are code points of the stored, NFC-normalised text, half-open."""

import hashlib
import json
import unicodedata
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NewType
from uuid import UUID

TenantId = NewType("TenantId", str)
NoteId = NewType("NoteId", UUID)
ChunkId = NewType("ChunkId", UUID)
Language = str
"""Code of a language that has a folder in ``rag_core.language``: "es", "de", "en"."""
NoteKind = Literal["note", "document"]
ChunkKind = Literal["text", "table", "table_segment", "table_summary"]
"""A chunk of prose, a whole table, some rows of a larger one, or its header with what stands before it."""
DatedBy = Literal["given", "name", "heading", "file", "import"]
"""Origin of ``created_at``: told with the note, read in a file's name or first heading, the file's own time, that of the import."""
WRITTEN_DAYS: tuple[DatedBy, ...] = ("given", "name", "heading")
"""Origins of a day that somebody wrote, so that an answer may say it."""
Span = tuple[int, int]
"""Start and end in code points, half-open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note as stored."""

    id: NoteId
    external_id: str
    source: str
    title: str | None
    content: str
    language: Language
    created_at: datetime
    metadata: Mapping[str, Any]
    dated_by: DatedBy = "given"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNote:
    """A note as it comes in: normalised and checked, not yet stored. See ``rag_core.notes.validation.parse_note``.

    ``departments`` are those that may see it: None is everybody of the tenant, () only who sees all of the tenant's notes.
    With ``keeps_metadata`` it came without metadata: a stored note keeps its own, and with them its tags and departments.
    With ``keeps_audience`` nothing was said of its audience: a stored note stays for whom it was.
    ``kind`` None leaves a stored note what it is; a new one is a note. ``dated_by`` None is "given" where there is a date.
    ``note_id`` is the id of a new note, by default the one of its name; a stored note keeps its own.
    """

    external_id: str
    source: str
    title: str | None
    content: str
    language: Language
    created_at: datetime | None
    metadata: Mapping[str, Any]
    tags: tuple[str, ...] = ()
    departments: tuple[str, ...] | None = None
    keeps_metadata: bool = False
    keeps_audience: bool = False
    kind: NoteKind | None = None
    dated_by: DatedBy | None = None
    note_id: NoteId | None = None


_NAMESPACE = uuid.UUID("6f6f4f5e-5f0e-5c57-9b54-0d6a1b3a2c11")


def note_id_for(tenant: TenantId, source: str, external_id: str) -> NoteId:
    """The id of a note: derived from tenant, source and the source's own id, so it is the same wherever it is made."""
    return NoteId(uuid.uuid5(_NAMESPACE, json.dumps([tenant, source, external_id])))


def content_hash(language: str, title: str | None, content: str) -> bytes:
    """SHA-256 of what chunks and vectors are made from."""
    return hashlib.sha256(f"{language}\n{title or ''}\n{content}".encode()).digest()


def department_key(name: str) -> str:
    """A department as departments are compared: NFC, trimmed, without regard to case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).strip().casefold())


def tag_key(tag: str) -> str:
    """A tag as tags are compared: NFC, without regard to case; the database's function of this name does the same."""
    return unicodedata.normalize("NFC", tag).lower().replace("ß", "ss")
