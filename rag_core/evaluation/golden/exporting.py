"""Golden sets, and their way out: as lines, or as one document, that come in again with nothing lost."""

from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import Any

from rag_core.evaluation.golden.edits import fetch_set_queries
from rag_core.model.golden import DEFAULT_SET, GoldenQuery, Relevance, difficulty_word
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.golden import fetch_golden_set, fetch_note_names
from rag_core.storage.notes import find_notes


def export_document(database: Database, tenant: TenantId, *, set_name: str = DEFAULT_SET) -> dict[str, Any]:
    """Write the set as one document: its name, vocabulary and version, and its queries as ``import_golden`` takes them.

    A note is named by its external id, by ``source:id`` where that is ambiguous. A query whose notes were all
    deleted has none, and an import would reject it.

    Raises:
        NotFoundError: there is no such set; the default one is never missing, only empty.
    """
    with database.transaction(tenant) as connection:
        queries = _export(connection, tenant, set_name)
        golden = fetch_golden_set(connection, tenant, set_name)
    return {
        "set": set_name,
        "vocabulary": golden.vocabulary if golden else "brain_sync",
        "version": golden.version if golden else 0,
        "queries": queries,
    }


def _export(connection: Connection, tenant: TenantId, set_name: str) -> list[dict[str, Any]]:
    queries = fetch_set_queries(connection, tenant, set_name)
    names = _note_names(connection, tenant, {note for query in queries for note in query.relevant_note_ids})
    return [_exported(query, names) for query in queries]


def _note_names(connection: Connection, tenant: TenantId, notes: Iterable[NoteId]) -> dict[NoteId, str]:
    """For each note the shortest of its names that leads back to it."""
    candidates = {
        note: (external_id, f"{source}:{external_id}", str(note))
        for note, source, external_id in fetch_note_names(connection, tenant, notes)
    }
    found = find_notes(connection, tenant, (name for names in candidates.values() for name in names))
    return {
        note: next((name for name in names if found.get(name) == note), names[-1]) for note, names in candidates.items()
    }


def _exported(query: GoldenQuery, names: Mapping[NoteId, str]) -> dict[str, Any]:
    """A query as a line; what it does not have is left out, so that programs from before it existed read the line."""
    is_worded = query.vocabulary == "rag_v2"
    line = {
        "id": query.external_id or str(query.id),
        "query": query.query,
        "relevant_ids": [names[note] for note in query.relevant_note_ids if note in names],
        "answer": query.expected_answer,
        "category": query.category,
        "difficulty": difficulty_word(query.difficulty) if is_worded else query.difficulty,
        "tags": list(query.tags),
        "created_at": query.created_at.astimezone(UTC).isoformat(),
        "updated_at": query.updated_at.astimezone(UTC).isoformat(),
    }
    more = {
        "relevance": [_exported_relevance(one, names) for one in query.relevance if one.grade != 1 or one.spans],
        "key_facts": list(query.key_facts),
        "forbidden_content": list(query.forbidden_content),
        "created_by": query.created_by,
        "verified_by": query.verified_by,
        "verified_at": query.verified_at.astimezone(UTC).isoformat() if query.verified_at else None,
    }
    more |= {} if query.is_answerable else {"answerable": False}
    return line | {name: value for name, value in more.items() if value or name == "answerable"}


def _exported_relevance(relevance: Relevance, names: Mapping[NoteId, str]) -> dict[str, Any]:
    spans = [{"start": span.start, "end": span.end, "quote": span.quote} for span in relevance.spans]
    return {"id": names[relevance.note_id], "grade": relevance.grade, "spans": spans}
