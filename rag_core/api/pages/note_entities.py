"""Entities that a note names, as its page links to them."""

from dataclasses import dataclass

from rag_core.api.access import RequestContext
from rag_core.api.pages.texts import Texts
from rag_core.model.entity import EntityKind
from rag_core.model.note import NoteId
from rag_core.storage.entities import ListedEntity, fetch_entities_of_note

OF_NOTE = 40
KINDS: Texts[EntityKind] = Texts(
    {
        "PERSON": "persona",
        "ORG": "organización",
        "PROJECT": "proyecto",
        "PRODUCT": "producto",
        "REGULATION": "norma",
        "DATE": "fecha",
        "MONEY": "importe",
        "LOCATION": "lugar",
        "DOCUMENT": "documento",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityLink:
    """An entity as a page links to it."""

    name: str
    kind: str
    address: str


def entities_of_note(context: RequestContext, note: NoteId) -> list[EntityLink]:
    """The entities that a note names, without dates and amounts; [] for one that has not been read as it stands."""
    sees_all = context.database.departments is None
    with context.transaction() as connection:
        found = fetch_entities_of_note(connection, context.tenant, note, limit=OF_NOTE, sees_all=sees_all)
    return [entity_link(one) for one in found]


def entity_link(entity: ListedEntity) -> EntityLink:
    """Link to an entity's page."""
    return EntityLink(name=entity.name, kind=KINDS[entity.kind], address=f"/entidad/{entity.id}")
