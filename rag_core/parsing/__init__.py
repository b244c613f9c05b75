"""Bytes of a file into Markdown with blocks, one file a format.

Here: the formats and their registry, recognition by content, bounds, and the process in which files are parsed.
Not here: where files come from (``rag_core.folders``), how notes are stored.
"""

from collections.abc import Callable
from dataclasses import dataclass

from rag_core.model.document import ParsedDocument
from rag_core.plugins.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file to parse: its name, without folders, and all its bytes."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsingLimits:
    """Bounds of one file. What exceeds them is refused; pages beyond ``max_pages`` too.

    ``max_unpacked_bytes`` and ``max_ratio`` bound what archives (docx, xlsx, epub, …) unpack to, ``max_pixels`` images,
    ``seconds`` and ``memory_bytes`` the process that parses.
    """

    max_bytes: int = 100_000_000
    max_pages: int = 2_000
    max_unpacked_bytes: int = 500_000_000
    max_ratio: int = 200
    max_pixels: int = 50_000_000
    max_characters: int = 1_000_000
    seconds: float = 120
    memory_bytes: int = 2_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFormat:
    """One format: how it is recognised and how it is parsed.

    ``suffixes`` are lower-case with their dot, the usual one first. ``recognises`` tells a file of the format by its bytes; None
    for text formats, which are told by their suffix and must be text. ``version`` is raised with any change of what
    ``parse`` gives, so that stored documents are stale. ``parse`` raises ``DocumentRefusedError`` for files that cannot be
    taken: encrypted, out of bounds, broken.
    """

    suffixes: tuple[str, ...]
    parse: Callable[[SourceFile, ParsingLimits], ParsedDocument]
    version: int
    recognises: Callable[[bytes], bool] | None = None


FORMATS: Registry[DocumentFormat] = Registry("document format", folder="rag_core.parsing.formats")

__all__ = ["FORMATS", "DocumentFormat", "ParsingLimits", "SourceFile"]
