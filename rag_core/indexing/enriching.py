"""Enrichment of notes by the rules and, where a chat model summarised them, by that; a page at a time."""

from collections.abc import Sequence
from uuid import UUID

from rag_core.embedding.summaries import PROMPT_VERSION, Summariser
from rag_core.enrichment.enrich import RULES_VERSION, enrich
from rag_core.model.enrichment import BY_RULES, NoteEnrichment
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.note_enrichments import (
    EnrichedNote,
    NoteToEnrich,
    fetch_notes_to_enrich,
    list_unenriched_batches,
    replace_enrichments,
)

ENRICH_NOTES = 200
_FIRST = UUID(int=0)


def enriched(note: NoteToEnrich) -> EnrichedNote:
    """Enrich a note by the rules; type, topics and summary of a chat model win. Pure."""
    told = enrich(note.content, title=note.title, language=note.language, file_format=note.file_format)
    own_summary = " ".join(" ".join(note.content[slice(*span)].split()) for span in told.summary)
    return EnrichedNote(
        note_id=note.note_id,
        content_hash=note.content_hash,
        enrichment=NoteEnrichment(
            made_by=note.model or BY_RULES,
            document_type=note.document_type or told.document_type,
            type_confidence=None if note.document_type else told.type_confidence,
            topics=note.topics or told.topics,
            key_phrases=told.key_phrases,
            summary=note.summary or own_summary or None,
            reading_ease=told.reading_ease,
            words=told.words,
            sections=told.sections,
            tables=told.tables,
            images=told.images,
        ),
    )


def store_enriched(connection: Connection, tenant: TenantId, notes: Sequence[EnrichedNote]) -> None:
    """Keep what is told under the version of the rules, within the caller's transaction."""
    replace_enrichments(connection, tenant, notes, rules_version=RULES_VERSION)


def enrich_notes(database: Database, tenant: TenantId, batches: Sequence[str], *, summariser: Summariser | None) -> int:
    """Enrich the batches' notes that are not as they stand, a page a transaction; their number. A second run in a row finds none."""
    count, after = 0, _FIRST
    while page := fetch_notes_to_enrich(
        database,
        tenant,
        batches,
        rules_version=RULES_VERSION,
        model=summariser.chat.name if summariser else None,
        prompt_version=PROMPT_VERSION,
        after=after,
        limit=ENRICH_NOTES,
    ):
        found = [enriched(note) for note in page]
        with database.transaction(tenant) as connection:
            store_enriched(connection, tenant, found)
        count, after = count + len(page), page[-1].note_id
    return count


def unenriched_batches(database: Database, tenant: TenantId) -> list[str]:
    """Batches with a note that these rules have not enriched as it stands, newest first."""
    return list_unenriched_batches(database, tenant, rules_version=RULES_VERSION)
