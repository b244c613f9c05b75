"""Names and mentions as they are read in notes, and entities as people see them and decide on them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID, uuid4

from psycopg import sql
from psycopg.rows import class_row

from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.model.entity import EdgeKind, EntityKind, NamedEdge, NamedMention, NamingMethod
from rag_core.model.note import Language, NoteId, TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_column

MAX_KNOWN_NAMES = 2_000
MAX_NEAR_NAMES = 60
AROUND = 160
"""Characters that are read before and behind a mention."""
_Key = tuple[EntityKind, str]
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedMention:
    """A mention in a note, with the key of its name."""

    note_id: NoteId
    key: str
    mention: NamedMention


@dataclass(frozen=True, slots=True, kw_only=True)
class NewName:
    """A name that is new: its entity, the rule that joined them, and the words it is found by."""

    kind: EntityKind
    key: str
    name: str
    entity_id: UUID
    method: str
    score: float
    blocks: Sequence[str]
    is_sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntity:
    """An entity, and how many notes name it how often."""

    id: UUID
    kind: EntityKind
    name: str
    notes: int
    mentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityName:
    """A name of an entity, why it is one, and who decided so: the rules, or somebody."""

    key: str
    name: str
    mentions: int
    method: str
    score: float
    decided_by: str
    decided_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPlace:
    """A mention of an entity with the note and the words around it, in which it stands at ``offset``."""

    note_id: NoteId
    title: str | None
    created_at: datetime
    language: Language
    start: int
    end: int
    confidence: float
    method: NamingMethod
    around: str
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRelation:
    """A relation of an entity, its source or its target, to another one, with the stretch of a note that states it."""

    kind: EdgeKind
    is_source: bool
    id: UUID
    entity_kind: EntityKind
    name: str
    note_id: NoteId
    title: str | None
    language: Language
    start: int
    end: int
    confidence: float
    method: str
    evidence: str


def fetch_sure_names(connection: Connection, tenant: TenantId, words: Collection[str]) -> dict[str, EntityKind]:
    """Kinds of the names that share a word with a text, by name as it is written, of names that are sure to be of that kind."""
    parameters = {"tenant": tenant, "words": sorted(words), "limit": MAX_KNOWN_NAMES}
    return dict(connection.execute(query("fetch_sure_names"), parameters).fetchall())


def fetch_known_names(connection: Connection, tenant: TenantId, keys: Sequence[_Key]) -> set[_Key]:
    """Those of the keys that are names already."""
    parameters = {"tenant": tenant, "kinds": [kind for kind, _ in keys], "keys": [key for _, key in keys]}
    return set(connection.execute(query("fetch_known_names"), parameters).fetchall())


def fetch_near_names(
    connection: Connection, tenant: TenantId, wanted: Collection[_Key]
) -> dict[_Key, list[tuple[str, UUID]]]:
    """Names of a kind in a block, with their entities, by kind and block."""
    parameters = {
        "tenant": tenant,
        "kinds": [kind for kind, _ in wanted],
        "blocks": [block for _, block in wanted],
        "limit": MAX_NEAR_NAMES,
    }
    found: dict[_Key, list[tuple[str, UUID]]] = {}
    for kind, block, key, entity in connection.execute(query("fetch_near_names"), parameters).fetchall():
        found.setdefault((kind, block), []).append((key, entity))
    return found


def insert_names(connection: Connection, tenant: TenantId, names: Sequence[NewName]) -> None:
    """Store names, and the entities that are new, in their order; the graph is locked."""
    if not names:
        return
    rows = [
        {
            "tenant": tenant,
            "entity": new.entity_id,
            "kind": new.kind,
            "name": new.name,
            "key": new.key,
            "method": new.method,
            "score": new.score,
            "is_sure": new.is_sure,
            "blocks": list(new.blocks),
        }
        for new in names
    ]
    with connection.cursor() as cursor:
        cursor.executemany(query("insert_named_entity"), rows)
        cursor.executemany(query("insert_entity_name"), rows)


def replace_mentions(
    connection: Connection,
    tenant: TenantId,
    notes: Mapping[NoteId, bytes],
    mentions: Sequence[KeyedMention],
    edges: Sequence[tuple[NoteId, NamedEdge]],
    *,
    sure: Sequence[_Key],
    fingerprint: str,
) -> None:
    """Store what the notes name and state of it, for what they did before; all names are stored."""
    connection.execute(query("delete_named_mentions"), {"tenant": tenant, "notes": list(notes)})
    columns: dict[str, Any] = {
        "notes": [one.note_id for one in mentions],
        "starts": [one.mention.span[0] for one in mentions],
        "ends": [one.mention.span[1] for one in mentions],
        "kinds": [one.mention.kind for one in mentions],
        "keys": [one.key for one in mentions],
        "confidences": [one.mention.confidence for one in mentions],
        "methods": [one.mention.method for one in mentions],
    }
    connection.execute(query("insert_named_mentions"), {"tenant": tenant, **columns})
    joined: dict[str, Any] = {
        "notes": [note for note, _ in edges],
        "sources": [edge.source.span[0] for _, edge in edges],
        "targets": [edge.target.span[0] for _, edge in edges],
        "kinds": [edge.kind for _, edge in edges],
        "starts": [edge.evidence[0] for _, edge in edges],
        "ends": [edge.evidence[1] for _, edge in edges],
        "confidences": [edge.confidence for _, edge in edges],
    }
    connection.execute(query("insert_named_relations"), {"tenant": tenant, **joined})
    told = {"tenant": tenant, "kinds": [kind for kind, _ in sure], "keys": [key for _, key in sure]}
    connection.execute(query("mark_sure_names"), told)
    read = {"tenant": tenant, "notes": list(notes), "hashes": list(notes.values()), "fingerprint": fingerprint}
    connection.execute(query("insert_named_notes"), read)


def list_entities(
    connection: Connection,
    tenant: TenantId,
    *,
    kind: EntityKind | None = None,
    search: str | None = None,
    entity: UUID | None = None,
    limit: int = 100,
    sees_all: bool = True,
) -> list[ListedEntity]:
    """Entities that notes name as they stand, those of most notes first; ``search`` is part of a name."""
    escaped = None if search is None else search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    parameters = {
        "tenant": tenant,
        "kind": kind,
        "entity": entity,
        "pattern": None if escaped is None else f"%{escaped}%",
        "limit": limit,
    }
    return _listed(connection, "list_named_entities", parameters, sees_all=sees_all)


def fetch_entity(connection: Connection, tenant: TenantId, entity: UUID, *, sees_all: bool = True) -> ListedEntity:
    """One entity.

    Raises:
        NotFoundError: no note that may be seen names it.
    """
    found = list_entities(connection, tenant, entity=entity, limit=1, sees_all=sees_all)
    if not found:
        raise NotFoundError(f"no note names the entity {entity}; `brain entity list` has those there are")
    return found[0]


def fetch_entity_names(connection: Connection, tenant: TenantId, entity: UUID) -> list[EntityName]:
    """The names of an entity, the most frequent first."""
    return fetch_all(connection, EntityName, "fetch_entity_names", {"tenant": tenant, "entity": entity})


def fetch_entity_places(connection: Connection, tenant: TenantId, entity: UUID, *, limit: int) -> list[EntityPlace]:
    """Mentions of an entity, of the newest notes first."""
    parameters = {"tenant": tenant, "entity": entity, "limit": limit, "around": AROUND}
    return fetch_all(connection, EntityPlace, "fetch_entity_places", parameters)


def fetch_entities_beside(
    connection: Connection, tenant: TenantId, entity: UUID, *, limit: int, sees_all: bool = True
) -> list[ListedEntity]:
    """Entities that stand in the notes of one, with how many of these they stand in."""
    parameters = {"tenant": tenant, "entity": entity, "limit": limit}
    return _listed(connection, "fetch_entities_beside", parameters, sees_all=sees_all)


def fetch_entity_relations(
    connection: Connection, tenant: TenantId, entity: UUID, *, limit: int, sees_all: bool = True
) -> list[EntityRelation]:
    """Relations of an entity to others, by their kind, each once: where it is stated most surely, and last."""
    parameters = {"tenant": tenant, "entity": entity, "limit": limit}
    return _rows(connection, EntityRelation, "fetch_entity_relations", parameters, sees_all=sees_all)


def fetch_entities_of_note(
    connection: Connection, tenant: TenantId, note: NoteId, *, limit: int, sees_all: bool = True
) -> list[ListedEntity]:
    """The entities that a note names, without dates and amounts."""
    parameters = {"tenant": tenant, "note": note, "limit": limit}
    return _listed(connection, "fetch_entities_of_note", parameters, sees_all=sees_all)


def merge_entities(connection: Connection, tenant: TenantId, entity: UUID, into: UUID, *, actor: str) -> None:
    """Make the names of one entity names of another of its kind; recorded with each name, and reversed by a split.

    Raises:
        NotFoundError: there is no such entity.
        InvalidInputError: they are one already, or of two kinds.
    """
    connection.execute(query("lock_graph"), {"tenant": tenant})
    one, target = fetch_entity(connection, tenant, entity), fetch_entity(connection, tenant, into)
    name, other = one.name, target.name
    if one.id == target.id:
        raise InvalidInputError(f"{name} is that entity already")
    if one.kind != target.kind:
        raise InvalidInputError(f"{name} and {other} are of two kinds, but only entities of one kind are merged")
    parameters = {"tenant": tenant, "entity": entity, "into": into, "actor": actor}
    connection.execute(query("merge_entity_names"), parameters)


def split_entity(connection: Connection, tenant: TenantId, entity: UUID, names: Sequence[str], *, actor: str) -> UUID:
    """Make names of an entity one of their own, the one they were merged from where there was one; its id.

    Raises:
        NotFoundError: there is no such entity, or a name is none of its names.
        InvalidInputError: no name would be left.
    """
    connection.execute(query("lock_graph"), {"tenant": tenant})
    found = fetch_entity(connection, tenant, entity)
    known = fetch_entity_names(connection, tenant, entity)
    name = found.name
    chosen = [one for one in known if one.name in names or one.key in names]
    missing = sorted(set(names) - {one.name for one in chosen} - {one.key for one in chosen})
    if missing:
        raise NotFoundError(f"{name} has no name {missing[0]!r}; `brain entity show` has its names")
    if len(chosen) == len(known):
        raise InvalidInputError(f"{name} has no other name; a split leaves it one")
    keys = [one.key for one in chosen]
    origins = fetch_column(connection, "fetch_split_origins", {"tenant": tenant, "entity": entity, "keys": keys})
    own = origins[0] if len(origins) == 1 and origins[0] else uuid4()
    longest = max((one.name for one in chosen), key=len)
    made = {"tenant": tenant, "entity": own, "kind": found.kind, "name": longest}
    connection.execute(query("insert_named_entity"), made)
    parameters = {"tenant": tenant, "entity": entity, "into": own, "keys": keys, "actor": actor}
    connection.execute(query("split_entity_names"), parameters)
    return own


def rename_entity(connection: Connection, tenant: TenantId, entity: UUID, name: str, *, actor: str) -> None:
    """Give an entity another name to be shown by; its names in the notes stay.

    Raises:
        NotFoundError: there is no such entity.
        InvalidInputError: the name is empty.
    """
    connection.execute(query("lock_graph"), {"tenant": tenant})
    fetch_entity(connection, tenant, entity)
    if not name.strip():
        raise InvalidInputError("the name is empty; expected what the entity is to be called")
    parameters = {"tenant": tenant, "entity": entity, "name": " ".join(name.split()), "actor": actor}
    connection.execute(query("rename_entity"), parameters)


def _listed(connection: Connection, name: str, parameters: Mapping[str, Any], *, sees_all: bool) -> list[ListedEntity]:
    return _rows(connection, ListedEntity, name, parameters, sees_all=sees_all)


def _rows(
    connection: Connection, row: type[Row], name: str, parameters: Mapping[str, Any], *, sees_all: bool
) -> list[Row]:
    statement = sql.SQL(query(name)).format(name=shown_name(sees_all=sees_all))
    return connection.cursor(row_factory=class_row(row)).execute(statement, parameters).fetchall()


def shown_name(*, sees_all: bool) -> sql.SQL:
    """Column of the name of an entity ``e``: who sees a part of the notes is told one that stands in these."""
    return sql.SQL(query("entity_name_stored" if sees_all else "entity_name_seen"))
