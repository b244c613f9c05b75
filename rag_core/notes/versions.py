"""Notes as they were, to be stored again."""

from rag_core.model.note import NewNote
from rag_core.notes.validation import audience, tags_in
from rag_core.storage.note_versions import NoteVersion


def restored(version: NoteVersion) -> NewNote:
    """The note as it was; a deleted one gets its id back.

    Raises:
        InvalidInputError: its metadata say wrongly whom it is for.
    """
    return NewNote(
        note_id=version.note_id,
        external_id=version.external_id,
        source=version.source,
        title=version.title,
        content=version.content,
        language=version.language,
        created_at=version.created_at,
        metadata=version.metadata,
        tags=tags_in(version.metadata),
        departments=audience(version.metadata),
        dated_by=version.dated_by,
    )
