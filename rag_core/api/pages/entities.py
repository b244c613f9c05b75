"""``/entidad/{id}``: the notes that name an entity, when, and with whom; each mention links to its sentence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Response
from markupsafe import Markup

from rag_core.api.access import Context
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.pages.cards import title_of
from rag_core.api.pages.cited_spans import written_span
from rag_core.api.pages.entity_relations import OF_ENTITY, relation_links
from rag_core.api.pages.note_entities import KINDS, entity_link
from rag_core.api.pages.search import as_uuid, read_shelf
from rag_core.api.pages.texts import counted, day_of, tr
from rag_core.api.pages.web import render
from rag_core.chunking import sentence_spans
from rag_core.errors import NotFoundError
from rag_core.storage import entities as store

router = APIRouter(include_in_schema=False)

MENTIONS = 200
BESIDE = 20
_MARKS = re.compile(r"\A\s*(?:(?:#{1,6}|[-*+>]|\d+[.)]|\|)\s+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamingNote:
    """A note with the sentences that name the entity, each with its address."""

    title: str
    address: str
    date: str
    moment: str
    language: str
    sentences: Sequence[tuple[str, Markup]]


@router.get("/entidad/{entity_id}")
def show_entity(entity_id: str, context: Context) -> Response:
    """An entity: its names, the notes that name it, newest first, and what these name too."""
    wanted, no_such = as_uuid(entity_id), tr("Ninguna nota nombra esa entidad")
    if wanted is None:
        raise ExplainedError(no_such, kind=NotFoundError)
    sees_all = context.database.departments is None
    with explained(NotFoundError, no_such), context.transaction() as connection:
        entity = store.fetch_entity(connection, context.tenant, wanted, sees_all=sees_all)
        names = store.fetch_entity_names(connection, context.tenant, wanted)
        places = store.fetch_entity_places(connection, context.tenant, wanted, limit=MENTIONS)
        relations = store.fetch_entity_relations(connection, context.tenant, wanted, limit=OF_ENTITY, sees_all=sees_all)
        beside = store.fetch_entities_beside(connection, context.tenant, wanted, limit=BESIDE, sees_all=sees_all)
    return render(
        "entity.html",
        shelf=read_shelf(context),
        entity=entity,
        facts=[
            KINDS[entity.kind],
            counted("{count} nota", "{count} notas", entity.notes),
            counted("{count} mención", "{count} menciones", entity.mentions),
        ],
        names=[one.name for one in names if one.name != entity.name],
        relations=relation_links(relations),
        notes=_notes(places, context.zone),
        beside=[entity_link(one) for one in beside],
    )


def _notes(places: Sequence[store.EntityPlace], zone: ZoneInfo) -> list[NamingNote]:
    found: list[NamingNote] = []
    for note_id, group in groupby(places, key=lambda place: place.note_id):
        within = list(group)
        first = within[0]
        sentences = [(_address(one), _sentence(one)) for one in within]
        found.append(
            NamingNote(
                title=title_of(first.title),
                address=f"/notas/{note_id}",
                date=day_of(first.created_at, zone),
                moment=first.created_at.isoformat(),
                language=first.language,
                sentences=sentences,
            )
        )
    return found


def _address(place: store.EntityPlace) -> str:
    quote = place.around[place.offset : place.offset + place.end - place.start]
    return f"/notas/{place.note_id}?{urlencode({'cita': written_span((place.start, place.end), quote)})}#pasaje"


def _sentence(place: store.EntityPlace) -> Markup:
    """The sentence that names it, as far as it was read and without marks before it, with the name marked."""
    start, end = place.offset, place.offset + place.end - place.start
    spans = sentence_spans(place.around, place.language)
    first, last = next((span for span in spans if span[0] <= start < span[1]), (start, end))
    before, behind = place.around[first:start], place.around[end : max(end, last)]
    return Markup("{}<mark>{}</mark>{}").format(_MARKS.sub("", before), place.around[start:end], behind.rstrip())
