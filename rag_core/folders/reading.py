"""A file of a folder as a note: Markdown as its author wrote it, other formats as their parsers read them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

from rag_core.folders.dates import DATE_FIELDS, date_of_fields, dated
from rag_core.folders.front_matter import as_json, split_front_matter, with_fields
from rag_core.folders.links import code_spans, find_links, find_tags, names_of
from rag_core.language import LANGUAGES
from rag_core.model.document import (
    VALIDATED,
    DocumentBlock,
    NoteLink,
    PageUnit,
    ParsedDocument,
    StoredFile,
    WarningKind,
)
from rag_core.model.note import Language, NewNote, NoteKind
from rag_core.notes.validation import parse_note, with_tags
from rag_core.parsing import SourceFile
from rag_core.parsing.building import storable
from rag_core.parsing.decoding import decode
from rag_core.parsing.markdown import markdown_document
from rag_core.parsing.recognising import format_of, parser_version
from rag_core.parsing.working import DocumentParser
from rag_core.storage.documents import FileContents

_MARKDOWN = "md"
_PLACED: Mapping[PageUnit, str] = {
    "page": "page {page}: {message}",
    "slide": "slide {page}: {message}",
    "sheet": "sheet {page}: {message}",
    "section": "section {page}: {message}",
}
_TITLE, _LANGUAGE = "title", ("lang", "language", "idioma", "sprache")
_TAGS, _ALIASES = ("tags", "tag", "keywords"), ("aliases", "alias")
_OWN_FIELDS = {_TITLE, *_LANGUAGE, *_TAGS, *_ALIASES, *DATE_FIELDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """A file read: the note to store, what belongs to its text, and the facts of its parser."""

    note: NewNote
    contents: FileContents
    document: ParsedDocument
    format: str
    warnings: tuple[str, ...] = ()
    warning_kinds: tuple[WarningKind, ...] = ()

    def recorded(self, file: StoredFile) -> StoredFile:
        """The file with the facts of its parser."""
        reader, is_validated = self.document.parser, self.document.is_validated
        return replace(
            file,
            format=self.format,
            parser=parser_version(self.format)
            + ("" if reader == "native" and not is_validated else f"+{reader}")
            + (VALIDATED if is_validated else ""),
            parser_confidence=self.document.confidence,
            author=self.document.author,
            pages=self.document.pages,
            page_unit=self.document.page_unit,
            warnings=self.warnings,
            warning_kinds=self.warning_kinds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """Facts that the reading of any file of a folder needs."""

    source: str
    language: Language | None
    zone: ZoneInfo
    max_characters: int
    max_bytes: int

    def read(self, file: SourceFile, path: str, modified_ns: int | None, parser: DocumentParser) -> ReadFile:
        """A file as a note: Markdown by its own rules, other formats by their parsers.

        Raises:
            DocumentRefusedError, DocumentFailedError: see ``DocumentParser.parse``.
            InvalidInputError: a field that cannot be taken.
        """
        found = format_of(file)
        if found == _MARKDOWN:
            return self._markdown(file, path, modified_ns)
        return self._document(parser.parse(file), found, path, modified_ns)

    def _markdown(self, file: SourceFile, path: str, modified_ns: int | None) -> ReadFile:
        """A note of a vault: front matter, tags, links.

        Raises:
            InvalidInputError: no text, or a field that cannot be taken.
        """
        front = split_front_matter(storable(decode(file.data)))
        fields = {name.casefold(): value for name, value in front.fields.items()}
        text = with_fields(front.body, _own_metadata(fields))
        document = markdown_document(text, max_characters=self.max_characters)
        code = code_spans(document.text, document.blocks)
        written, unread = date_of_fields(fields, self.zone)
        metadata = _with_tags(fields, find_tags(document.text, code))
        links = find_links(document.text, path, code)
        document = replace(document, title=_text(fields.get(_TITLE)) or _own_heading(document))
        warnings = [front.warning] if front.warning else []
        if unread:
            warnings.append(f"{unread} is no date that can be read; write one such as 2024-04-03")
        return self._read(
            path,
            modified_ns,
            document,
            written=written,
            metadata=metadata,
            fields=fields,
            links=links,
            kind="note",
            found=_MARKDOWN,
            warnings=warnings,
        )

    def _document(self, document: ParsedDocument, found: str, path: str, modified_ns: int | None) -> ReadFile:
        """A note of a document that was parsed.

        Raises:
            InvalidInputError: a field that cannot be taken.
        """
        facts = {name: value for name, value in document.metadata.items() if value not in (None, [], "")}
        if document.author:
            facts["author"] = document.author
        return self._read(
            path,
            modified_ns,
            document,
            written=document.written_at,
            metadata=facts,
            fields={},
            links=(),
            kind="document",
            found=found,
            warnings=[],
        )

    def _moment(self, ns: int | None) -> datetime | None:
        return None if ns is None else datetime.fromtimestamp(ns / 1e9, self.zone)

    def _read(
        self,
        path: str,
        modified_ns: int | None,
        document: ParsedDocument,
        *,
        written: Any,
        metadata: Mapping[str, Any],
        fields: Mapping[str, Any],
        links: tuple[NoteLink, ...],
        kind: NoteKind,
        found: str,
        warnings: list[str],
    ) -> ReadFile:
        title = document.title or PurePosixPath(path).stem
        moment, dated_by = dated(
            written=written,
            path=path,
            heading=_first_heading(document),
            file_time=document.created_at or self._moment(modified_ns),
            zone=self.zone,
        )
        note = parse_note(
            external_id=path,
            source=self.source,
            title=title[:512],
            text=document.text,
            created_at=None if moment is None else moment.isoformat(),
            language=self.language or _language(fields),
            metadata=metadata,
            zone=self.zone,
            max_characters=self.max_characters,
        )
        aliases = _texts(fields, _ALIASES)
        contents = FileContents(blocks=document.blocks, links=links, names=names_of(path, title=title, aliases=aliases))
        kinds: list[WarningKind] = ["left_out"] * len(warnings)
        told = (*warnings, *(_told(one.message, one.page, document) for one in document.warnings))
        return ReadFile(
            note=replace(note, external_id=path, kind=kind, dated_by=dated_by),
            contents=contents,
            document=document,
            format=found,
            warnings=told,
            warning_kinds=(*kinds, *(one.kind for one in document.warnings)),
        )


def _told(message: str, page: int | None, document: ParsedDocument) -> str:
    return message if page is None else _PLACED[document.page_unit].format(page=page, message=message)


def _own_heading(document: ParsedDocument) -> str | None:
    """The first heading of the first level: a note's title, where others are of its parts."""
    return next(
        (_heading(document, block) for block in document.blocks if block.kind == "heading" and block.level == 1), None
    )


def _first_heading(document: ParsedDocument) -> str | None:
    return next((_heading(document, block) for block in document.blocks if block.kind == "heading"), None)


def _heading(document: ParsedDocument, block: DocumentBlock) -> str:
    return document.text[block.start : block.end].partition("\n")[0].strip("# \t")


def _text(value: Any) -> str | None:
    return str(value).strip() or None if isinstance(value, str | int | float) else None


def _texts(fields: Mapping[str, Any], names: tuple[str, ...]) -> list[str]:
    """Texts of the first of the fields that there is: a list, or one text with commas."""
    value: Any = next((fields[name] for name in names if fields.get(name) is not None), [])
    listed = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [value]
    return [text for one in listed if (text := _text(one))]


def _language(fields: Mapping[str, Any]) -> Language | None:
    """The language that front matter names, by the first two letters of its code; None where it is not one of ours."""
    named = next((fields[name] for name in _LANGUAGE if isinstance(fields.get(name), str)), "")
    code = named.strip()[:2].lower()
    return code if code in LANGUAGES else None


def _with_tags(fields: Mapping[str, Any], found: tuple[str, ...]) -> Mapping[str, Any]:
    """Metadata of a note: fields that mean nothing else, aliases, and the tags of front matter and text."""
    kept = _own_metadata(fields)
    aliases = _texts(fields, _ALIASES)
    tags = [tag.lstrip("#") for tag in _texts(fields, _TAGS)]
    return with_tags(kept | ({"aliases": aliases} if aliases else {}), [*tags, *found]) or {}


def _own_metadata(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that mean nothing else, as JSON."""
    return {name: as_json(value) for name, value in fields.items() if name not in _OWN_FIELDS}


def written_contents(note: NewNote, *, max_characters: int) -> FileContents:
    """Blocks, links and names of a note of no file, read as Markdown; none of it where its text is no text of Markdown as it stands."""
    document = markdown_document(note.content, max_characters=max_characters)
    if document.text != note.content:
        return FileContents(blocks=(), links=(), names=())
    code = code_spans(note.content, document.blocks)
    aliases = _texts(note.metadata, _ALIASES)
    names = names_of(note.external_id, title=note.title, aliases=aliases)
    return FileContents(blocks=document.blocks, links=find_links(note.content, note.external_id, code), names=names)
