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
    found: list[dict[str, Any]] = []
    around: list[dict[str, Any]] = []
    for heading in (block for block in blocks if block.kind == "heading"):
        level = heading.level or 1
        while around and around[-1]["level"] >= level:
            around.pop()["end"] = heading.start
        title = note.content[heading.start : heading.end].partition("\n")[0].strip("# ")
        section = {
            "id": section_id(note.id, heading.start),
            "parentId": around[-1]["id"] if around else str(note.id),
            "path": [*(around[-1]["path"] if around else ()), title],
            "title": title,
            "level": level,
            "start": heading.start,
            "end": len(note.content),
            "page": heading.page,
        }
        found.append(section)
        around.append(section)
    return found
