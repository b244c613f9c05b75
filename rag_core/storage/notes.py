"""Notes: stored by batch, found by name, deleted whole."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from rag_core.errors import AmbiguousNoteError, NotFoundError
from rag_core.model.note import NewNote, Note, NoteId, TenantId, content_hash, note_id_for
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query

_UPSERT_ROUNDS = 3
_INCOMING_TYPES = (
    *("uuid", "text", "text", "text", "text", "bytea", "text", "text[]", "jsonb", "timestamptz"),
    *("text[]", "bool", "text", "text", "int4"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBatch:
    """Result of storing a batch of notes.

    ``refused`` are the places in it of new ones that the tenant has no room for, ``new`` and ``changed`` those of notes that were
    stored; all others were as they are.
    """

    imported: int
    updated: int
    unchanged: int
    refused: tuple[int, ...] = ()
    max_notes: int | None = None
    new: frozenset[int] = frozenset()
    changed: frozenset[int] = frozenset()


def ensure_tenant(connection: Connection, tenant: TenantId) -> None:
    """Make the tenant unless it exists; for commands, and for what holds no key: see ``hold_tenant``."""
    connection.execute(query("ensure_tenant"), {"tenant": tenant})


def hold_tenant(database: Database, connection: Connection, tenant: TenantId) -> None:
    """See that the tenant is there until the transaction ends; without a key it is made where it is not.

    Raises:
        UnauthenticatedError: the database serves a key, and its tenant was deleted.
    """
    if database.makes_tenants:
        ensure_tenant(connection, tenant)
    elif connection.execute(query("share_tenant"), {"tenant": tenant}).fetchone() is None:
        raise database.tenant_is_gone(tenant)


def is_tenant(connection: Connection, tenant: TenantId) -> bool:
    """Tell whether a tenant exists."""
    return connection.execute(query("is_tenant"), {"tenant": tenant}).fetchone() == (True,)


def store_notes(connection: Connection, tenant: TenantId, notes: Sequence[NewNote]) -> StoredBatch:
    """Insert new notes and update changed ones; each is found by full text once the transaction commits.

    External ids must be unique within the batch. Nothing is chunked or embedded: a note whose text is new or changed
    becomes one whole-note chunk, and vectors of its replaced chunks are kept in the cache. What the pipeline failed at is
    tried again when its text has changed. Where the tenant may have so many notes only, new ones are taken until it has them.
    A note that comes without metadata leaves those that are stored as they are, and with them its tags and its audience.
    """
    connection.execute(query("create_incoming"))
    with connection.cursor().copy(query("copy_incoming")) as copy:
        copy.set_types(_INCOMING_TYPES)
        for place, note in enumerate(notes):
            copy.write_row((*_incoming_row(tenant, note), place))
    max_notes, refused = _refuse_beyond_limit(connection, tenant)
    rows = _upsert(connection, tenant)
    connection.execute("drop table incoming")
    rechunked = sorted(note_id for note_id, (_, _, is_rechunked) in rows.items() if is_rechunked)
    connection.execute(query("clear_failures"), {"tenant": tenant, "notes": rechunked})
    unchunk(connection, tenant, rechunked)
    new = frozenset(place for place, is_new, _ in rows.values() if is_new)
    changed = frozenset(place for place, is_new, _ in rows.values() if not is_new)
    return StoredBatch(
        imported=len(new),
        updated=len(changed),
        unchanged=len(notes) - len(rows) - len(refused),
        refused=refused,
        max_notes=max_notes,
        new=new,
        changed=changed,
    )


def _refuse_beyond_limit(connection: Connection, tenant: TenantId) -> tuple[int | None, tuple[int, ...]]:
    """Take notes beyond the tenant's limit out of the batch; return the limit, None for any number, and their places."""
    held = connection.execute(query("hold_note_limit"), {"tenant": tenant}).fetchone()
    if held is None:
        return None, ()
    parameters = {"tenant": tenant, "max_notes": held[0]}
    rows = connection.execute(query("refuse_beyond_limit"), parameters).fetchall()
    return held[0], tuple(sorted(row[0] for row in rows))


def _upsert(connection: Connection, tenant: TenantId) -> dict[UUID, tuple[int, bool, bool]]:
    """Store the incoming notes; for each that changed, its place, whether it is new and whether its text changed.

    What another writer stored while this one waited for it is compared again: the last one wins, as if it came later.
    """
    changed: dict[UUID, tuple[int, bool, bool]] = {}
    for _ in range(_UPSERT_ROUNDS):
        for note_id, *facts in connection.execute(query("upsert_incoming"), {"tenant": tenant}).fetchall():
            changed[note_id] = tuple(facts)
        if connection.execute(query("count_unequal"), {"tenant": tenant}).fetchone() == (0,):
            break
    return changed


def unchunk(connection: Connection, tenant: TenantId, notes: Sequence[UUID]) -> None:
    """Make each note one whole-note chunk again, its vectors kept in the cache."""
    if not notes:
        return
    parameters = {"tenant": tenant, "notes": list(notes)}
    for name in ("keep_vectors", "delete_chunks", "forget_index", "insert_whole_note_chunks"):
        connection.execute(query(name), parameters)


def _incoming_row(tenant: TenantId, note: NewNote) -> tuple[Any, ...]:
    return (
        note.note_id or note_id_for(tenant, note.source, note.external_id),
        note.source,
        note.external_id,
        note.title,
        note.content,
        content_hash(note.language, note.title, note.content),
        note.language,
        list(note.tags),
        None if note.keeps_metadata else Jsonb(dict(note.metadata), dumps=_dumps),
        note.created_at,
        None if note.departments is None else list(note.departments),
        note.keeps_audience,
        note.kind,
        note.dated_by or ("given" if note.created_at else None),
    )


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def free_note_id(connection: Connection, tenant: TenantId, note: NewNote) -> NoteId:
    """The id that a new note gets: the one of its name, unless a note that was renamed has it."""
    proposed = note.note_id or note_id_for(tenant, note.source, note.external_id)
    row = connection.execute(query("is_note"), {"tenant": tenant, "note": proposed}).fetchone()
    return NoteId(uuid4()) if row == (True,) else proposed


def fetch_note(connection: Connection, tenant: TenantId, note_id: NoteId) -> Note:
    """One note.

    Raises:
        NotFoundError: the tenant has no such note.
    """
    row = connection.execute(query("fetch_note"), {"tenant": tenant, "note": note_id}).fetchone()
    if row is None:
        raise NotFoundError(f"no note {note_id}")
    return note_of_row(row)


def list_notes(
    connection: Connection, tenant: TenantId, *, limit: int, before: tuple[datetime, UUID] | None = None
) -> list[Note]:
    """Notes newest first, a page at a time; ``before`` is the last one of the page before."""
    moment, note_id = before or (None, None)
    rows = connection.execute(
        query("list_notes"), {"tenant": tenant, "limit": limit, "before": moment, "before_id": note_id}
    ).fetchall()
    return [note_of_row(row) for row in rows]


def note_of_row(row: tuple[Any, ...]) -> Note:
    """A note from the columns of ``fetch_note``."""
    note_id, external_id, source, title, content, language, created_at, metadata, dated_by = row
    return Note(
        id=note_id,
        external_id=external_id,
        source=source,
        title=title,
        content=content,
        language=language,
        created_at=created_at,
        metadata=metadata,
        dated_by=dated_by,
    )


def find_notes(
    connection: Connection, tenant: TenantId, names: Iterable[str]
) -> dict[str, NoteId | AmbiguousNoteError]:
    """Note ids by external id, ``source:id`` or uuid; a name nobody has is absent.

    An external id wins over ``source:id``, that over a uuid. One that stands in several sources gives the error to raise.
    """
    wanted = list(dict.fromkeys(names))
    pairs = [(name, name[:i], name[i + 1 :]) for name in wanted for i, c in enumerate(name) if c == ":"]
    uuids = [(name, found) for name in wanted if (found := _as_uuid(name)) is not None]
    rows = connection.execute(
        query("find_notes"),
        {
            "tenant": tenant,
            "names": wanted,
            "pair_names": [p[0] for p in pairs],
            "pair_sources": [p[1] for p in pairs],
            "pair_ids": [p[2] for p in pairs],
            "uuid_names": [u[0] for u in uuids],
            "uuids": [u[1] for u in uuids],
        },
    ).fetchall()
    matches: dict[str, list[tuple[NoteId, str, str]]] = {}
    for name, note_id, source, external_id in rows:
        matches.setdefault(name, []).append((note_id, source, external_id))
    return {name: _the_one(name, found) for name, found in matches.items()}


def find_note(connection: Connection, tenant: TenantId, name: str) -> NoteId:
    """The note of that name.

    Raises:
        NotFoundError: nobody has that name.
        AmbiguousNoteError: it stands in several sources.
    """
    found = find_notes(connection, tenant, [name]).get(name)
    if found is None:
        raise NotFoundError(f"no note is called {name!r}; give its external id, source:id or uuid")
    if isinstance(found, AmbiguousNoteError):
        raise found
    return found


def find_note_or_title(connection: Connection, tenant: TenantId, name: str) -> NoteId:
    """The note of that name, else the one of that title, in any case.

    Raises:
        NotFoundError: nobody has that name or title.
        AmbiguousNoteError: several have it.
    """
    try:
        return find_note(connection, tenant, name)
    except NotFoundError:
        rows = connection.execute(query("find_notes_by_title"), {"tenant": tenant, "title": name}).fetchall()
        if not rows:
            raise
    if len(rows) > 1:
        raise _ambiguous(name, rows)
    return NoteId(rows[0][0])


def _the_one(name: str, found: list[tuple[NoteId, str, str]]) -> NoteId | AmbiguousNoteError:
    best = [row for row in found if row[2] == name] or [row for row in found if f"{row[1]}:{row[2]}" == name] or found
    return best[0][0] if len(best) == 1 else _ambiguous(name, best)


def _ambiguous(name: str, found: list[tuple[NoteId, str, str]]) -> AmbiguousNoteError:
    choices = sorted(f"{source}:{external_id}" for _, source, external_id in found)
    return AmbiguousNoteError(f"{name!r} stands in several sources; write one of {', '.join(choices)}", choices=choices)


def _as_uuid(name: str) -> UUID | None:
    try:
        return UUID(name) if len(name) == 36 else None
    except ValueError:
        return None


def delete_notes(connection: Connection, tenant: TenantId, notes: Sequence[UUID]) -> list[NoteId]:
    """Delete notes with all that was made of them and all a migration knew of them; the ids that existed."""
    connection.execute(query("lock_for_deletion"), {"tenant": tenant, "notes": list(notes)})
    connection.execute(query("delete_migration_records"), {"tenant": tenant, "notes": list(notes)})
    rows = connection.execute(query("delete_notes"), {"tenant": tenant, "notes": list(notes)}).fetchall()
    return [NoteId(row[0]) for row in rows]


def is_indexed(connection: Connection, tenant: TenantId, note_id: NoteId, *, fingerprint: str) -> bool:
    """Tell whether the note's live chunks are this pipeline's."""
    row = connection.execute(
        query("is_indexed"), {"tenant": tenant, "note": note_id, "fingerprint": fingerprint}
    ).fetchone()
    return row == (True,)


def has_notes(connection: Connection, tenant: TenantId) -> bool:
    """Tell whether the tenant has a note."""
    row = connection.execute(query("has_notes"), {"tenant": tenant}).fetchone()
    return row == (True,)


def count_notes(connection: Connection, tenant: TenantId) -> Mapping[str, int]:
    """Count the notes, and those of them that are chunked."""
    row = connection.execute(query("count_notes"), {"tenant": tenant}).fetchone()
    assert row is not None
    return {"notes": row[0], "indexed": row[1]}
