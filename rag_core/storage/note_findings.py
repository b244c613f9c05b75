"""Findings of the scan for hidden instructions in notes, by the text that was scanned."""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.types.json import Jsonb

from rag_core.model.injection import InjectionScan
from rag_core.model.note import NoteId, TenantId
from rag_core.storage.database import Connection
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


def _spans(scan: InjectionScan) -> list[tuple[int, int, float]]:
    return [(start, end, round(score, 4)) for (start, end), score in zip(scan.spans, scan.scores, strict=True)]
