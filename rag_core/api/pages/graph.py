"""``/grafo``: the neighbourhood of an entity or a note, drawn and as a table; without one the entities that most notes name.

The drawing is made here, so that the page works without JavaScript; a neighbourhood is bounded, and shows more when asked to.
"""

from collections.abc import Sequence
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Response

from rag_core.api.access import Context, RequestContext
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.pages.graph_drawing import GraphNode, drawn
from rag_core.api.pages.note_entities import KINDS, entity_link
from rag_core.api.pages.search import as_uuid, read_shelf
from rag_core.api.pages.texts import counted, day_of, tr
from rag_core.api.pages.web import render
from rag_core.errors import NotFoundError
from rag_core.model.note import NoteId
from rag_core.storage.entities import fetch_entity, list_entities
from rag_core.storage.neighbours import EntityOfNotes, NoteOfEntities, fetch_entities_named, fetch_notes_naming
from rag_core.storage.notes import fetch_note

router = APIRouter(include_in_schema=False)

FEW, MOST = 16, 256
"""Nodes of a column at first, and after asking for more."""
LISTED = 60
_Found = EntityOfNotes | NoteOfEntities


@router.get("/grafo")
def show_graph(context: Context, *, entidad: str = "", nota: str = "", nodos: str = "") -> Response:
    """The neighbourhood of the entity or the note; ``nodos`` is how many a column may have."""
    if not entidad and not nota:
        return _overview(context)
    limit = min(max(int(nodos) if nodos.isdecimal() and len(nodos) < 5 else FEW, FEW), MOST)
    columns, has_more = _around_note(context, nota, limit) if nota else _around_entity(context, entidad, limit)
    center = columns[0][0]
    names = {node.key: node.name for column in columns for node in column}
    drawing = drawn(columns)
    return render(
        "graph.html",
        shelf=read_shelf(context),
        center=center,
        drawing=drawing,
        rows=[(one.node, [names[key] for key in one.node.linked]) for column in drawing.columns[1:] for one in column],
        more=f"{center.graph}&nodos={2 * limit}" if has_more and limit < MOST else None,
    )


def _overview(context: RequestContext) -> Response:
    with context.transaction() as connection:
        found = list_entities(connection, context.tenant, limit=LISTED, sees_all=_sees_all(context))
    entities = [
        (entity_link(one), _address("entidad", one.id), counted("{count} nota", "{count} notas", one.notes))
        for one in found
        if one.kind not in ("DATE", "MONEY")
    ]
    return render("graph.html", shelf=read_shelf(context), center=None, entities=entities)


def _around_entity(context: RequestContext, text: str, limit: int) -> tuple[list[list[GraphNode]], bool]:
    """Columns of the entity, the notes that name it, and what else these name; whether there is more."""
    wanted, no_such = as_uuid(text), tr("Ninguna nota nombra esa entidad")
    if wanted is None:
        raise ExplainedError(no_such, kind=NotFoundError)
    sees_all = _sees_all(context)
    with explained(NotFoundError, no_such), context.transaction() as connection:
        entity = fetch_entity(connection, context.tenant, wanted, sees_all=sees_all)
        notes = fetch_notes_naming(connection, context.tenant, [wanted], limit=limit + 1)
        ids = [one.id for one in notes[:limit]]
        others = fetch_entities_named(
            connection, context.tenant, ids, besides=[wanted], limit=limit + 1, sees_all=sees_all
        )
    center = EntityOfNotes(id=entity.id, kind=entity.kind, name=entity.name, notes=[])
    columns: list[Sequence[_Found]] = [[center], notes[:limit], others[:limit]]
    return _nodes(columns, context.zone), max(len(notes), len(others)) > limit


def _around_note(context: RequestContext, text: str, limit: int) -> tuple[list[list[GraphNode]], bool]:
    """Columns of the note, the entities that it names, and other notes that name these; whether there is more."""
    wanted, no_such = as_uuid(text), tr("No existe ninguna nota con ese identificador")
    if wanted is None:
        raise ExplainedError(no_such, kind=NotFoundError)
    with explained(NotFoundError, no_such), context.transaction() as connection:
        note = fetch_note(connection, context.tenant, NoteId(wanted))
        named = fetch_entities_named(connection, context.tenant, [wanted], limit=limit + 1, sees_all=_sees_all(context))
        ids = [one.id for one in named[:limit]]
        notes = fetch_notes_naming(connection, context.tenant, ids, besides=[wanted], limit=limit + 1)
    center = NoteOfEntities(id=wanted, title=note.title, created_at=note.created_at, entities=[])
    columns: list[Sequence[_Found]] = [[center], named[:limit], notes[:limit]]
    return _nodes(columns, context.zone), max(len(named), len(notes)) > limit


def _sees_all(context: RequestContext) -> bool:
    return context.database.departments is None


def _nodes(columns: Sequence[Sequence[_Found]], zone: ZoneInfo) -> list[list[GraphNode]]:
    return [[_node(one, zone) for one in column] for column in columns]


def _node(found: _Found, zone: ZoneInfo) -> GraphNode:
    """Node of an entity or a note; a note without title is told by its day."""
    if isinstance(found, EntityOfNotes):
        return GraphNode(
            key=str(found.id),
            name=found.name,
            kind=KINDS[found.kind],
            is_note=False,
            page=f"/entidad/{found.id}",
            graph=_address("entidad", found.id),
            linked=[str(note) for note in found.notes],
        )
    return GraphNode(
        key=str(found.id),
        name=found.title or day_of(found.created_at, zone),
        kind=tr("nota"),
        is_note=True,
        page=f"/notas/{found.id}",
        graph=_address("nota", found.id),
        linked=[str(entity) for entity in found.entities],
    )


def _address(kind: str, key: UUID) -> str:
    return f"/grafo?{kind}={key}"
