"""Structure of documents. Sections are parents of chunks: a document has level 0, its sections 1, its chunks 2. Pure."""

import re
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid5

from rag_core.chunking.structure import MarkdownTable, cells_of, structure_of
from rag_core.model.document import extraction_method
from rag_core.model.note import ChunkId, Note, NoteId
from rag_core.storage.documents import StoredBlock
from rag_core.storage.uploads import UploadState

_PLACED = re.compile(r"(?:page|slide|sheet|section) (\d+): (.*)", re.DOTALL)


def section_id(note: NoteId, start: int) -> str:
    """Id of the section whose heading begins there."""
    return str(uuid5(note, f"section {start}"))


def place_in_hierarchy(note: NoteId, chunk: ChunkId, section: int | None) -> dict[str, Any]:
    """Level and parent of a chunk: the section that it begins in, else the document; of a note that is not chunked, it is all."""
    if chunk == note:
        return {"level": 0, "parentId": None}
    return {"level": 2, "parentId": str(note) if section is None else section_id(note, section)}


def blocks_to_wire(note: Note, blocks: Sequence[StoredBlock], *, parser: str | None) -> list[dict[str, Any]]:
    """The blocks in their order, each with the heading that it stands under."""
    found: list[dict[str, Any]] = []
    around: list[tuple[int, str]] = []
    tables = structure_of(note.content).tables
    for place, block in enumerate(blocks):
        name, level = str(uuid5(note.id, f"block {place}")), block.level or 1
        while block.kind == "heading" and around and around[-1][0] >= level:
            around.pop()
        found.append(
            {
                "id": name,
                "parentId": around[-1][1] if around else None,
                "type": block.kind,
                "start": block.start,
                "end": block.end,
                "level": block.level,
                "pageNumber": block.page,
                "boundingBox": block.box,
                "confidence": block.confidence,
                "tableData": _table_data(note.content, tables, block),
                "extractionMethod": extraction_method(parser) if block.kind == "table" else None,
            }
        )
        if block.kind == "heading":
            around.append((level, name))
    return found


def _table_data(content: str, tables: Sequence[MarkdownTable], block: StoredBlock) -> dict[str, Any] | None:
    """Headers of the table that a block is a part of, and the block's own rows; None for other blocks."""
    table = next((table for table in tables if table.start <= block.start < table.end), None)
    if block.kind != "table" or table is None:
        return None
    return {
        "headers": table.headers,
        "rows": [cells_of(content[start:end]) for start, end in table.rows if block.start <= start < block.end],
    }


def contents_to_wire(sections: Sequence[dict[str, Any]], blocks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The headings of sections, each with its block."""
    headings = [block["id"] for block in blocks if block["type"] == "heading"]
    return [
        {"title": section["title"], "level": section["level"], "blockId": block, "page": section["page"]}
        for section, block in zip(sections, headings, strict=True)
    ]


def warnings_to_wire(
    upload: UploadState, blocks: Sequence[dict[str, Any]], translate: Callable[[str], str]
) -> list[dict[str, Any]]:
    """The warnings of a parser, each with its page and the first block there."""
    first = {block["pageNumber"]: block["id"] for block in reversed(blocks) if block["pageNumber"] is not None}
    found: list[dict[str, Any]] = []
    for kind, text in zip(upload.warning_kinds, upload.warnings, strict=True):
        placed = _PLACED.fullmatch(text)
        page, message = (int(placed[1]), placed[2]) if placed else (None, text)
        found.append({"type": kind, "message": translate(message), "page": page, "blockId": first.get(page)})
    return found


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
