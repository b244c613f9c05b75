"""The process that parses files for another: ``python -m rag_core.parsing.worker``.

A request, (file, limits, what is wished instead of the document) pickled on stdin, is answered by a line of JSON on stdout, after
lines "pages read/pages". The process ends with its stdin, so with its parent, also while it parses.
"""

import math
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import PurePath
from queue import SimpleQueue
from threading import Thread
from typing import Literal

from pydantic import TypeAdapter

from rag_core.errors import DocumentFailedError, DocumentRefusedError, RagError, UnreadableDocumentError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import FORMATS, ParsingLimits, SourceFile
from rag_core.parsing.page_pictures import PagePicture, PageWish, draw_page
from rag_core.parsing.page_progress import pages_told
from rag_core.parsing.recognising import format_of
from rag_core.parsing.table_scan import count_tables

Wish = PageWish | Literal["count tables"] | None
Request = tuple[SourceFile, ParsingLimits, Wish]
_NICENESS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReply:
    """The answer to one request: a document, the picture of a page or the number of tables, or why there is none."""

    document: ParsedDocument | None = None
    picture: PagePicture | None = None
    tables: int | None = None
    refusal: str | None = None
    is_unreadable: bool = False
    failure: str | None = None


REPLIES = TypeAdapter(WorkerReply)
"""Replies as JSON: the parent unpickles nothing from a process that reads hostile files."""


def recognise_file(file: SourceFile) -> str:
    """Name of a file's format; see ``format_of``.

    Raises:
        DocumentFailedError: the recognition of a format has a defect. Or see ``format_of``.
    """
    with _defects_named("recognition"):
        return format_of(file)


def parse_here(file: SourceFile, format_name: str, limits: ParsingLimits) -> ParsedDocument:
    """Parse a file in this process, whatever time it takes.

    Raises:
        DocumentRefusedError: the file cannot be taken.
        DocumentFailedError: memory ran out, or the parser has a defect.
    """
    with _defects_named(f"the parser of {format_name}"):
        return FORMATS.get(format_name).parse(file, limits)


@contextmanager
def _defects_named(who: str) -> Iterator[None]:
    """Failures without the text of the file, which messages of libraries may quote."""
    try:
        yield
    except RagError:
        raise
    except MemoryError as error:
        raise DocumentFailedError(
            f"{who} ran out of memory; split the file, or raise BRAIN_DOCUMENT_MEMORY_MB"
        ) from error
    except Exception as error:  # whatever a library raises for a hostile file fails that file alone
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} in {PurePath(last.filename).name}, line {last.lineno}"
        raise DocumentFailedError(
            f"{who} failed ({place}); save the file again in the program it comes from"
        ) from error


def _main() -> None:
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as replies:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library that prints would spoil the replies
        requests: SimpleQueue[Request] = SimpleQueue()
        Thread(target=_receive, args=(requests,), daemon=True).start()
        if hasattr(os, "nice"):
            os.nice(_NICENESS)

        def write(line: bytes) -> None:
            replies.write(line + b"\n")
            replies.flush()

        while True:
            with pages_told(lambda done, total: write(b"%d/%d" % (done, total))):
                reply = _reply(*requests.get())
            write(reply)


def _receive(requests: "SimpleQueue[Request]") -> None:
    """Take requests until the parent is gone, then end the process at once."""
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))  # noqa: S301  the parent wrote it
    finally:
        os._exit(1)


def _reply(file: SourceFile, limits: ParsingLimits, wish: Wish) -> bytes:
    _bound(limits)
    try:
        name = recognise_file(file)
        if wish == "count tables":
            with _defects_named(f"the count of tables of {name}"):
                return REPLIES.dump_json(WorkerReply(tables=count_tables(file, name, limits)))
        if wish is not None:
            with _defects_named(f"the drawing of pages of {name}"):
                return REPLIES.dump_json(WorkerReply(picture=draw_page(file, name, wish, limits)))
        document = parse_here(file, name, limits)
        with _defects_named(f"the result of the parser of {name}"):
            return REPLIES.dump_json(WorkerReply(document=document))
    except DocumentRefusedError as error:
        return REPLIES.dump_json(
            WorkerReply(refusal=str(error), is_unreadable=isinstance(error, UnreadableDocumentError))
        )
    except RagError as error:
        return REPLIES.dump_json(WorkerReply(failure=str(error)))
    finally:
        _set_alarm(0)


def _bound(limits: ParsingLimits) -> None:
    """Bound the memory, and the time in case that the parent is gone and code that holds the interpreter's lock goes on.

    RLIMIT_DATA counts what is allocated, not address space that is merely reserved, of which threads and models take much.
    Windows has no such limit, and macOS does not enforce it.
    """
    with suppress(ImportError, ValueError, OSError):  # not there, or the limit of the system is lower already
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (limits.memory_bytes, hard))
    _set_alarm(math.ceil(limits.seconds) + 1)


def _set_alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


if __name__ == "__main__":
    _main()
