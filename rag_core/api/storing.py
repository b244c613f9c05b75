"""A note stored and indexed for a request; once more, from the beginning, when the embedding model was replaced meanwhile."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from rag_core.api.access import RequestContext
from rag_core.errors import ModelChangedError
from rag_core.indexing.one_note import store_and_index
from rag_core.model.note import NewNote, NoteId
from rag_core.storage.database import Connection


def store_note(
    context: RequestContext,
    note: NewNote,
    *,
    expected: Literal["new", "known", "either"],
    before: Callable[[Connection], None] = lambda _connection: None,
    beside: Callable[[Connection], None] = lambda _connection: None,
) -> NoteId:
    """Store the note and return its id; see ``store_and_index``."""
    store = partial(
        store_and_index,
        context.database,
        context.writing_tenant,
        note,
        expected=expected,
        lock_timeout_ms=context.timeout_ms,
        before=before,
        beside=beside,
    )
    try:
        return store(context.engine.pipeline).note_id
    except ModelChangedError:
        return store(context.renewed_engine().pipeline).note_id
