"""Enrichments of notes, by the text they were made from."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from psycopg.types.json import Jsonb

from rag_core.model.enrichment import DocumentType, NoteEnrichment
from rag_core.model.note import Language, NoteId, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_column, fetch_one


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteToEnrich:
    """A note, the format of its file, and what the chat ``model`` told of it; without that the model is None."""

    note_id: NoteId
    title: str | None
    content: str
    language: Language
    content_hash: bytes
    file_format: str | None = None
    model: str | None = None
    summary: str | None = None
    document_type: DocumentType | None = None
    topics: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichedNote:
    """A note, the hash of its text and what is told of that."""

    note_id: NoteId
    content_hash: bytes
    enrichment: NoteEnrichment


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """Format of a note's file, and when it was uploaded by a key of which name; None for a file of a folder."""

    format: str | None
    uploaded_at: datetime | None
    uploaded_by: str | None


def list_unenriched_batches(database: Database, tenant: TenantId, *, rules_version: str) -> list[str]:
    """Batches with a note that these rules have not enriched as it stands, newest first."""
    with database.transaction(tenant) as connection:
        return fetch_column(connection, "list_unenriched_batches", {"tenant": tenant, "version": rules_version})


def fetch_notes_to_enrich(
    database: Database,
    tenant: TenantId,
    batches: Sequence[str],
    *,
    rules_version: str,
    model: str | None,
    prompt_version: str,
    after: UUID,
    limit: int,
) -> list[NoteToEnrich]:
    """The next page of notes that are not enriched as they stand, or not with what the ``model`` told of them."""
    parameters = {
        "tenant": tenant,
        "batches": list(batches),
        "version": rules_version,
        "model": model,
        "prompt_version": prompt_version,
        "after": after,
        "limit": limit,
    }
    with database.transaction(tenant) as connection:
        return fetch_all(connection, NoteToEnrich, "fetch_notes_to_enrich", parameters)


def replace_enrichments(
    connection: Connection, tenant: TenantId, notes: Sequence[EnrichedNote], *, rules_version: str
) -> None:
    """Keep these enrichments in place of the notes' earlier ones."""
    rows = [
        {"note_id": str(note.note_id), "text_hash": note.content_hash.hex()} | asdict(note.enrichment) for note in notes
    ]
    connection.execute(query("replace_enrichments"), {"tenant": tenant, "version": rules_version, "rows": Jsonb(rows)})


def fetch_enrichment(connection: Connection, tenant: TenantId, note: NoteId) -> NoteEnrichment | None:
    """The enrichment of a note as it stands; None where there is none yet."""
    return fetch_one(connection, NoteEnrichment, "fetch_enrichment", {"tenant": tenant, "note": note})


def fetch_file_facts(connection: Connection, tenant: TenantId, note: NoteId) -> FileFacts | None:
    """Facts about the file that a note was made of; None for a note without one."""
    return fetch_one(connection, FileFacts, "fetch_file_facts", {"tenant": tenant, "note": note})
