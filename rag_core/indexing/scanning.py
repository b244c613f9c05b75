"""Instructions hidden in notes, looked for when a note is indexed: once a text, and not in every answer."""

from collections.abc import Sequence

from rag_core.guardrails.injection import RULES_VERSION, scan
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.note_findings import ScannedNote, replace_findings
from rag_core.storage.staging import NoteToStage


def scanned(note: NoteToStage) -> ScannedNote:
    """Scan a note's text for hidden instructions. Pure."""
    return ScannedNote(note_id=note.note_id, content_hash=note.content_hash, scan=scan(note.content, profile="note"))


def store_scans(connection: Connection, tenant: TenantId, notes: Sequence[ScannedNote]) -> None:
    """Keep what was found under the version of the rules, within the caller's transaction."""
    replace_findings(connection, tenant, notes, rules_version=RULES_VERSION)


def scan_notes(database: Database, tenant: TenantId, notes: Sequence[NoteToStage]) -> int:
    """Scan the notes and keep what was found, a transaction of its own; how many hold instructions."""
    found = [scanned(note) for note in notes]
    with database.transaction(tenant) as connection:
        store_scans(connection, tenant, found)
    return sum(bool(note.scan.spans) for note in found)
