"""Findings of the scan for hidden instructions in notes, by the text that was scanned."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from psycopg.types.json import Jsonb

from rag_core.model.injection import InjectionScan
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedNote:
    """A note, the hash of its text and what was found in that."""

    note_id: NoteId
    content_hash: bytes
    scan: InjectionScan


def replace_findings(
    connection: Connection, tenant: TenantId, scanned: Sequence[ScannedNote], *, rules_version: str
) -> None:
    """Keep what was found in these notes and forget what was before; a note without findings has no row."""
    connection.execute(
        query("replace_note_findings"),
        {
            "tenant": tenant,
            "version": rules_version,
            "notes": [note.note_id for note in scanned],
            "hashes": [note.content_hash for note in scanned],
            "scores": [note.scan.score if note.scan.spans else None for note in scanned],
            "spans": [Jsonb(_spans(note.scan)) for note in scanned],
        },
    )


def fetch_findings(database: Database, tenant: TenantId, notes: Collection[NoteId]) -> dict[NoteId, InjectionScan]:
    """Fetch the findings in the notes' current texts; notes without findings, and notes not scanned yet, are absent."""
    with database.transaction(tenant) as connection:
        rows = connection.execute(query("fetch_note_findings"), {"tenant": tenant, "notes": list(notes)}).fetchall()
    return {
        note_id: InjectionScan(
            score=score,
            spans=tuple((start, end) for start, end, _ in spans),
            scores=tuple(weight for _, _, weight in spans),
        )
        for note_id, score, spans in rows
    }


def count_findings(database: Database, tenant: TenantId) -> int:
    """Count the tenant's notes that hold instructions to a model."""
    with database.transaction(tenant) as connection:
        row = connection.execute(query("count_note_findings"), {"tenant": tenant}).fetchone()
    assert row is not None
    return int(row[0])


def _spans(scan: InjectionScan) -> list[tuple[int, int, float]]:
    return [(start, end, round(score, 4)) for (start, end), score in zip(scan.spans, scan.scores, strict=True)]
