"""Chunks as they are found, and as their vectors are made from them."""

from dataclasses import dataclass

from rag_core.model.note import ChunkKind, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePart:
    """Part of a table of a note: the whole, its header, or some rows; the table's header starts at ``start`` of the note."""

    kind: ChunkKind
    start: int
    headers: tuple[str, ...]
    caption: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkText:
    """All that the vectors of a chunk depend on, beside the model.

    ``context`` is None for a note that is not chunked yet. ``headers`` are those of the table that the chunk is a part of, and
    ``caption`` the line above it. ``chunking_method`` names the chunker.
    """

    content: str
    context: str | None
    title: str | None
    language: Language
    chunking_method: str
    kind: ChunkKind = "text"
    headers: tuple[str, ...] | None = None
    caption: str | None = None
