"""Pictures of the pages that notes were made of, drawn in a process of their own from the file as it was read."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from threading import BoundedSemaphore

from rag_core.errors import BusyError, ConflictError
from rag_core.folders.opening import parsing_limits
from rag_core.folders.originals import read_below
from rag_core.model.note import TenantId
from rag_core.parsing import SourceFile
from rag_core.parsing.page_pictures import PagePicture, PageWish
from rag_core.parsing.working import DocumentParser
from rag_core.settings import Settings
from rag_core.storage.cited_pages import FileOfNote, fetch_place_of_folder
from rag_core.storage.database import Database
from rag_core.storage.uploads import fetch_original

MAX_SECONDS = 15.0
"""Time for one page, whatever a file may take to be parsed: somebody waits for it."""
AT_ONCE = 2
_places = BoundedSemaphore(AT_ONCE)


def page_picture(
    database: Database, tenant: TenantId, settings: Settings, file: FileOfNote, wish: PageWish
) -> PagePicture:
    """Draw a page of the file that a note was made of, in a process that reads no file of anybody else.

    Raises:
        ConflictError: the file is gone, or is not what was read any more.
        BusyError: as many pages are being drawn as may be, and none was done in time.
        DocumentRefusedError, DocumentFailedError: see ``DocumentParser.draw``.
    """
    limits = parsing_limits(settings)
    limits = replace(limits, seconds=min(limits.seconds, MAX_SECONDS))
    with _place(settings.request_timeout_ms / 1000), DocumentParser(limits, workers=1) as parser:
        content = _content(database, tenant, file, max_bytes=limits.max_bytes)
        return parser.draw(SourceFile(name=PurePosixPath(file.path).name, data=content), wish)


@contextmanager
def _place(seconds: float) -> Iterator[None]:
    if not _places.acquire(timeout=seconds):
        raise BusyError(f"{AT_ONCE} pages are being drawn already; try again")
    try:
        yield
    finally:
        _places.release()


def _content(database: Database, tenant: TenantId, file: FileOfNote, *, max_bytes: int) -> bytes:
    content = (_uploaded if file.is_upload else _on_disk)(database, tenant, file, max_bytes)
    if content is None or hashlib.sha256(content).digest() != file.file_hash:
        raise ConflictError(f"{file.path} is gone, or changed since it was read; import its folder again")
    return content


def _uploaded(database: Database, tenant: TenantId, file: FileOfNote, _max_bytes: int) -> bytes | None:
    assert file.file_hash is not None
    with database.transaction(tenant) as connection:
        return fetch_original(connection, tenant, file.file_hash)


def _on_disk(database: Database, tenant: TenantId, file: FileOfNote, max_bytes: int) -> bytes | None:
    folder = fetch_place_of_folder(database, tenant, file.source)
    try:
        return None if folder is None else read_below(Path(folder), file.path, max_bytes=max_bytes)
    except OSError:
        return None
