"""Notes written on the page: created, changed, deleted and brought back."""

from dataclasses import dataclass, replace
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Form, Response
from fastapi.responses import RedirectResponse

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError
from rag_core.api.pages.cards import title_of
from rag_core.api.pages.note_actions import may_write, note_actions
from rag_core.api.pages.search import read_note, read_shelf
from rag_core.api.pages.texts import day_of, localised, tr
from rag_core.api.pages.web import render
from rag_core.api.storing import store_note
from rag_core.errors import AccessDeniedError, ConflictError, InvalidInputError, NotFoundError
from rag_core.folders.reading import written_contents
from rag_core.model.note import NewNote, Note, NoteId, content_hash
from rag_core.model.zones import in_zone
from rag_core.notes.validation import audience, is_audience_key, parse_note, tags_in
from rag_core.notes.versions import restored
from rag_core.storage.database import Connection
from rag_core.storage.documents import store_contents
from rag_core.storage.note_versions import kept_since, list_deleted
from rag_core.storage.notes import delete_notes, fetch_note
from rag_core.storage.staging import lock_notes

SOURCE = "notas"
"""Source of notes that are written on the page."""
DELETED = "/notas/borradas"

router = APIRouter(include_in_schema=False)
Text = Annotated[str, Form()]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenNote:
    """Fields of the form; ``state`` is what the note said when it was opened, empty for a new one."""

    title: str = ""
    text: str = ""
    tags: str = ""
    day: str = ""
    state: str = ""


def _written(
    titulo: Text = "", texto: Text = "", etiquetas: Text = "", fecha: Text = "", estado: Text = ""
) -> WrittenNote:
    text = texto.replace("\r\n", "\n")
    return WrittenNote(title=titulo.strip(), text=text, tags=etiquetas, day=fecha.strip(), state=estado)


@router.get("/notas/nueva")
def new_note(context: Context) -> Response:
    """The form for a new note."""
    return _form(context, WrittenNote())


@router.post("/notas/nueva")
def create_note(
    context: Context, *, titulo: Text = "", texto: Text = "", etiquetas: Text = "", fecha: Text = ""
) -> Response:
    """Store a new note, and show it."""
    written = _written(titulo, texto, etiquetas, fecha)
    try:
        note = replace(_parsed(context, written, None), note_id=NoteId(uuid4()))
        note = note if note.created_at else replace(note, dated_by="given")  # written now
        note_id = _store(context, note)
    except InvalidInputError as error:
        return _form(context, written, problem=localised(str(error)), status=400)
    return RedirectResponse(f"/notas/{note_id}", status_code=303)


@router.get("/notas/{note_id}/editar")
def edit_note(note_id: str, context: Context) -> Response:
    """The form with what the note says."""
    note = _changeable(context, note_id)
    fields = WrittenNote(
        title=note.title or "",
        text=note.content,
        tags=", ".join(tags_in(note.metadata)),
        day=in_zone(note.created_at, context.zone).date().isoformat(),
        state=_state(note),
    )
    return _form(context, fields, note=note)


@router.post("/notas/{note_id}/editar")
def change_note(
    note_id: str,
    context: Context,
    *,
    titulo: Text = "",
    texto: Text = "",
    etiquetas: Text = "",
    fecha: Text = "",
    estado: Text = "",
) -> Response:
    """Store what the form says, unless the note was changed since it was opened: then both are shown."""
    written, note = _written(titulo, texto, etiquetas, fecha, estado), _changeable(context, note_id)
    try:
        _store(context, _parsed(context, written, note), known=note, state=estado)
    except InvalidInputError as error:
        return _form(context, written, note=note, problem=localised(str(error)), status=400)
    except ConflictError as error:
        current = _changeable(context, note_id)
        again = replace(written, state=_state(current))
        shown = current.content if context.caller.may("read") else None
        return _form(context, again, note=current, problem=str(error), current=shown, status=409)
    return RedirectResponse(f"/notas/{note.id}", status_code=303)


@router.post("/notas/{note_id}/borrar")
def delete_note(note_id: str, context: Context) -> Response:
    """Delete a note, and go on to those that can be brought back."""
    note, tenant = _changeable(context, note_id), context.writing_tenant
    with context.database.transaction(tenant, timeout_ms=context.timeout_ms) as connection:
        delete_notes(connection, tenant, [note.id])
    return RedirectResponse(DELETED, status_code=303)


@router.get(DELETED)
def show_deleted(context: Context) -> Response:
    """The notes that were deleted and can be brought back."""
    require_writer(context)
    days = context.settings.note_version_days
    with context.transaction() as connection:
        found = list_deleted(connection, context.tenant, since=kept_since(days))
    rows = [(one.note_id, title_of(one.title), day_of(one.changed_at, context.zone), one.source) for one in found]
    return render("deleted.html", shelf=read_shelf(context), rows=rows, days=days)


@router.post("/notas/{note_id}/recuperar")
def bring_note_back(note_id: str, context: Context) -> Response:
    """Store a deleted note again, and show it."""
    since = kept_since(context.settings.note_version_days)
    with context.database.transaction(context.writing_tenant, timeout_ms=context.timeout_ms) as connection:
        found = list_deleted(connection, context.writing_tenant, since=since, names=[note_id.lower()])
    gone = next((one for one in found if str(one.note_id) == note_id.lower()), None)
    if gone is None:
        raise ExplainedError(tr("No se conserva ninguna nota borrada con ese identificador"), kind=NotFoundError)
    return RedirectResponse(f"/notas/{_store(context, restored(gone))}", status_code=303)


def require_writer(context: RequestContext) -> None:
    """Go on only with a caller who may change notes: others are not shown what notes said before.

    Raises:
        ExplainedError: the caller may not.
    """
    if not may_write(context):
        raise ExplainedError(tr("Solo quien puede cambiar notas ve lo que decían antes"), kind=AccessDeniedError)


def _changeable(context: RequestContext, note_id: str) -> Note:
    """The note, which may be changed on the page.

    Raises:
        ExplainedError: there is none of that id, or it is read from a file.
    """
    note = read_note(context, note_id)
    actions = note_actions(context, note.id)
    if not actions.may_change:
        raise ExplainedError(actions.reason or tr("Esta nota no se puede cambiar aquí"), kind=AccessDeniedError)
    return note


def store_version(context: RequestContext, note_id: str, note: NewNote) -> NoteId:
    """Store a note as it was, if it may be changed on the page; its id. It keeps the name and the readers that it has now."""
    known = _changeable(context, note_id)
    own = {name: value for name, value in note.metadata.items() if not is_audience_key(name)}
    own |= {name: value for name, value in known.metadata.items() if is_audience_key(name)}
    readers = audience(own)
    named = replace(note, source=known.source, external_id=known.external_id, metadata=own, departments=readers)
    return _store(context, named, known=known, state=_state(known))


def _store(context: RequestContext, note: NewNote, *, known: Note | None = None, state: str = "") -> NoteId:
    """Store the note with its links; a known one only as long as it says what it said when it was opened.

    Raises:
        ConflictError: the note was changed meanwhile.
    """
    tenant, note_id = context.writing_tenant, known.id if known else note.note_id
    assert note_id is not None
    contents = written_contents(note, max_characters=context.settings.max_note_characters)

    def before(connection: Connection) -> None:
        if known is not None:
            lock_notes(connection, tenant, [known.id])
        if known is not None and _state(fetch_note(connection, tenant, known.id)) != state:
            raise ConflictError(tr("La nota ha cambiado entretanto. Guardar otra vez sustituye lo que dice ahora."))

    def beside(connection: Connection) -> None:
        store_contents(connection, tenant, note.source, [(note_id, contents)])

    return store_note(context, note, expected="known" if known else "new", before=before, beside=beside)


def _state(note: Note) -> str:
    """Digest of all that the form shows of a note."""
    facts = f"{sorted(tags_in(note.metadata))} {note.created_at.isoformat()} {note.content}"
    return content_hash(note.language, note.title, facts).hex()


def _form(
    context: RequestContext,
    written: WrittenNote,
    *,
    note: Note | None = None,
    problem: str | None = None,
    current: str | None = None,
    status: int = 200,
) -> Response:
    return render(
        "note_form.html",
        status=status,
        shelf=read_shelf(context),
        written=written,
        note=note,
        problem=problem,
        current=current,
    )


def _parsed(context: RequestContext, written: WrittenNote, note: Note | None) -> NewNote:
    """The note that a form says, over what is stored of it; a day that was not changed leaves the time as it is."""
    stored = note.metadata if note else {}
    is_same = note is not None and written.tags == ", ".join(tags_in(stored))  # a stored tag may have a comma
    tags = stored.get("tags") if is_same else list(tags_in({"tags": written.tags}))
    kept = {name: value for name, value in stored.items() if name != "tags"}
    is_same_day = note is not None and in_zone(note.created_at, context.zone).date().isoformat() == written.day
    return parse_note(
        external_id=note.external_id if note else str(uuid4()),
        source=note.source if note else SOURCE,
        title=written.title or None,
        text=written.text,
        created_at=None if is_same_day else written.day or None,
        language=note.language if note else None,
        metadata=kept | ({"tags": tags} if tags else {}),
        zone=context.zone,
        max_characters=context.settings.max_note_characters,
    )
