"""The web page, in Spanish, rendered on the server: the search at ``/`` and a note at ``/notas/{id}``.

It works without JavaScript and asks the same core as the API.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Path, Response
from markupsafe import Markup

from rag_core.api.access import EngineOf
from rag_core.api.errors import ExplainedError
from rag_core.api.highlights import excerpt, marked
from rag_core.api.notes import NO_SUCH_NOTE
from rag_core.api.retrieval import find
from rag_core.api.web import render
from rag_core.configuration import DEFAULT_RETRIEVAL_CONFIG, configure
from rag_core.engine import DEMO_TENANT, Engine
from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.model import ChunkId, Hit, Note, NoteId, Retrieval, Span, Strategy, TenantId
from rag_core.retrieval.passages import best_passage, word_beginnings
from rag_core.storage.notes import count_notes, fetch_note, list_notes
from rag_core.storage.search import fetch_spans

RESULTS = 10
RECENT_NOTES = 6
STRATEGIES: Mapping[str, tuple[Strategy, str, str]] = {
    "hibrida": ("hybrid", "Híbrida", "por significado y por palabras a la vez"),
    "significado": ("semantic", "Por significado", "aunque las palabras sean otras"),
    "palabras": ("fulltext", "Por palabras", "las que escribes, en cualquiera de sus formas"),
}
DEMO_QUESTIONS = (
    "¿Por qué se inundó la parcela de Sueca?",
    "qué me ayuda con las migrañas",
    "la mudanza de mi madre",
)
_LEGS = {"semantic": "por significado", "fulltext": "por palabras"}
_STAGES = {
    "queryTransformation": "preparar la consulta",
    "retrieval": "buscar",
    "reranking": "reordenar",
    "contextExpansion": "leer los pasajes",
}
_MONTHS = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
)

_BLANK_LINES = re.compile(r"\n\s*\n")

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One result as the page shows it."""

    title: str
    address: str
    source: str
    created_at: str
    date: str
    score: str
    score_percent: int
    passage: Markup
    full_passage: Markup | None
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The results of a search as the page shows them."""

    cards: list[Card]
    warnings: tuple[str, ...]
    total: str
    timings: str


@router.get("/")
def home(engine: EngineOf, q: str | None = None, modo: str = "hibrida") -> Response:
    """The search box, and what it finds."""
    shelf = _shelf(engine)
    mode = modo if modo in STRATEGIES else "hibrida"
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


def _shelf(engine: Engine) -> Shelf:
    tenant = engine.tenant()
    with engine.database.transaction(tenant, timeout_ms=engine.settings.request_timeout_ms) as connection:
        counts = count_notes(connection, tenant)
    return Shelf(tenant=tenant, notes=counts["notes"], indexed=counts["indexed"])


def _search(engine: Engine, shelf: Shelf, query: str, mode: str) -> tuple[Found | None, str | None]:
    config = configure(strategy=STRATEGIES[mode][0], top_k=RESULTS)
    try:
        found = find(engine, shelf.tenant, query, config)
    except InvalidInputError as error:
        return None, str(error)
    return _shown(found, mode, engine.settings.zone), None


def _shown(found: Retrieval, mode: str, zone: ZoneInfo) -> Found:
    words = word_beginnings(found.query)
    stages = ", ".join(f"{_STAGES[name]} {spanish(ms)} ms" for name, ms in found.stages.items() if name in _STAGES)
    return Found(
        cards=[_card(hit, found.query, mode, words, zone) for hit in found.hits],
        warnings=found.warnings,
        total=f"{spanish(found.latency_ms)} ms",
        timings=stages,
    )


def _card(hit: Hit, query: str, mode: str, words: set[str], zone: ZoneInfo) -> Card:
    text, spans = hit.expanded_content, [*hit.matched_spans, hit.bounds]
    start, stop = excerpt(text, hit.bounds, words)
    is_cut = (start, stop) != (0, len(text))
    shifted = [(a - start, b - start) for a, b in spans]
    passage = marked(text[start:stop].rstrip(), shifted, words)
    link = urlencode({"fragmento": str(hit.chunk_id), "q": query, "modo": mode})
    return Card(
        title=hit.title or "Nota sin título",
        address=f"/notas/{hit.note_id}?{link}#pasaje",
        source=hit.source,
        created_at=hit.created_at.isoformat(),
        date=spanish_date(hit.created_at, zone),
        score=spanish(hit.score, decimals=2),
        score_percent=round(100 * hit.score),
        passage=_with_ellipses(passage, at_start=start > 0, at_end=stop < len(text)),
        full_passage=marked(text, spans, words) if is_cut else None,
        found=_how_found(hit),
    )


def _with_ellipses(passage: Markup, *, at_start: bool, at_end: bool) -> Markup:
    compact = Markup(_BLANK_LINES.sub("\n", passage))  # noqa: S704  escaped already
    return Markup("{}{}{}").format("… " if at_start else "", compact, " …" if at_end else "")


def _how_found(hit: Hit) -> str:
    ranks = [f"{_LEGS[leg]}, n.º {rank}" for leg, rank in hit.ranks.items() if leg in _LEGS]
    return "; ".join(ranks).capitalize()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentNote:
    """A note in the list of the newest."""

    title: str
    address: str
    created_at: str
    date: str
    beginning: str


def _recent(engine: Engine, shelf: Shelf) -> list[RecentNote]:
    with engine.database.transaction(shelf.tenant, timeout_ms=engine.settings.request_timeout_ms) as connection:
        notes = list_notes(connection, shelf.tenant, limit=RECENT_NOTES)
    return [_recent_note(note, engine.settings.zone) for note in notes]


def _recent_note(note: Note, zone: ZoneInfo) -> RecentNote:
    return RecentNote(
        title=note.title or "Nota sin título",
        address=f"/notas/{note.id}",
        created_at=note.created_at.isoformat(),
        date=spanish_date(note.created_at, zone),
        beginning=" ".join(note.content[:400].split())[:160],
    )


@router.get("/notas/{id}")
def show_note(
    note_id: Annotated[str, Path(alias="id")],
    engine: EngineOf,
    fragmento: str | None = None,
    q: str | None = None,
    modo: str = "hibrida",
) -> Response:
    """A whole note; where it was found is marked and has the anchor ``#pasaje``."""
    shelf = _shelf(engine)
    note = _note(engine, shelf.tenant, note_id)
    span = _matched_span(engine, shelf.tenant, note, fragmento, q or "")
    back = "/?" + urlencode({"q": q, "modo": modo}) if q else "/"
    return render(
        "note.html",
        shelf=shelf,
        note=note,
        title=note.title or "Nota sin título",
        date=spanish_date(note.created_at, engine.settings.zone),
        text=marked(note.content, [span] if span else [], word_beginnings(q or "") if span else (), anchor="pasaje"),
        tags=[tag for tag in note.metadata.get("tags", ()) if isinstance(tag, str)]
        if isinstance(note.metadata.get("tags"), list)
        else [],
        has_passage=span is not None,
        back=back,
        is_from_search=bool(q),
    )


def _note(engine: Engine, tenant: TenantId, note_id: str) -> Note:
    wanted = as_uuid(note_id)
    if wanted is None:
        raise ExplainedError(NO_SUCH_NOTE, kind=NotFoundError)
    try:
        with engine.database.transaction(tenant, timeout_ms=engine.settings.request_timeout_ms) as connection:
            return fetch_note(connection, tenant, NoteId(wanted))
    except NotFoundError as error:
        raise ExplainedError(NO_SUCH_NOTE, kind=NotFoundError) from error


def _matched_span(engine: Engine, tenant: TenantId, note: Note, chunk: str | None, query: str) -> Span | None:
    """Where the chunk stands in the note; None when it is not one of its chunks any more."""
    wanted = None if chunk is None else as_uuid(chunk)
    if wanted is None:
        return None
    spans = fetch_spans(
        engine.database,
        tenant,
        [ChunkId(wanted)],
        before=0,
        after=0,
        timeout_ms=engine.settings.request_timeout_ms,
    )
    found = spans.get(ChunkId(wanted))
    if found is None or found.note_id != note.id:
        return None
    return _passage_span(note, query) if found.is_whole_note else found.span


def _passage_span(note: Note, query: str) -> Span:
    sizes = DEFAULT_RETRIEVAL_CONFIG.chunking
    return best_passage(note.content, query, language=note.language, sizes=sizes, before=0, after=0)[0]


def as_uuid(text: str) -> UUID | None:
    """The UUID that the text is, if it is one."""
    try:
        return UUID(text)
    except ValueError:
        return None


def spanish(number: float, *, decimals: int = 0) -> str:
    """A number with a decimal comma."""
    return f"{number:.{decimals}f}".replace(".", ",")


def spanish_date(moment: datetime, zone: ZoneInfo) -> str:
    """``3 de marzo de 2025``, as it was there and then."""
    local = moment.astimezone(zone)
    return f"{local.day} de {_MONTHS[local.month - 1]} de {local.year}"
