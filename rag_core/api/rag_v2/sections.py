"""Sections of documents as parents of chunks: a document has level 0, its sections 1, its chunks 2. Pure."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid5

from rag_core.model.note import ChunkId, Note, NoteId
from rag_core.storage.documents import StoredBlock


def section_id(note: NoteId, start: int) -> str:
    """Id of the section whose heading begins there."""
    return str(uuid5(note, f"section {start}"))


def place_in_hierarchy(note: NoteId, chunk: ChunkId, section: int | None) -> dict[str, Any]:
    """Level and parent of a chunk: the section that it begins in, else the document; of a note that is not chunked, it is all."""
    if chunk == note:
        return {"level": 0, "parentId": None}
    return {"level": 2, "parentId": str(note) if section is None else section_id(note, section)}


def sections_to_wire(note: Note, blocks: Sequence[StoredBlock]) -> list[dict[str, Any]]:
    """The headings in their order, each with the section around it and the text up to the next of its level or above."""
    headings = [block for block in blocks if block.kind == "heading"]
    found: list[dict[str, Any]] = []
    for place, heading in enumerate(headings):
        level = heading.level or 1
        after = (other.start for other in headings[place + 1 :] if (other.level or 1) <= level)
        parent = next((other for other in reversed(found) if other["level"] < level), None)
        title = note.content[heading.start : heading.end].partition("\n")[0].strip("# ")
        found.append(
            {
                "id": section_id(note.id, heading.start),
                "parentId": str(note.id) if parent is None else parent["id"],
                "path": [*(parent["path"] if parent else ()), title],
                "title": title,
                "level": level,
                "start": heading.start,
                "end": next(after, len(note.content)),
                "page": heading.page,
            }
        )
    return found
