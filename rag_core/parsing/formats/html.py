"""Web pages (HTML, XHTML)."""

from datetime import datetime
from typing import Any

from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.markup import add_markup, decode_markup, parse_markup
from rag_core.parsing.office import parse_timestamp

_PUBLISHED = ("article:published_time", "datePublished", "dcterms.created", "dc.date", "date")
_AUTHOR = ("author", "dc.creator")


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    root = parse_markup(decode_markup(file.data))
    builder = DocumentBuilder(max_characters=limits.max_characters)
    add_markup(builder, root)
    if root is None:
        return builder.build()
    facts = _facts(root)
    language = root.get("lang") or root.get("xml:lang")
    return builder.build(
        title=root.findtext(".//title"),
        author=next((facts[name] for name in _AUTHOR if name in facts), None),
        written_at=_published(root, facts),
        metadata={"language": language} if language else None,
    )


def _facts(root: Any) -> dict[str, str]:
    """Contents of the ``meta`` elements by their names, the first of each."""
    facts: dict[str, str] = {}
    for element in root.iter("meta"):
        name = element.get("property") or element.get("itemprop") or element.get("name")
        if name and (content := element.get("content")):
            facts.setdefault(name, content)
    return facts


def _published(root: Any, facts: dict[str, str]) -> datetime | None:
    """Date of publication: of the ``meta`` elements, else of the ``time`` elements if they agree."""
    named = (parse_timestamp(facts.get(name)) for name in _PUBLISHED)
    if moment := next(filter(None, named), None):
        return moment
    times = {parse_timestamp(element.get("datetime")) for element in root.iter("time")}
    return times.pop() if len(times) == 1 else None


FORMATS.register("html")(DocumentFormat(suffixes=(".html", ".htm", ".xhtml"), parse=_parse, version=1))
