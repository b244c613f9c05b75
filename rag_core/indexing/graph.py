"""The graph kept up to date: notes that are new to the extractor are read, and what they say replaces what they said."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from rag_core.chunking import sentence_spans
from rag_core.errors import IndexingError, QueryFailedError, RagError
from rag_core.graph.entities import Phrase, link, phrase
from rag_core.graph.rules import RuleExtractor
from rag_core.graph.statements import CausalExtractor, CausalStatement, Extraction
from rag_core.indexing.named import NamedNote, read_names, related, store_names
from rag_core.model.note import Language, NoteId, Span, TenantId
from rag_core.storage import graph as store
from rag_core.storage.batches import stale_batches
from rag_core.storage.database import Connection, Database
from rag_core.telemetry.logs import log_degraded

READ_NOTES = 100
MAX_CHARACTERS_AT_ONCE = 20_000
"""A longer note is not read before the answer to whoever writes it, but by the next run."""
_FIRST = UUID(int=0)
_ENTITY_NAMESPACE = UUID("4e8f9c0e-5a5b-5d0c-9b64-0f7d3f6f2a11")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphReport:
    """Notes read in this run, and those that could not be stored; entities and relations of the batches there are now."""

    notes: int
    failed: int
    entities: int
    relations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A note and what was read in it, with a phrase for every side of a statement."""

    note: store.NoteToRead
    extraction: Extraction
    phrases: Mapping[Span, Phrase]
    named: NamedNote


def stale_batches_with_graph(
    database: Database, tenant: TenantId, *, fingerprint: str, extractor: CausalExtractor
) -> list[str]:
    """Batches with a note whose chunks are not this pipeline's, then those of which only the graph is to be read."""
    stale = stale_batches(database, tenant, fingerprint=fingerprint)
    unread = store.list_graph_stale_batches(database, tenant, fingerprint=extractor.fingerprint)
    return list(dict.fromkeys([*stale, *unread]))


def update_graph(
    database: Database, tenant: TenantId, batches: Sequence[str], *, extractor: CausalExtractor
) -> GraphReport:
    """Read the batches' notes that the extractor has not read as they stand, a page a transaction.

    A note whose text changes while it is read keeps its old relations and is read again by the next run; so is one that
    cannot be stored, which is logged and keeps no other from being read. A second run in a row reads nothing.

    Raises:
        DatabaseUnavailableError: PostgreSQL does not answer.
    """
    read = failed = 0
    after = _FIRST
    while page := store.fetch_notes_to_read(
        database, tenant, batches, extractor.fingerprint, after=after, limit=READ_NOTES
    ):
        readings = [_read(named, extractor) for named in read_names(database, tenant, page)]
        page_read, page_failed = _store_page(database, tenant, readings, fingerprint=extractor.fingerprint)
        read, failed = read + page_read, failed + page_failed
        after = page[-1].note_id
    counts = store.count_graph(database, tenant, batches)
    return GraphReport(notes=read, failed=failed, entities=counts.entities, relations=counts.relations)


def relate_note(
    database: Database, tenant: TenantId, note_id: NoteId, *, content: str, language: Language, content_hash: bytes
) -> None:
    """Read one note, stored with its chunks, by the rules, unless it has been read as it stands, by whatever.

    What goes wrong is logged, and the note left to the next run, as is one of more than ``MAX_CHARACTERS_AT_ONCE``.
    """
    if len(content) > MAX_CHARACTERS_AT_ONCE:
        return
    note = store.NoteToRead(note_id=note_id, content=content, language=language, content_hash=content_hash)
    try:
        [named] = read_names(database, tenant, [note])
        _store(database, tenant, [_read(named, RuleExtractor())], fingerprint=None)
    except RagError as error:
        log_degraded("causal graph", error, tenant=tenant)


def _read(named: NamedNote, extractor: CausalExtractor) -> _Reading:
    note = named.note
    sentences = sentence_spans(note.content, note.language)
    extraction = extractor.extract(note.content, language=note.language, sentences=sentences)
    spans = {span for statement in extraction.statements for span in (statement.cause, statement.effect)}
    phrases = {span: phrase(note.content[slice(*span)], note.language) for span in sorted(spans)}
    return _Reading(
        note=note,
        extraction=extraction,
        phrases={span: one for span, one in phrases.items() if one.stems},
        named=related(named, sentences),
    )


def _store_page(
    database: Database, tenant: TenantId, readings: Sequence[_Reading], *, fingerprint: str
) -> tuple[int, int]:
    """Store a page's readings, note by note where they cannot be stored together; how many were, and how many failed."""
    try:
        return _store(database, tenant, readings, fingerprint=fingerprint), 0
    except (QueryFailedError, IndexingError):
        stored = [_store_alone(database, tenant, reading, fingerprint=fingerprint) for reading in readings]
    return sum(filter(None, stored)), stored.count(None)


def _store_alone(database: Database, tenant: TenantId, reading: _Reading, *, fingerprint: str) -> int | None:
    """Store a reading like ``_store``; None where it fails, which leaves the note to the next run."""
    try:
        return _store(database, tenant, [reading], fingerprint=fingerprint)
    except (QueryFailedError, IndexingError) as error:
        log_degraded("causal graph", error, tenant=tenant)
        return None


def _store(database: Database, tenant: TenantId, readings: Sequence[_Reading], *, fingerprint: str | None) -> int:
    """Replace what the notes said, in one transaction; how many of them were still to be read."""
    hashes = {reading.note.note_id: reading.note.content_hash for reading in readings}
    with database.transaction(tenant) as connection:
        unread = store.lock_unread_notes(connection, tenant, hashes, fingerprint=fingerprint)
        current = [reading for reading in readings if reading.note.note_id in unread]
        if current:
            _replace(connection, tenant, current)
    return len(current)


def _replace(connection: Connection, tenant: TenantId, readings: Sequence[_Reading]) -> None:
    store.clear_graph(connection, tenant, [reading.note.note_id for reading in readings])
    aliases = _aliases(readings)
    if aliases:
        entity_of = _linked(connection, tenant, readings)
        ids = {key: uuid.uuid5(_ENTITY_NAMESPACE, f"{tenant}\n{key}") for key in entity_of.values()}
        store.name_entities(connection, tenant, aliases, entity_of=entity_of, ids=ids)
    store.write_graph(
        connection,
        tenant,
        mentions=[mention for reading in readings for mention in _mentions(reading)],
        relations=[relation for reading in readings for relation in _relations(reading)],
        read=[_read_note(reading) for reading in readings],
    )
    store_names(connection, tenant, [reading.named for reading in readings])


def _aliases(readings: Sequence[_Reading]) -> list[store.NewAlias]:
    """Every phrase once, named as it first stood."""
    found: dict[str, store.NewAlias] = {}
    for reading in readings:
        for span, one in reading.phrases.items():
            name = " ".join(reading.note.content[slice(*span)].split())
            found.setdefault(one.key, store.NewAlias(key=one.key, language=one.language, name=name, stems=one.stems))
    return list(found.values())


def _linked(connection: Connection, tenant: TenantId, readings: Sequence[_Reading]) -> dict[str, str]:
    """The key of each phrase's entity: as named before, else by the rule of ``graph.entities``."""
    phrases = {one.key: one for reading in readings for one in reading.phrases.values()}
    entity_of = store.fetch_aliases(connection, tenant, list(phrases))
    unseen = [one for key, one in phrases.items() if key not in entity_of]
    for language in sorted({one.language for one in unseen}):
        new = [one for one in unseen if one.language == language]
        similar = store.fetch_similar_entities(connection, tenant, language, {one.key: one.stems for one in new})
        known = [Phrase(language=language, stems=stems) for stems in similar]
        stems = sorted({stem for one in (*new, *known) for stem in one.stems})
        weights = store.fetch_stem_weights(connection, tenant, language, stems)
        entity_of |= link(new, known, weights)
    return entity_of


def _mentions(reading: _Reading) -> list[store.NewMention]:
    return [
        store.NewMention(note_id=reading.note.note_id, span=span, alias_key=one.key)
        for span, one in reading.phrases.items()
    ]


def _relations(reading: _Reading) -> list[store.NewRelation]:
    known = reading.phrases
    return [
        _relation(reading, statement)
        for statement in reading.extraction.statements
        if statement.cause in known and statement.effect in known
    ]


def _relation(reading: _Reading, statement: CausalStatement) -> store.NewRelation:
    note_id: NoteId = reading.note.note_id
    told = f"{statement.kind} {statement.cause} {statement.effect} {statement.evidence}"
    return store.NewRelation(
        relation_id=uuid.uuid5(note_id, told),
        note_id=note_id,
        source_key=reading.phrases[statement.cause].key,
        target_key=reading.phrases[statement.effect].key,
        kind=statement.kind,
        evidence=statement.evidence,
        confidence=statement.confidence,
        extractor=reading.extraction.fingerprint,
    )


def _read_note(reading: _Reading) -> store.NoteReading:
    return store.NoteReading(
        note_id=reading.note.note_id,
        content_hash=reading.note.content_hash,
        fingerprint=reading.extraction.fingerprint,
    )
