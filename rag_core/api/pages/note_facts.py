"""Type, length and topics of a note, as the page says them in a line."""

from collections.abc import Iterator

from rag_core.api.access import RequestContext
from rag_core.api.pages.search_address import DOCUMENT_TYPES
from rag_core.api.pages.texts import counted, tr
from rag_core.model.enrichment import NoteEnrichment
from rag_core.model.note import NoteId
from rag_core.storage.note_enrichments import fetch_enrichment


def note_facts(context: RequestContext, note: NoteId) -> list[str]:
    """Type, length and topics of a note; [] for one that nothing is told of yet."""
    with context.transaction() as connection:
        told = fetch_enrichment(connection, context.tenant, note)
    return [] if told is None else list(_facts(told))


def _facts(told: NoteEnrichment) -> Iterator[str]:
    if told.document_type != "other":
        yield DOCUMENT_TYPES[told.document_type]
    yield counted("una palabra", "{count} palabras", told.words)
    if told.topics:
        yield tr("temas: {topics}", topics=", ".join(told.topics))
