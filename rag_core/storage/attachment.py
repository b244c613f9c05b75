"""Legacy rows as whole notes: a page a transaction, compared with what is stored, with the ledger and what was refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pgvector import Vector
from psycopg.types.json import Jsonb

from rag_core.errors import ModelChangedError
from rag_core.model.embedding import EmbeddingModel, input_hash
from rag_core.model.note import NewNote, NoteId, TenantId, content_hash
from rag_core.storage.database import Connection
from rag_core.storage.migration_control import hold_state
from rag_core.storage.models import hold_model
from rag_core.storage.notes import ensure_tenant, unchunk
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_column

_ROUNDS = 3
_TYPES = (
    *("uuid", "text", "text", "text", "bytea", "text", "text[]", "jsonb", "timestamptz", "timestamptz"),
    *("text[]", "bytea", "vector"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteToAttach:
    """A checked row; ``place`` says where it stood, ``vector`` is of length one and of the model."""

    note_id: NoteId
    note: NewNote
    updated_at: datetime | None
    place: str
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedPage:
    """Result of a page: counts, the external ids refused, each with the reason, and those changed on both sides."""

    attached: int = 0
    updated: int = 0
    unchanged: int = 0
    with_vector: int = 0
    refused: Mapping[str, str]
    kept_here: Sequence[str]


def attach_page(
    connection: Connection,
    tenant: TenantId,
    notes: Sequence[NoteToAttach],
    *,
    source: str,
    model: EmbeddingModel,
    origin: str | None,
) -> AttachedPage:
    """Store the rows that are new, let those follow that only their table has changed, and leave all others alone.

    Within the caller's transaction. Ids and external ids must be unique within the page.

    Raises:
        ModelChangedError: vectors were given and the model is not active any more.
    """
    if any(note.vector is not None for note in notes) and hold_model(connection, model) != "active":
        raise ModelChangedError(f"{model.name} is not the active embedding model any more; attach once more")
    hold_state(connection, tenant)
    parameters = {"tenant": tenant, "source": source, "model": model.id, "origin": origin}
    _copy(connection, notes, model)
    connection.execute(query("lock_attached"), parameters)
    _store(connection, tenant, parameters)
    vectors = connection.execute(query("insert_attached_vectors"), parameters).rowcount
    rows = connection.execute(query("count_attaching")).fetchall()
    connection.execute("drop table attaching")
    page = _page(rows, with_vector=vectors // 2)
    taken = [note for note in notes if note.note.external_id not in page.refused]
    clear_rejections(connection, tenant, taken, source=source)
    record_rejections(connection, tenant, page.refused, source=source, origin=origin)
    return page


def _copy(connection: Connection, notes: Sequence[NoteToAttach], model: EmbeddingModel) -> None:
    connection.execute(query("create_attaching"))
    with connection.cursor().copy(query("copy_attaching")) as copy:
        copy.set_types(_TYPES)
        for note in notes:
            copy.write_row(_row(note, model))
    connection.execute(query("analyze_attaching"))


def _row(row: NoteToAttach, model: EmbeddingModel) -> tuple[Any, ...]:
    note = row.note
    return (
        row.note_id,
        note.external_id,
        note.title,
        note.content,
        content_hash(note.language, note.title, note.content),
        note.language,
        list(note.tags),
        Jsonb(dict(note.metadata)),
        note.created_at,
        row.updated_at,
        None if note.departments is None else list(note.departments),
        None if row.vector is None else input_hash(model, note.content, role="document"),
        None if row.vector is None else Vector(row.vector),
    )


def _store(connection: Connection, tenant: TenantId, parameters: Mapping[str, Any]) -> None:
    """New and changed notes with their whole-note chunks; what another writer stored meanwhile is judged again."""
    attached: list[NoteId] = []
    for _ in range(_ROUNDS):
        connection.execute(query("judge_attaching"), parameters)
        attached += fetch_column(connection, "insert_attached", parameters)
        if connection.execute("select from attaching where verdict = 'new' limit 1").fetchone() is None:
            break
    if attached:
        connection.execute(query("begin_migration"), parameters)
        connection.execute(query("insert_whole_note_chunks"), {"tenant": tenant, "notes": sorted(attached)})
    changed = connection.execute(query("update_attached"), parameters).fetchall()
    rechunked = [note_id for note_id, is_rechunked in changed if is_rechunked]
    connection.execute(query("clear_failures"), {"tenant": tenant, "notes": rechunked})
    unchunk(connection, tenant, rechunked)


def _page(rows: Sequence[tuple[Any, ...]], *, with_vector: int) -> AttachedPage:
    counts = {verdict: count for verdict, count, _, _ in rows}
    refused = {
        name: _reason(verdict, holder)
        for verdict, _, names, holders in rows
        if verdict != "kept"
        for name, holder in zip(names, holders, strict=True)
    }
    return AttachedPage(
        attached=counts.get("attached", 0),
        updated=counts.get("changed", 0),
        unchanged=counts.get("same", 0) + counts.get("edited", 0),
        with_vector=with_vector,
        refused=refused,
        kept_here=[name for verdict, _, names, _ in rows if verdict == "kept" for name in names],
    )


def _reason(verdict: str, holder: str | None) -> str:
    if verdict == "taken":
        return f"its uuid is that of the note {holder}; one of the two needs another id"
    if verdict == "foreign":
        return "this source has a note of that id that did not come by attaching; attach with another --source"
    return "somebody else is storing a note of that id; attach once more"


def clear_rejections(connection: Connection, tenant: TenantId, notes: Sequence[NoteToAttach], *, source: str) -> None:
    """Forget that these rows, or the rows that stood in their places, could not be attached."""
    names = [name for note in notes for name in (note.note.external_id, note.place)]
    connection.execute(query("clear_rejections"), {"tenant": tenant, "source": source, "external_ids": names})


def record_rejections(
    connection: Connection, tenant: TenantId, reasons: Mapping[str, str], *, source: str, origin: str | None
) -> None:
    """Remember rows that could not be attached, by external id or place, with the reason."""
    if reasons:
        parameters = {"tenant": tenant, "source": source, "origin": origin}
        names, texts = list(reasons), list(reasons.values())
        connection.execute(query("record_rejections"), {**parameters, "external_ids": names, "reasons": texts})


def begin_attaching(connection: Connection, tenant: TenantId) -> datetime:
    """Make the tenant unless it exists; the moment, by the server's clock."""
    ensure_tenant(connection, tenant)
    row = connection.execute(query("this_moment")).fetchone()
    assert row is not None
    began: datetime = row[0]
    return began


def forget_gone_rejections(
    connection: Connection, tenant: TenantId, *, source: str, origin: str | None, began: datetime
) -> None:
    """Forget refused rows of this origin that were not refused since ``began``: they are gone, for all rows were read."""
    parameters = {"tenant": tenant, "source": source, "origin": origin, "began": began}
    connection.execute(query("forget_gone_rejections"), parameters)
