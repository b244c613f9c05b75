"""What a reader sees of a search, a note and a date: values for the templates, in Spanish. No I/O."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from markupsafe import Markup

from rag_core.api.highlights import excerpt, marked
from rag_core.model import Hit, Language, Note, Retrieval, Strategy
from rag_core.retrieval.passages import word_beginnings

UNTITLED = "Nota sin título"
DEFAULT_MODE = "hibrida"
STRATEGIES: Mapping[str, tuple[Strategy, str, str]] = {
    "hibrida": ("hybrid", "Híbrida", "por significado y por palabras a la vez"),
    "significado": ("semantic", "Por significado", "aunque las palabras sean otras"),
    "palabras": ("fulltext", "Por palabras", "las que escribes, en cualquiera de sus formas"),
}
_LEGS = {"semantic": "por significado", "fulltext": "por palabras"}
_STAGES = {
    "queryTransformation": "preparar la consulta",
    "retrieval": "buscar",
    "reranking": "reordenar",
    "contextExpansion": "leer los pasajes",
}
_MONTHS = (
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
)

_BLANK_LINES = re.compile(r"\n\s*\n")


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
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The results of a search as the page shows them."""

    cards: list[Card]
    warnings: tuple[str, ...]
    total: str
    timings: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentNote:
    """A note in the list of the newest."""

    title: str
    address: str
    created_at: str
    date: str
    beginning: str


def shown(found: Retrieval, *, mode: str, zone: ZoneInfo) -> Found:
    """The results of a search, and how long its stages took."""
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
        title=hit.title or UNTITLED,
        address=f"/notas/{hit.note_id}?{link}#pasaje",
        source=hit.source,
        created_at=hit.created_at.isoformat(),
        date=spanish_date(hit.created_at, zone),
        score=spanish(hit.score, decimals=2),
        score_percent=round(100 * hit.score),
        passage=_with_ellipses(passage, at_start=start > 0, at_end=stop < len(text)),
        full_passage=marked(text, spans, words) if is_cut else None,
        found=_how_found(hit),
        language=hit.language,
    )


def _with_ellipses(passage: Markup, *, at_start: bool, at_end: bool) -> Markup:
    compact = Markup(_BLANK_LINES.sub("\n", passage))  # noqa: S704  escaped already
    return Markup("{}{}{}").format("… " if at_start else "", compact, " …" if at_end else "")


def _how_found(hit: Hit) -> str:
    ranks = [f"{_LEGS[leg]}, n.º {rank}" for leg, rank in hit.ranks.items() if leg in _LEGS]
    return "; ".join(ranks).capitalize()


def recent_note(note: Note, *, zone: ZoneInfo) -> RecentNote:
    """The note with its beginning on one line."""
    return RecentNote(
        title=note.title or UNTITLED,
        address=f"/notas/{note.id}",
        created_at=note.created_at.isoformat(),
        date=spanish_date(note.created_at, zone),
        beginning=" ".join(note.content[:400].split())[:160],
    )


def spanish(number: float, *, decimals: int = 0) -> str:
    """A number with a decimal comma."""
    return f"{number:.{decimals}f}".replace(".", ",")


def spanish_date(moment: datetime, zone: ZoneInfo) -> str:
    """``3 de marzo de 2025``, as it was there and then."""
    local = moment.astimezone(zone)
    return f"{local.day} de {_MONTHS[local.month - 1]} de {local.year}"


def tags_of(note: Note) -> list[str]:
    """The tags that stand in the note's metadata."""
    tags = note.metadata.get("tags")
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
