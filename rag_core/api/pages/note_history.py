"""``/notas/{id}/historial``: what a note said before, and in what it differs from what it said next."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError
from rag_core.api.pages.cards import title_of
from rag_core.api.pages.note_actions import note_actions
from rag_core.api.pages.note_differences import DifferenceLine, differences
from rag_core.api.pages.note_editing import require_writer, store_version
from rag_core.api.pages.search import as_uuid, read_note, read_shelf
from rag_core.api.pages.texts import day_of, tr
from rag_core.api.pages.web import render
from rag_core.errors import NotFoundError
from rag_core.model.note import Note, NoteId
from rag_core.model.zones import in_zone
from rag_core.notes.validation import tags_in
from rag_core.notes.versions import restored
from rag_core.storage.note_versions import NoteVersion, kept_since, list_versions

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionCard:
    """A version: until when the note said so, and the lines in which the next one differs; None where they were not compared."""

    version_id: UUID
    moment: str
    until: str
    lines: list[DifferenceLine] | None


@router.get("/notas/{note_id}/historial")
def show_history(note_id: str, context: Context) -> Response:
    """The versions of a note, newest first."""
    note = read_note(context, note_id)
    require_writer(context)
    return render(
        "note_history.html",
        shelf=read_shelf(context),
        note=note,
        title=title_of(note.title),
        cards=_cards(_versions(context, note), note, context),
        may_change=note_actions(context, note.id).may_change,
        days=context.settings.note_version_days,
    )


@router.post("/notas/{note_id}/historial/{version_id}")
def restore_version(note_id: str, version_id: str, context: Context) -> Response:
    """Store a note as it was; what it says now becomes a version."""
    note, wanted = read_note(context, note_id), as_uuid(version_id)
    found = next((one for one in _versions(context, note) if one.version_id == wanted), None)
    if found is None:
        raise ExplainedError(tr("No se conserva esa versión de la nota"), kind=NotFoundError)
    return RedirectResponse(f"/notas/{store_version(context, note_id, restored(found))}", status_code=303)


def _versions(context: RequestContext, note: Note) -> list[NoteVersion]:
    since = kept_since(context.settings.note_version_days)
    with context.transaction() as connection:
        return list_versions(connection, context.tenant, NoteId(note.id), since=since)


def _cards(versions: Sequence[NoteVersion], note: Note, context: RequestContext) -> list[VersionCard]:
    cards, after = [], _told(note, context)
    for version in versions:
        before = _told(version, context)
        local = in_zone(version.changed_at, context.zone)
        until = f"{day_of(version.changed_at, context.zone)}, {local:%H:%M}"
        cards.append(
            VersionCard(
                version_id=version.version_id,
                moment=version.changed_at.isoformat(),
                until=tr("hasta el {day}", day=until),
                lines=differences(before, after),
            )
        )
        after = before
    return cards


def _told(note: Note | NoteVersion, context: RequestContext) -> str:
    """Title, day, tags and text of a note, each on lines of its own."""
    day = in_zone(note.created_at, context.zone).date().isoformat()
    return "\n".join([f"# {note.title or ''}", day, ", ".join(tags_in(note.metadata)), note.content])
