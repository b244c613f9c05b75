"""Enrichment of a document, and facts about its file, on the wire."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from rag_core.api.schemas import Moment, Score
from rag_core.language.languages import language_of
from rag_core.model.enrichment import DocumentType, NoteEnrichment
from rag_core.model.note import Note
from rag_core.storage.note_enrichments import FileFacts
from rag_core.storage.uploads import UploadState
from rag_core.wire.values import moment_to_wire


class EnrichedMetadata(BaseModel):
    """Facts about a document and its file; what is told of the text is null until it was indexed."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)

    filename: str
    file_type: str | None
    uploaded_at: Moment | None
    uploaded_by: str | None = Field(description="Name of the key that sent it first; null without keys.")
    language: str
    document_type: DocumentType | None
    document_type_confidence: Score | None = Field(description="Null where a chat model told the type.")
    topics: list[str]
    summary: str | None = Field(description="Sentences of the text or, where `madeBy` is a chat model, its words.")
    key_phrases: list[str]
    reading_level: float | None = Field(description="0, very hard, to 100, very easy.")
    reading_formula: str | None = Field(examples=["Flesch", "Fernández Huerta", "Amstad"])
    made_by: str | None = Field(examples=["rules", "qwen2.5:7b"])
    page_count: int | None
    word_count: int | None
    table_count: int | None
    image_count: int | None
    section_count: int | None
    parser_confidence: Score | None
    extraction_warnings: list[str]
    classification: str | None
    visibility: str
    department: str | None


def metadata_to_wire(
    note: Note,
    upload: UploadState,
    file: FileFacts | None,
    told: NoteEnrichment | None,
    *,
    translate: Callable[[str], str],
) -> dict[str, Any]:
    """The facts by their names on the wire; ``translate`` puts warnings into the caller's language."""
    uploaded_at = file.uploaded_at if file else None
    return {
        "filename": upload.path,
        "fileType": file.format if file else None,
        "uploadedAt": moment_to_wire(uploaded_at) if uploaded_at else None,
        "uploadedBy": file.uploaded_by if file else None,
        "language": note.language,
        **_told(note, told),
        "pageCount": upload.pages,
        "parserConfidence": upload.parser_confidence,
        "extractionWarnings": [translate(warning) for warning in upload.warnings],
        "classification": _text(note, "classification"),
        "visibility": _text(note, "visibility") or "tenant",
        "department": _text(note, "department"),
    }


def _told(note: Note, told: NoteEnrichment | None) -> dict[str, Any]:
    has_ease = told is not None and told.reading_ease is not None
    return {
        "documentType": told and told.document_type,
        "documentTypeConfidence": told and told.type_confidence,
        "topics": list(told.topics) if told else [],
        "summary": told and told.summary,
        "keyPhrases": list(told.key_phrases) if told else [],
        "readingLevel": told and told.reading_ease,
        "readingFormula": language_of(note.language).traits.reading_ease.name if has_ease else None,
        "madeBy": told and told.made_by,
        "wordCount": told and told.words,
        "tableCount": told and told.tables,
        "imageCount": told and told.images,
        "sectionCount": told and told.sections,
    }


def _text(note: Note, name: str) -> str | None:
    value = note.metadata.get(name)
    return value if isinstance(value, str) else None
