"""Opening of an import of folders from the settings."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rag_core.folders.importing import FolderImport
from rag_core.folders.reading import FileReading
from rag_core.model.note import Language, TenantId
from rag_core.parsing import ParsingLimits
from rag_core.parsing.working import DocumentParser
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
    with DocumentParser(parsing_limits(settings)) as parser:
        yield FolderImport(
            database=database,
            tenant=tenant,
            reading=reading,
            parser=parser,
            on_progress=on_progress,
            on_waiting=on_waiting,
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
