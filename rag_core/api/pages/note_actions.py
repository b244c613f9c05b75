"""Permission to change a note on the page, the reason against it, and where its file is."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from rag_core.api.access import RequestContext
from rag_core.api.pages.texts import tr
from rag_core.model.note import NoteId
from rag_core.storage.library import NoteOrigin, fetch_origin


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteActions:
    """Offers of a note's page; ``reason`` tells why a note cannot be changed there, ``obsidian`` opens its file."""

    may_write: bool
    reason: str | None
    obsidian: str | None

    @property
    def may_change(self) -> bool:
        """True where the note may be changed and deleted."""
        return self.may_write and self.reason is None


def may_write(context: RequestContext) -> bool:
    """Tell whether the caller may change notes of the tenant whose notes are shown."""
    caller = context.caller
    return caller.may("write") and caller.departments is None and context.tenant == context.writing_tenant


def note_actions(context: RequestContext, note: NoteId) -> NoteActions:
    """Actions on a note that its reader may take."""
    with context.transaction() as connection:
        origin = fetch_origin(connection, context.tenant, note)
    return NoteActions(may_write=may_write(context), reason=_reason(origin), obsidian=_obsidian(origin))


def _reason(origin: NoteOrigin) -> str | None:
    if origin.is_watched:
        return tr("Se lee del archivo {file}, que se sigue: cámbiala allí.", file=f"{origin.folder}/{origin.path}")
    if origin.is_upload:
        return tr("Se lee de un archivo subido: cámbialo y vuelve a subirlo.")
    return tr("Se lee de un archivo: cámbialo y vuelve a importarlo.") if origin.kind == "document" else None


def _obsidian(origin: NoteOrigin) -> str | None:
    """The address that opens the file in Obsidian, where one of the folders above it is a vault."""
    if origin.folder is None or origin.path is None:
        return None
    folder, file = Path(origin.folder), Path(origin.folder, origin.path)
    within = [above for above in file.parents if above == folder or folder in above.parents]
    is_vault = any((above / ".obsidian").is_dir() for above in within)
    return f"obsidian://open?path={quote(str(file), safe='')}" if is_vault else None
