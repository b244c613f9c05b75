"""Plain text; blank lines part paragraphs."""

import re

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import DocumentBlock, ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.building import check_length, storable
from rag_core.parsing.decoding import decode

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    text = storable(decode(file.data))
    check_length(len(text), limits.max_characters)
    paragraphs = tuple(
        DocumentBlock(kind="paragraph", start=found.start(), end=found.start() + len(found.group().rstrip()))
        for found in _PARAGRAPH.finditer(text)
    )
    if not paragraphs:
        raise DocumentRefusedError("the file holds no text")
    return ParsedDocument(text=text, blocks=paragraphs, tables=())


FORMATS.register("txt")(DocumentFormat(suffixes=(".txt", ".text"), parse=_parse, version=1))
