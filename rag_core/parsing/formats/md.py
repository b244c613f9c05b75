"""Markdown files."""

from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.decoding import decode
from rag_core.parsing.markdown import markdown_document


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    return markdown_document(decode(file.data), max_characters=limits.max_characters)


FORMATS.register("md")(DocumentFormat(suffixes=(".md", ".markdown"), parse=_parse, version=2))
