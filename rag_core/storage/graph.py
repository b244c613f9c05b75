"""The graph of entities and relations: which notes are to be read, what was read in them, and walks along relations."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from psycopg import sql

from rag_core.errors import IndexingError
from rag_core.model.entity import NAMES_FINGERPRINT
from rag_core.model.graph import CausalDirection, Relation
from rag_core.model.note import ChunkId, Language, NoteId, Span, TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_column, fetch_one
from rag_core.storage.search import filter_conditions, filter_parameters
from rag_core.storage.seen import counted
from rag_core.storage.staging import lock_notes

_ASKED_ALIASES = 100
MAX_EVIDENCE_CHARACTERS = 500
"""Characters of the text behind a relation that are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteToRead:
    """A note that the extractor has not read as it stands."""

    note_id: NoteId
    content: str
    language: Language
    content_hash: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAlias:
    """A phrase by its stems, as it stood in a note."""

    key: str
    language: Language
    name: str
    stems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMention:
    """Mention of an entity in a note."""

    note_id: NoteId
    span: Span
    alias_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRelation:
    """A relation between what two phrases mean, with the stretch of its note that says so."""

    relation_id: UUID
    note_id: NoteId
    source_key: str
    target_key: str
    kind: str
    evidence: Span
    confidence: float
    extractor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteReading:
    """Record that a note with this text was read, and by what."""

    note_id: NoteId
    content_hash: bytes
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCounts:
    """Notes that have been read, the entities they mention and their relations."""

    notes: int
    entities: int
    relations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAlias:
    """A phrase that shares words with a question, and the entity it means."""

    entity_id: UUID
    stems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkedChunk:
    """A chunk that is evidence of a relation: how many relations it is away, and the entities and relations on the way to it."""

    chunk_id: ChunkId
    depth: int
    path_ids: tuple[UUID, ...]
    path_names: tuple[str, ...]
    relations: tuple[Relation, ...]


def list_graph_stale_batches(database: Database, tenant: TenantId, *, fingerprint: str) -> list[str]:
    """Batches with a note that this extractor has not read as it stands, newest first; one query, nothing written."""
    parameters = {"tenant": tenant, "fingerprint": fingerprint, "names": NAMES_FINGERPRINT}
    with database.transaction(tenant) as connection:
        return fetch_column(connection, "list_graph_stale_batches", parameters)


def fetch_notes_to_read(
    database: Database, tenant: TenantId, batches: Sequence[str], fingerprint: str, *, after: UUID, limit: int
) -> list[NoteToRead]:
    """The next page of notes that this extractor has not read as they stand."""
    parameters = {
        "tenant": tenant,
        "batches": list(batches),
        "fingerprint": fingerprint,
        "names": NAMES_FINGERPRINT,
        "after": after,
        "limit": limit,
    }
    with database.transaction(tenant) as connection:
        return fetch_all(connection, NoteToRead, "fetch_notes_to_read", parameters)


def lock_unread_notes(
    connection: Connection, tenant: TenantId, notes: Mapping[NoteId, bytes], *, fingerprint: str | None
) -> set[NoteId]:
    """Lock the notes, then the tenant's graph, until the transaction ends; the notes whose reading is still wanted.

    These have the text of this hash and were not read so by the extractor with this fingerprint; without one, by any.
    Nothing of the graph may be written without this lock, and no other lock be waited for after it.
    """
    lock_notes(connection, tenant, list(notes))
    connection.execute(query("lock_graph"), {"tenant": tenant})
    connection.execute(query("forget_at_once"))
    parameters = {
        "tenant": tenant,
        "notes": list(notes),
        "hashes": list(notes.values()),
        "fingerprint": fingerprint,
        "names": NAMES_FINGERPRINT,
    }
    return set(fetch_column(connection, "fetch_unread_notes", parameters))


def clear_graph(connection: Connection, tenant: TenantId, notes: Sequence[NoteId]) -> None:
    """Forget what the notes said."""
    for name in ("delete_relations", "delete_mentions", "forget_read_notes"):
        connection.execute(query(name), {"tenant": tenant, "notes": list(notes)})


def fetch_aliases(connection: Connection, tenant: TenantId, keys: Sequence[str]) -> dict[str, str]:
    """The keys of the entities that these phrases mean, by phrase; phrases never seen are absent."""
    rows = connection.execute(query("fetch_aliases"), {"tenant": tenant, "keys": list(keys)}).fetchall()
    return dict(rows)


def fetch_similar_entities(
    connection: Connection, tenant: TenantId, language: Language, phrases: Mapping[str, Sequence[str]]
) -> list[tuple[str, ...]]:
    """The stems of entities that contain one of the phrases or are contained in one, with two stems or more in common.

    ``phrases`` holds stems by key.
    """
    pairs = [(key, stem) for key, stems in phrases.items() for stem in stems]
    parameters = {
        "tenant": tenant,
        "language": language,
        "keys": [key for key, _ in pairs],
        "stems": [stem for _, stem in pairs],
    }
    return [tuple(row[0]) for row in connection.execute(query("fetch_similar_entities"), parameters).fetchall()]


def fetch_stem_weights(
    connection: Connection, tenant: TenantId, language: Language, stems: Sequence[str], *, sees_all: bool = True
) -> dict[str, float]:
    """The inverse document frequency of each stem in the tenant's notes of that language; one in no note is absent.

    Where the connection sees a part of the notes (not ``sees_all``), the others count for nothing.
    """
    parameters = {"tenant": tenant, "language": language, "stems": list(stems)}
    statement = counted("fetch_stem_weights", "terms_of_stems", sees_all=sees_all)
    return dict(connection.execute(statement, parameters).fetchall())


def name_entities(
    connection: Connection,
    tenant: TenantId,
    aliases: Sequence[NewAlias],
    *,
    entity_of: Mapping[str, str],
    ids: Mapping[str, UUID],
) -> None:
    """See that every phrase means an entity; the graph is locked.

    ``entity_of`` gives the key of each phrase's entity, ``ids`` the id of an entity that is made.

    Raises:
        IndexingError: a phrase was given an entity that is not there and is not to be made.
    """
    _insert_names(connection, tenant, aliases, entity_of, ids)
    keys = [alias.key for alias in aliases]
    row = connection.execute(query("count_aliases"), {"tenant": tenant, "keys": keys}).fetchone()
    if row != (len(keys),):
        raise IndexingError(
            f"{len(keys)} phrases were to mean an entity and {row and row[0]} do; their notes are read again by the next run"
        )


def _insert_names(
    connection: Connection,
    tenant: TenantId,
    aliases: Sequence[NewAlias],
    entity_of: Mapping[str, str],
    ids: Mapping[str, UUID],
) -> None:
    names = {alias.key: alias.name for alias in aliases}
    new = [key for key in ids if key in names]
    entities = {"ids": [ids[key] for key in new], "keys": new, "names": [names[key] for key in new]}
    connection.execute(query("insert_entities"), {"tenant": tenant, **entities})
    columns = {
        "keys": [alias.key for alias in aliases],
        "entity_keys": [entity_of[alias.key] for alias in aliases],
        "languages": [alias.language for alias in aliases],
        "names": [alias.name for alias in aliases],
        "stems": [" ".join(alias.stems) for alias in aliases],
    }
    connection.execute(query("insert_aliases"), {"tenant": tenant, **columns})


def write_graph(
    connection: Connection,
    tenant: TenantId,
    *,
    mentions: Sequence[NewMention],
    relations: Sequence[NewRelation],
    read: Sequence[NoteReading],
) -> None:
    """Store what notes say; their phrases have been named. A relation from an entity to itself is left out."""
    connection.execute(query("insert_mentions"), {"tenant": tenant, **_mention_columns(mentions)})
    connection.execute(query("insert_relations"), {"tenant": tenant, **_relation_columns(relations)})
    connection.execute(
        query("insert_read_notes"),
        {
            "tenant": tenant,
            "notes": [note.note_id for note in read],
            "hashes": [note.content_hash for note in read],
            "fingerprints": [note.fingerprint for note in read],
        },
    )


def _mention_columns(mentions: Sequence[NewMention]) -> dict[str, list[Any]]:
    return {
        "notes": [mention.note_id for mention in mentions],
        "starts": [mention.span[0] for mention in mentions],
        "ends": [mention.span[1] for mention in mentions],
        "keys": [mention.alias_key for mention in mentions],
    }


def _relation_columns(relations: Sequence[NewRelation]) -> dict[str, list[Any]]:
    return {
        "ids": [relation.relation_id for relation in relations],
        "sources": [relation.source_key for relation in relations],
        "targets": [relation.target_key for relation in relations],
        "kinds": [relation.kind for relation in relations],
        "notes": [relation.note_id for relation in relations],
        "starts": [relation.evidence[0] for relation in relations],
        "ends": [relation.evidence[1] for relation in relations],
        "confidences": [relation.confidence for relation in relations],
        "extractors": [relation.extractor for relation in relations],
    }


def count_graph(database: Database, tenant: TenantId, batches: Sequence[str]) -> GraphCounts:
    """Count the graph's rows of the batches' notes."""
    with database.transaction(tenant) as connection:
        counts = fetch_one(connection, GraphCounts, "count_graph", {"tenant": tenant, "batches": list(batches)})
    assert counts is not None  # it counts
    return counts


def fetch_asked_aliases(
    connection: Connection, tenant: TenantId, language: Language, stems: Sequence[str]
) -> list[AskedAlias]:
    """Phrases that share stems with a question, at most 100, those that share most first."""
    parameters = {"tenant": tenant, "language": language, "stems": list(stems), "limit": _ASKED_ALIASES}
    rows = connection.execute(query("fetch_asked_aliases"), parameters).fetchall()
    return [AskedAlias(entity_id=entity_id, stems=tuple(stems)) for entity_id, stems in rows]


def walk_relations(
    connection: Connection,
    tenant: TenantId,
    starts: Sequence[UUID],
    *,
    direction: CausalDirection,
    max_depth: int,
    limit: int,
    filters: Filters = NO_FILTERS,
    sees_all: bool = True,
) -> list[WalkedChunk]:
    """Chunks that are evidence of causal relations on shortest ways from the starts, nearest first, one each.

    A path begins with a start and ends with the entity that the chunk leads to. Ties go by confidence, then id. Who does not
    see all notes is told the entities as the notes that may be seen write them.
    """
    parameters = {
        "tenant": tenant,
        "starts": list(starts),
        "backwards": direction == "causes",
        "max_depth": max_depth,
        "limit": limit,
        **filter_parameters(filters),
    }
    rows = connection.execute(_walk(filters, sees_all=sees_all), parameters).fetchall()
    relations = _fetch_relations(connection, tenant, {one for *_, followed in rows for one in followed})
    return [
        WalkedChunk(
            chunk_id=chunk,
            depth=depth,
            path_ids=tuple(ids),
            path_names=tuple(names),
            relations=tuple(relations[one] for one in followed if one in relations),
        )
        for chunk, depth, ids, names, followed in rows
    ]


def _fetch_relations(connection: Connection, tenant: TenantId, ids: Collection[UUID]) -> dict[UUID, Relation]:
    if not ids:
        return {}
    parameters = {"tenant": tenant, "relations": list(ids), "characters": MAX_EVIDENCE_CHARACTERS}
    rows = connection.execute(query("fetch_relations"), parameters).fetchall()
    return {
        relation_id: Relation(
            id=relation_id,
            source_id=str(source_id),
            target_id=str(target_id),
            kind=kind,
            confidence=confidence,
            note_id=note_id,
            language=language,
            evidence=evidence,
        )
        for relation_id, source_id, target_id, kind, confidence, note_id, language, evidence in rows
    }


def _walk(filters: Filters, *, sees_all: bool) -> sql.Composed:
    passing = sql.SQL("true") if filters.is_empty else _passing(filters)
    name = sql.SQL(query("name_of_entity" if sees_all else "name_seen"))
    return sql.SQL(query("walk_causes_or_effects")).format(passing=passing, name=name)


def _passing(filters: Filters) -> sql.Composed:
    return sql.SQL(query("passing_evidence")).format(filters=filter_conditions(replace(filters, tables_only=False)))
