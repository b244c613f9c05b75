"""Notes related to a note, and why: what both name, and what stands nearest by meaning."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, pstdev
from uuid import UUID

from rag_core.api.access import RequestContext
from rag_core.api.pages.texts import day_of, tr
from rag_core.embedding import knows_meaning
from rag_core.model.note import NoteId
from rag_core.storage.neighbours import (
    fetch_entities_named,
    fetch_note_direction,
    fetch_notes_naming,
    fetch_notes_of_chunks,
)
from rag_core.storage.search import search_semantic
from rag_core.storage.vector_index import vector_kind

BY_NAMES, BY_MEANING = 4, 3
NAMES = 3
"""Names that are told of those that two notes share."""
NEAREST_CHUNKS = 60
LEAST_COMPARED = 8
"""Notes that must be near for one to stand out among them."""
SPREADS = 1.5
"""Standard deviations above the mean of the nearest from which a note is related: similarities of models have no common scale."""
_OF_NOTE = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedNote:
    """A related note as the page links to it, with the reason."""

    title: str
    address: str
    reason: str


def related_notes(context: RequestContext, note: NoteId) -> list[RelatedNote]:
    """At most ``BY_NAMES`` notes that name the same, then at most ``BY_MEANING`` that say something alike."""
    sees_all = context.database.departments is None
    with context.transaction() as connection:
        named = fetch_entities_named(connection, context.tenant, [note], limit=_OF_NOTE, sees_all=sees_all)
        ids = [one.id for one in named]
        sharing = fetch_notes_naming(connection, context.tenant, ids, besides=[note], limit=BY_NAMES)
    names = {one.id: one.name for one in named}
    found: dict[UUID, RelatedNote] = {}
    for one in sharing:
        shared = ", ".join(names[entity] for entity in one.entities[:NAMES])
        found[one.id] = _related(context, one.id, one.title, one.created_at, tr("comparten: {names}", names=shared))
    for key, title, created_at in _near(context, note):
        found.setdefault(key, _related(context, key, title, created_at, tr("dicen cosas parecidas")))
    return list(found.values())


def _related(context: RequestContext, key: UUID, title: str | None, created_at: datetime, reason: str) -> RelatedNote:
    shown = title or day_of(created_at, context.zone)
    return RelatedNote(title=shown, address=f"/notas/{key}", reason=reason)


def _near(context: RequestContext, note: NoteId) -> Iterator[tuple[UUID, str | None, datetime]]:
    """Notes whose nearest chunk stands out among the nearest ones, nearest first; none for a model that knows no meaning."""
    model, tenant = context.engine.model, context.tenant
    if not knows_meaning(model):
        return
    with context.transaction() as connection:
        direction = fetch_note_direction(connection, tenant, note, model)
    if direction is None:
        return
    ranking = search_semantic(
        context.database,
        tenant,
        direction,
        model=model,
        searched=vector_kind(model),
        limit=NEAREST_CHUNKS,
        timeout_ms=context.timeout_ms,
    )
    with context.transaction() as connection:
        notes = fetch_notes_of_chunks(connection, tenant, [chunk for chunk, _ in ranking])
    best: dict[UUID, tuple[float, str | None, datetime]] = {}
    for chunk, score in ranking:
        if chunk in notes and notes[chunk].id != note:
            best.setdefault(notes[chunk].id, (score, notes[chunk].title, notes[chunk].created_at))
    for key in standing_out({key: score for key, (score, _, _) in best.items()})[:BY_MEANING]:
        yield key, *best[key][1:]


def standing_out(scores: dict[UUID, float]) -> list[UUID]:
    """Keys whose score is ``SPREADS`` standard deviations above the mean, best first; [] for fewer than ``LEAST_COMPARED``."""
    if len(scores) < LEAST_COMPARED:
        return []
    least = fmean(scores.values()) + SPREADS * pstdev(scores.values())
    return sorted((key for key, score in scores.items() if score > least), key=lambda key: -scores[key])
