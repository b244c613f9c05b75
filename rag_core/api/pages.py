"""The web page, in Spanish, rendered on the server: the search at ``/`` and a note at ``/notas/{id}``.

It works without JavaScript and asks the same core as the API.
"""

from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Response

from rag_core.api.access import EngineOf
from rag_core.api.cards import (
    DEFAULT_MODE,
    STRATEGIES,
    UNTITLED,
    Found,
    RecentNote,
    recent_note,
    shown,
    spanish_date,
    tags_of,
)
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.highlights import marked
from rag_core.api.notes import NO_SUCH_NOTE
from rag_core.api.retrieval import find
from rag_core.api.web import render
from rag_core.configuration import DEFAULT_RETRIEVAL_CONFIG, configure
from rag_core.engine import DEMO_TENANT, Engine
from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.model import ChunkId, Note, NoteId, Span, TenantId
from rag_core.retrieval.passages import best_passage, word_beginnings
from rag_core.storage.notes import count_notes, fetch_note, list_notes
from rag_core.storage.search import fetch_spans

RESULTS = 10
RECENT_NOTES = 6
DEMO_QUESTIONS = (
    "¿Desde que voy a nadar tengo menos migrañas?",
    "¿Por qué se inundó la parcela 14?",
    "la mudanza de mi madre",
)

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Whose notes are shown, and how many there are."""

    tenant: TenantId
    notes: int
    indexed: int

    @property
    def is_demo(self) -> bool:
        """Whether these are the notes that come with the program."""
        return self.tenant == DEMO_TENANT


@router.get("/")
def home(engine: EngineOf, q: str | None = None, modo: str = DEFAULT_MODE) -> Response:
    """The search box, and what it finds."""
    shelf, mode = _shelf(engine), modo if modo in STRATEGIES else DEFAULT_MODE
    found, problem = (None, None) if q is None else _search(engine, shelf, q, mode)
    is_start = found is None and shelf.notes > 0
    return render(
        "home.html",
        shelf=shelf,
        query=q or "",
        mode=mode,
        strategies=STRATEGIES,
        found=found,
        problem=problem,
        recent=_recent(engine, shelf) if is_start else [],
        questions=DEMO_QUESTIONS if is_start and shelf.is_demo else (),
    )


@router.get("/notas/{note_id}")
def show_note(
    note_id: str,
    engine: EngineOf,
    fragmento: str | None = None,
    q: str | None = None,
    modo: str = DEFAULT_MODE,
) -> Response:
    """A whole note; where it was found is marked and has the anchor ``#pasaje``."""
    shelf = _shelf(engine)
    note = _note(engine, shelf.tenant, note_id)
    span = _matched_span(engine, shelf.tenant, note, fragmento, q or "")
    spans, words = ([], set()) if span is None else ([span], word_beginnings(q or ""))
    return render(
        "note.html",
        shelf=shelf,
        note=note,
        title=note.title or UNTITLED,
        date=spanish_date(note.created_at, engine.settings.zone),
        text=marked(note.content, spans, words, anchor="pasaje"),
        tags=tags_of(note),
        has_passage=span is not None,
        back="/?" + urlencode({"q": q, "modo": modo}) if q else "/",
        is_from_search=bool(q),
    )


def _shelf(engine: Engine) -> Shelf:
    tenant = engine.tenant()
    with engine.database.transaction(tenant, timeout_ms=engine.settings.request_timeout_ms) as connection:
        counts = count_notes(connection, tenant)
    return Shelf(tenant=tenant, notes=counts["notes"], indexed=counts["indexed"])


def _search(engine: Engine, shelf: Shelf, query: str, mode: str) -> tuple[Found | None, str | None]:
    """What was found, or what is wrong with the query."""
    config = configure(strategy=STRATEGIES[mode][0], top_k=RESULTS)
    try:
        found = find(engine, shelf.tenant, query, config)
    except InvalidInputError as error:
        return None, str(error)
    return shown(found, mode=mode, zone=engine.settings.zone), None


def _recent(engine: Engine, shelf: Shelf) -> list[RecentNote]:
    timeout_ms = engine.settings.request_timeout_ms
    with engine.database.transaction(shelf.tenant, timeout_ms=timeout_ms) as connection:
        notes = list_notes(connection, shelf.tenant, limit=RECENT_NOTES)
    return [recent_note(note, zone=engine.settings.zone) for note in notes]


def _note(engine: Engine, tenant: TenantId, note_id: str) -> Note:
    wanted = _as_uuid(note_id)
    if wanted is None:
        raise ExplainedError(NO_SUCH_NOTE, kind=NotFoundError)
    timeout_ms = engine.settings.request_timeout_ms
    with (
        explained(NotFoundError, NO_SUCH_NOTE),
        engine.database.transaction(tenant, timeout_ms=timeout_ms) as connection,
    ):
        return fetch_note(connection, tenant, NoteId(wanted))


def _matched_span(engine: Engine, tenant: TenantId, note: Note, chunk: str | None, query: str) -> Span | None:
    """Where the chunk stands in the note; None when it is not one of its chunks any more."""
    wanted = None if chunk is None else _as_uuid(chunk)
    if wanted is None:
        return None
    chunk_id, timeout_ms = ChunkId(wanted), engine.settings.request_timeout_ms
    spans = fetch_spans(engine.database, tenant, [chunk_id], before=0, after=0, timeout_ms=timeout_ms)
    found = spans.get(chunk_id)
    if found is None or found.note_id != note.id:
        return None
    return _passage_span(note, query) if found.is_whole_note else found.span


def _passage_span(note: Note, query: str) -> Span:
    """The passage that a search shows of a note that is not chunked yet."""
    sizes = DEFAULT_RETRIEVAL_CONFIG.chunking
    chosen, _ = best_passage(note.content, query, language=note.language, sizes=sizes, before=0, after=0)
    return chosen


def _as_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
