"""Text files for tests, parsed by the format that their suffix names."""

import re
from difflib import SequenceMatcher
from pathlib import Path

from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, ParsingLimits, SourceFile

UNSEEN = re.compile(r"<!--.*?-->|(?<=\])\([^)\s]*\)|<[^>\n]+>", re.DOTALL)


def parsed_text(name: str, content: str | bytes, limits: ParsingLimits | None = None) -> ParsedDocument:
    data = content.encode() if isinstance(content, str) else content
    return FORMATS.get(name.rpartition(".")[2]).parse(SourceFile(name=name, data=data), limits or ParsingLimits())


def blocks_of(document: ParsedDocument) -> list[tuple[str, str]]:
    """Kind and text of each block."""
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def likeness(folder: Path, name: str) -> float:
    """Share of the words of a real file and its reference that are the same in the same order."""
    expected = (folder / "expected" / f"{name}.expected.md").read_text(encoding="utf-8")
    found = parsed_text(name, (folder / "files" / name).read_bytes()).text
    words = [re.findall(r"[^\W_]+", UNSEEN.sub(" ", text)) for text in (found, expected)]
    return SequenceMatcher(None, *words, autojunk=False).ratio()
