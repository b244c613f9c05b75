"""``/api/notes``: one note at a time, indexed before the answer."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

from fastapi import APIRouter, Path, Query, Response

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.schemas import NoteIn, NoteOut, NotePage, failures
from rag_core.api.storing import store_note
from rag_core.errors import ConflictError, DeadlineExceededError, InvalidInputError, NotFoundError
from rag_core.model.note import NewNote, Note, NoteId, TenantId
from rag_core.notes.validation import parse_note
from rag_core.settings import Settings
from rag_core.storage.notes import delete_notes, fetch_note, list_notes
from rag_core.wire.values import moment_to_wire, note_to_wire

DEFAULT_SOURCE = "api"
NO_SUCH_NOTE = "No existe ninguna nota con ese identificador"
NOTE_EXISTS = "Ya existe una nota con ese externalId en esa fuente; usa PUT para cambiarla"
TOO_BUSY = "La nota no se ha guardado, porque otro proceso ocupaba lo que había que cambiar; inténtalo de nuevo"

router = APIRouter(prefix="/api/notes", tags=["notes"])
NotePath = Annotated[UUID, Path(description="The note's UUID.")]


@router.post("", status_code=201, response_model=NoteOut, responses=failures(400, 409, 413, 415, 503, 504))
def create_note(body: NoteIn, response: Response, context: Context) -> dict[str, Any]:
    """Store a note and index it: it is found, by its words and by its meaning, from the next request on."""
    tenant = context.writing_tenant
    external_id = str(uuid4()) if body.external_id is None else body.external_id
    note = _parsed(context.settings, body, external_id=external_id, source=body.source or DEFAULT_SOURCE)
    note = replace(note, dated_by="given")  # without a date it is written now
    with explained(ConflictError, NOTE_EXISTS):
        note_id = _store_and_index(context, note, expected="new")
    response.headers["Location"] = f"/api/notes/{note_id}"
    return note_to_wire(_stored(context, tenant, note_id))


@router.get("", response_model=NotePage, responses=failures(400, 503))
def list_all(
    context: Context,
    limit: Annotated[int, Query(ge=1, le=200, description="Notes at most.")] = 50,
    before: Annotated[str | None, Query(description="`nextBefore` of the page before.")] = None,
) -> dict[str, Any]:
    """The notes, newest first, a page at a time."""
    cursor = None if before is None else _parse_cursor(before)
    with context.transaction() as connection:
        notes = list_notes(connection, context.tenant, limit=limit + 1, before=cursor)
    page = notes[:limit]
    return {
        "notes": [note_to_wire(note) for note in page],
        "nextBefore": _cursor(page[-1]) if len(notes) > limit else None,
    }


@router.get("/{note_id}", response_model=NoteOut, responses=failures(400, 404, 503))
def read_note(note_id: NotePath, context: Context) -> dict[str, Any]:
    """One note with all its text."""
    return note_to_wire(_stored(context, context.tenant, NoteId(note_id)))


@router.put("/{note_id}", response_model=NoteOut, responses=failures(400, 404, 413, 415, 503, 504))
def replace_note(note_id: NotePath, body: NoteIn, context: Context) -> dict[str, Any]:
    """Replace what a note says, and index it anew; only changed passages are embedded again.

    Takes the body of `POST`. `source` and `externalId` are the note's identity and cannot change. Without
    `createdAt` the note keeps its own. So it does without `metadata`, and stays for whom it was; `{}` clears them.
    """
    tenant, wanted = context.writing_tenant, NoteId(note_id)
    old = _stored(context, tenant, wanted)
    _check_identity(body, old)
    note = _parsed(context.settings, body, external_id=old.external_id, source=old.source)
    with explained(NotFoundError, NO_SUCH_NOTE):
        _store_and_index(context, note, expected="known")
    return note_to_wire(_stored(context, tenant, wanted))


@router.delete("/{note_id}", status_code=204, responses=failures(400, 404, 503))
def delete_note(note_id: NotePath, context: Context) -> None:
    """Delete a note with everything made of it; it is found no more from the next request on."""
    tenant, wanted = context.writing_tenant, NoteId(note_id)
    with context.database.transaction(tenant) as connection:
        deleted = delete_notes(connection, tenant, [wanted])
    if not deleted:
        raise ExplainedError(NO_SUCH_NOTE, kind=NotFoundError)


def _store_and_index(context: RequestContext, note: NewNote, *, expected: Literal["new", "known"]) -> NoteId:
    with explained(DeadlineExceededError, TOO_BUSY):
        return store_note(context, note, expected=expected)


def _parsed(settings: Settings, body: NoteIn, *, external_id: str, source: str) -> NewNote:
    return parse_note(
        external_id=external_id,
        source=source,
        title=body.title,
        text=body.content,
        created_at=body.created_at,
        language=body.language,
        metadata=body.metadata,
        zone=settings.zone,
        max_characters=settings.max_note_characters,
    )


def _stored(context: RequestContext, tenant: TenantId, note_id: NoteId) -> Note:
    with (
        explained(NotFoundError, NO_SUCH_NOTE),
        context.database.transaction(tenant, timeout_ms=context.timeout_ms) as connection,
    ):
        return fetch_note(connection, tenant, note_id)


def _check_identity(body: NoteIn, old: Note) -> None:
    same = body.external_id in {None, old.external_id} and body.source in {None, old.source}
    if not same:
        raise ExplainedError("externalId y source identifican la nota y no se pueden cambiar", kind=InvalidInputError)


def _cursor(note: Note) -> str:
    return f"{moment_to_wire(note.created_at)}~{note.id}"


def _parse_cursor(text: str) -> tuple[datetime, UUID]:
    moment, _, note_id = text.partition("~")
    try:
        when, last = datetime.fromisoformat(moment), UUID(note_id)
    except ValueError as error:
        raise _not_a_cursor() from error
    if when.tzinfo is None:
        raise _not_a_cursor()
    return when, last


def _not_a_cursor() -> ExplainedError:
    details = "before: se espera el valor nextBefore de la página anterior"
    return ExplainedError(details, kind=InvalidInputError)
