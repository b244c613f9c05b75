"""Opening of an import of folders from the settings."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rag_core.errors import ParserOptionError
from rag_core.folders.importing import FolderImport
from rag_core.folders.reading import FileReading
from rag_core.model.note import Language, TenantId
from rag_core.parsing import ParsingLimits
from rag_core.parsing.routing import RoutedParser
from rag_core.parsing.services import ParsingService, ServiceName
from rag_core.parsing.services.docling import DoclingService
from rag_core.parsing.services.llamaparse import LlamaParseService
from rag_core.parsing.services.options import DoclingOptions, FallbackConditions, ParserOptions
from rag_core.settings import Settings
from rag_core.storage.database import Database


@contextmanager
def open_folder_import(
    settings: Settings,
    database: Database,
    tenant: TenantId,
    *,
    source: str,
    language: Language | None = None,
    on_progress: Callable[[int], None] = lambda _bytes: None,
    on_waiting: Callable[[float], None] = lambda _seconds: None,
) -> Iterator[FolderImport]:
    """An import into one source; the processes that parse end with it."""
    reading = file_reading(settings, source=source, language=language)
    with open_parser(settings) as parser:
        yield FolderImport(
            database=database,
            tenant=tenant,
            reading=reading,
            parser=parser,
            on_progress=on_progress,
            on_waiting=on_waiting,
        )


def open_parser(
    settings: Settings, *, given: Mapping[str, Any] | None = None, classification: object = None, **arguments: Any
) -> RoutedParser:
    """A parser with the services that are set up, and may read a file of this classification; ``given`` are an upload's options.

    Raises:
        ParserOptionError: an option cannot be honoured.
    """
    options, limits = parser_options(settings).changed(given or {}), parsing_limits(settings)
    services: dict[ServiceName, ParsingService] = {}
    if settings.docling_url is not None:
        services["docling"] = open_docling(settings, settings.docling_url, options.docling)
    if settings.llamaparse_api_key is not None and str(classification) in classifications_that_leave(settings):
        services["llamaparse"] = LlamaParseService(
            address=settings.llamaparse_url,
            api_key=settings.llamaparse_api_key,
            options=options.llamaparse,
            max_bytes=limits.max_bytes,
        )
    for name in {*(given or {}), options.primary if "primary" in (given or {}) else ""} & {"docling", "llamaparse"}:
        if name not in services:
            raise ParserOptionError(
                f"{name} is not set up for this file; leave it out of parseOptions, or ask the operator"
            )
    return RoutedParser(limits, services=services, options=options, **arguments)


def open_docling(settings: Settings, address: str, options: DoclingOptions) -> DoclingService:
    """The service at an address; contacts nobody."""
    most = options.max_file_size or parsing_limits(settings).max_bytes
    return DoclingService(address=address, api_key=settings.docling_api_key, options=options, max_bytes=most)


def classifications_that_leave(settings: Settings) -> frozenset[str]:
    """Classifications of the uploads that may be sent to LlamaParse."""
    named = settings.llamaparse_classifications.split(",") if settings.llamaparse_enabled else []
    return frozenset(name.strip() for name in named) - {""}


def parser_options(settings: Settings) -> ParserOptions:
    """The operator's options of parsers."""
    conditions = {name.strip() for name in settings.parser_fallbacks.split(",")}
    return ParserOptions(
        primary=settings.parser_primary,
        fallback_conditions=FallbackConditions(
            **{name: name in conditions for name in FallbackConditions.model_fields}
        ),
        validate_output=settings.parser_validate,
        docling=DoclingOptions(
            ocr_enabled=settings.docling_ocr_enabled,
            ocr_languages=tuple(code.strip() for code in settings.docling_ocr_languages.split(",")),
            table_extraction_mode=settings.docling_table_mode,
        ),
    )


def file_reading(settings: Settings, *, source: str, language: Language | None = None) -> FileReading:
    """The reading of files into notes of a source."""
    limits = parsing_limits(settings)
    return FileReading(
        source=source,
        language=language,
        zone=settings.zone,
        max_characters=limits.max_characters,
        max_bytes=limits.max_bytes,
    )


def parsing_limits(settings: Settings) -> ParsingLimits:
    """The bounds of one file."""
    return ParsingLimits(
        max_bytes=settings.document_max_mb * 1_000_000,
        max_pages=settings.document_max_pages,
        max_characters=settings.max_note_characters,
        seconds=settings.document_seconds,
        memory_bytes=settings.document_memory_mb * 1_000_000,
    )
