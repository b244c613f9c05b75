"""Names in notes, read and stored with the causal graph: in its transaction, under its lock."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from rag_core.graph.edges import read_edges
from rag_core.graph.mentions import read_mentions
from rag_core.graph.name_evidence import SURE_METHODS, WORD, folded
from rag_core.graph.resolution import Likeness, blocks, joined, linked_in_note, name_key
from rag_core.model.entity import NAMES_FINGERPRINT, EntityKind, NamedEdge, NamedMention
from rag_core.model.note import Span, TenantId
from rag_core.storage import entities as store
from rag_core.storage.database import Connection, Database
from rag_core.storage.graph import NoteToRead

MAX_NAMED_CHARACTERS = 200_000
"""Names are read in the beginning of a longer note."""
_Key = tuple[EntityKind, str]
_NAMESPACE = UUID("0c3f9c1e-41c1-5ad0-8d2c-7c1f9a3be6a4")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedNote:
    """A note, what it names, and the relations that it states between that."""

    note: NoteToRead
    mentions: Sequence[NamedMention]
    edges: Sequence[NamedEdge] = ()


def related(named: NamedNote, sentences: Sequence[Span]) -> NamedNote:
    """The note with the relations that its sentences state."""
    note = named.note
    return replace(named, edges=read_edges(note.content, note.language, sentences, named.mentions))


def read_names(database: Database, tenant: TenantId, notes: Sequence[NoteToRead]) -> list[NamedNote]:
    """Read what notes name, by what they and the names of the tenant's other notes tell; a transaction to look these up."""
    texts = [(note.content[:MAX_NAMED_CHARACTERS], note.language) for note in notes]
    words = {folded(match[0]) for text, _ in texts for match in WORD.finditer(text) if match[0] != match[0].lower()}
    with database.transaction(tenant) as connection:
        names = store.fetch_sure_names(connection, tenant, words)
    known = {folded(name): kind for name, kind in names.items()}
    read = read_mentions(texts, known=known)
    return [
        NamedNote(note=note, mentions=linked_in_note(found, note.language))
        for note, found in zip(notes, read, strict=True)
    ]


def store_names(connection: Connection, tenant: TenantId, named: Sequence[NamedNote]) -> None:
    """Store what notes name for what they named before; the notes and the graph are locked."""
    mentions = [
        store.KeyedMention(
            note_id=one.note.note_id, key=name_key(mention.kind, mention.name, one.note.language), mention=mention
        )
        for one in named
        for mention in one.mentions
    ]
    names = _longest_first(mentions)
    sure = {(one.mention.kind, one.key) for one in mentions if one.mention.method in SURE_METHODS}
    known = store.fetch_known_names(connection, tenant, list(names))
    new = {one: name for one, name in names.items() if one not in known}
    store.insert_names(connection, tenant, _new_names(connection, tenant, new, sure))
    notes = {one.note.note_id: one.note.content_hash for one in named}
    told = sorted(sure & known)
    edges = [(one.note.note_id, edge) for one in named for edge in one.edges]
    store.replace_mentions(connection, tenant, notes, mentions, edges, sure=told, fingerprint=NAMES_FINGERPRINT)


def _longest_first(mentions: Iterable[store.KeyedMention]) -> Mapping[tuple[EntityKind, str], str]:
    """The names by kind and key, whole ones before shorter ones, which may be one of them."""
    found: dict[tuple[EntityKind, str], str] = {}
    for one in mentions:
        found.setdefault((one.mention.kind, one.key), " ".join(one.mention.name.split()))
    return dict(sorted(found.items(), key=lambda item: (-len(item[0][1].split()), item[0])))


def _new_names(
    connection: Connection, tenant: TenantId, names: Mapping[_Key, str], sure: Collection[_Key]
) -> list[store.NewName]:
    """Each name as one of the only entity that it is the same as, of those stored and those before it, else of one of its own."""
    words = {(kind, key): blocks(kind, key) for kind, key in names}
    wanted = {(kind, word) for (kind, key), found in words.items() if kind not in _ALONE for word in found}
    near = store.fetch_near_names(connection, tenant, wanted)
    made: list[store.NewName] = []
    for (kind, key), name in names.items():
        own = uuid.uuid5(_NAMESPACE, f"{tenant}\n{kind}\n{key}")
        like = [one for word in words[kind, key] for one in near.get((kind, word), ())[: store.MAX_NEAR_NAMES]]
        entity, likeness = joined(kind, key, like) or (own, _OWN)
        for word in words[kind, key] if kind not in _ALONE else ():
            near.setdefault((kind, word), []).append((key, entity))
        made.append(
            store.NewName(
                kind=kind,
                key=key,
                name=name,
                entity_id=entity,
                method=likeness.by,
                score=likeness.score,
                blocks=words[kind, key],
                is_sure=(kind, key) in sure,
            )
        )
    return made


_OWN = Likeness(score=1.0, by="exact")
_ALONE = frozenset({"PROJECT", "PRODUCT"})
"""Kinds whose names are the same by their key alone; their words only find them."""
