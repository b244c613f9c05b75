"""Pictures of the pages that notes were made of, drawn in a process of their own from the file as it was read."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePosixPath
from threading import BoundedSemaphore

from rag_core.errors import BusyError
from rag_core.folders.opening import parsing_limits
from rag_core.model.note import TenantId
from rag_core.parsing import SourceFile
from rag_core.parsing.page_pictures import PagePicture, PageWish
from rag_core.parsing.working import DocumentParser
from rag_core.settings import Settings
from rag_core.storage.cited_pages import FileOfNote
from rag_core.storage.database import Database
from rag_core.uploads.originals import read_original

MAX_SECONDS = 15.0
"""Time for one page, whatever a file may take to be parsed: somebody waits for it."""
AT_ONCE = 2
_places = BoundedSemaphore(AT_ONCE)


def page_picture(
    database: Database, tenant: TenantId, settings: Settings, file: FileOfNote, wish: PageWish
) -> PagePicture:
    """Draw a page of the file that a note was made of, in a process that reads no file of anybody else.

    Raises:
        ConflictError: see ``read_original``.
        BusyError: as many pages are being drawn as may be, and none was done in time.
        DocumentRefusedError, DocumentFailedError: see ``DocumentParser.draw``.
    """
    limits = parsing_limits(settings)
    limits = replace(limits, seconds=min(limits.seconds, MAX_SECONDS))
    with _place(settings.request_timeout_ms / 1000), DocumentParser(limits, workers=1) as parser:
        content = read_original(database, tenant, file, max_bytes=limits.max_bytes)
        return parser.draw(SourceFile(name=PurePosixPath(file.path).name, data=content), wish)


@contextmanager
def _place(seconds: float) -> Iterator[None]:
    if not _places.acquire(timeout=seconds):
        raise BusyError(f"{AT_ONCE} pages are being drawn already; try again")
    try:
        yield
    finally:
        _places.release()
