"""E-books (EPUB 2 and 3); chapters are the documents of the reading order."""

from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote

from rag_core.errors import DocumentRefusedError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, DocumentFormat, ParsingLimits, SourceFile
from rag_core.parsing.archives import ArchiveReader, mimetype, open_archive
from rag_core.parsing.building import DocumentBuilder
from rag_core.parsing.markup import add_markup, decode_markup, parse_markup
from rag_core.parsing.office import check_pages, parse_timestamp

_MIMETYPE = "application/epub+zip"
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONT_OBFUSCATION = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))
_CHAPTER_TYPES = frozenset(("application/xhtml+xml", "text/html"))
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"


@dataclass(frozen=True, slots=True)
class _Package:
    """The package document of a book, and the folder that its addresses are relative to."""

    root: Any
    folder: str

    def chapters(self) -> Iterator[str]:
        """Names of the chapters within the archive, in reading order; the table of contents is none."""
        items = {item.get("id"): item for item in self.root.iterfind(".//{*}manifest/{*}item")}
        for reference in self.root.iterfind(".//{*}spine/{*}itemref"):
            item = items.get(reference.get("idref"))
            if item is None or "nav" in item.get("properties", "").split():
                continue
            if item.get("media-type") in _CHAPTER_TYPES:
                yield normpath(join(self.folder, unquote(item.get("href") or "").partition("#")[0]))

    def facts(self, name: str) -> list[str]:
        """Metadata under a name of Dublin Core."""
        found = self.root.iterfind(f".//{{*}}metadata//{_DUBLIN_CORE}{name}")
        return [text for element in found if (text := "".join(element.itertext()).strip())]


def _parse(file: SourceFile, limits: ParsingLimits) -> ParsedDocument:
    archive = open_archive(file.data, limits)
    _refuse_encryption(archive)
    package = _package(archive)
    chapters = list(package.chapters())
    check_pages(len(chapters), limits, "chapters")
    builder = DocumentBuilder(max_characters=limits.max_characters)
    for number, name in enumerate(chapters, 1):
        if name in archive.names:
            add_markup(builder, parse_markup(decode_markup(archive.read(name))), page=number)
        else:
            builder.warn("left_out", "the chapter is missing in the file", page=number)
    language = next(iter(package.facts("language")), None)
    return builder.build(
        title=next(iter(package.facts("title")), None),
        author=", ".join(package.facts("creator")),
        written_at=next(filter(None, map(parse_timestamp, package.facts("date"))), None),
        pages=len(chapters),
        page_unit="section",
        metadata={"language": language} if language else None,
    )


def _package(archive: ArchiveReader) -> _Package:
    found = archive.xml(_CONTAINER).find(".//{*}rootfile[@full-path]")
    if found is None:
        raise DocumentRefusedError("the book names no package document; save it again in the program it comes from")
    name = normpath(found.get("full-path"))
    return _Package(archive.xml(name), dirname(name))


def _refuse_encryption(archive: ArchiveReader) -> None:
    """Fonts may be obfuscated; anything else encrypted is protected by DRM."""
    if _ENCRYPTION not in archive.names:
        return
    methods = archive.xml(_ENCRYPTION).iterfind(".//{*}EncryptedData/{*}EncryptionMethod")
    if any(method.get("Algorithm") not in _FONT_OBFUSCATION for method in methods):
        raise DocumentRefusedError("the book is protected by DRM; use a copy without protection")


FORMATS.register("epub")(
    DocumentFormat(suffixes=(".epub",), recognises=lambda data: mimetype(data) == _MIMETYPE, parse=_parse, version=1)
)
