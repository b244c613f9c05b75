"""Summaries of notes by a chat model, kept by the text they were made from."""

from collections.abc import Collection

from rag_core.model.enrichment import ModelReading
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Database
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_column


def fetch_summaries(
    database: Database, tenant: TenantId, hashes: Collection[bytes], *, model: str, prompt_version: str
) -> dict[bytes, str]:
    """The summaries there are of these texts, by content hash."""
    parameters = {"tenant": tenant, "hashes": list(hashes), "model": model, "version": prompt_version}
    with database.transaction(tenant) as connection:
        return dict(connection.execute(query("fetch_summaries"), parameters).fetchall())


def write_summary(
    database: Database,
    tenant: TenantId,
    note: NoteId,
    told: ModelReading,
    *,
    content_hash: bytes,
    model: str,
    prompt_version: str,
) -> None:
    """Keep a note's summary, its type and topics; a transaction of its own, because it took seconds to make."""
    parameters = {
        "tenant": tenant,
        "note": note,
        "summary": told.summary,
        "type": told.document_type,
        "topics": list(told.topics),
        "hash": content_hash,
        "model": model,
        "version": prompt_version,
    }
    with database.transaction(tenant) as connection:
        connection.execute(query("insert_summary"), parameters)


def fetch_indexed_as(
    database: Database, tenant: TenantId, notes: Collection[NoteId], *, fingerprint: str
) -> set[NoteId]:
    """Return those of the notes that have live chunks of the pipeline with that fingerprint."""
    parameters = {"tenant": tenant, "notes": list(notes), "fingerprint": fingerprint}
    with database.transaction(tenant) as connection:
        return set(fetch_column(connection, "fetch_indexed_as", parameters))
