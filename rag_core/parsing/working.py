"""Parsing in processes that can be killed: no file takes the caller's time or memory, or ends its process."""

import os
import pickle
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import LifoQueue
from threading import Event, Lock, Timer
from typing import Self

import psutil
from pydantic import ValidationError

from rag_core.errors import DocumentFailedError, DocumentRefusedError, UnreadableDocumentError
from rag_core.model.document import ParsedDocument
from rag_core.parsing import ParsingLimits, SourceFile
from rag_core.parsing.page_pictures import PagePicture, PageWish
from rag_core.parsing.page_progress import OnPage
from rag_core.parsing.recognising import suffix_of
from rag_core.parsing.worker import REPLIES, Request, Wish, WorkerReply, parse_here, recognise_file

_LIGHT_SUFFIXES = (".md", ".markdown", ".txt")
_LIGHT_FORMATS = ("md", "txt")
_LIGHT_BYTES = 100_000
"""The most hostile Markdown of that size takes less than a second."""
_FILES_PER_PROCESS = 500
_MAX_ANSWER_BYTES = 200_000_000
_PAGES = re.compile(rb"\d{1,9}/\d{1,9}\n")
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
"""Threads of libraries would reserve memory for each core."""


class DocumentParser:
    """Parses files, as many at a time as there are workers: processes that are started when first needed.

    Small Markdown and plain text files are parsed in the caller's process. ``workers`` is 1 or 2 by default, as there are
    processors. Any number of threads may use it; leaving it as a context manager ends the processes, and parsing under way
    fails. ``on_page`` is told how many pages of a file are read, of how many; what it raises ends the parsing.
    """

    def __init__(
        self, limits: ParsingLimits, *, workers: int | None = None, on_page: OnPage = lambda _done, _total: None
    ) -> None:
        self._limits = limits
        self.workers = workers or min(2, os.cpu_count() or 1)
        self._workers = tuple(_Worker(limits, on_page) for _ in range(self.workers))
        self._idle: LifoQueue[_Worker] = LifoQueue()
        for worker in self._workers:
            self._idle.put(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.close()

    def parse(self, file: SourceFile) -> ParsedDocument:
        """Parse a file.

        Raises:
            DocumentRefusedError: the file cannot be taken.
            DocumentFailedError: the parser had a defect, or needed more time or memory than the limits allow.
            ConfigurationError: a plugin cannot be imported.
        """
        if len(file.data) > self._limits.max_bytes:
            size, limit = len(file.data) / 1e6, self._limits.max_bytes / 1e6
            raise DocumentRefusedError(
                f"the file has {size:,.1f} MB, and {limit:,.0f} are allowed; split it, or raise BRAIN_DOCUMENT_MAX_MB"
            )
        if _may_be_light(file) and (name := recognise_file(file)) in _LIGHT_FORMATS:
            return parse_here(file, name, self._limits)
        if (document := self._ask(file, None).document) is None:
            raise _no_document()
        return document

    def draw(self, file: SourceFile, wish: PageWish) -> PagePicture:
        """Draw a page of a file whose format has page pictures.

        Raises:
            DocumentRefusedError: the file or the page cannot be opened.
            DocumentFailedError: see ``parse``.
        """
        if (picture := self._ask(file, wish).picture) is None:
            raise _no_document()
        return picture

    def count_tables(self, file: SourceFile) -> int | None:
        """Tables by a cheap count; None where it cannot be made."""
        try:
            return self._ask(file, "count tables").tables
        except (DocumentRefusedError, DocumentFailedError):
            return None

    def _ask(self, file: SourceFile, wish: Wish) -> WorkerReply:
        worker = self._idle.get()
        try:
            return worker.ask(file, wish)
        finally:
            self._idle.put(worker)


class _Worker:
    """A process that parses a file at a time, and its successors."""

    def __init__(self, limits: ParsingLimits, on_page: OnPage) -> None:
        self._limits = limits
        self._on_page = on_page
        self._lock = Lock()
        self._is_closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._files = 0

    def ask(self, file: SourceFile, wish: Wish) -> WorkerReply:
        process = self._started()
        try:
            with _killed_after(self._limits.seconds, process) as is_late:
                answer = _ask(process, (file, self._limits, wish), self._on_page)
        except BaseException:  # interrupted: the answer that is still to come is to no later question
            self._end()
            raise
        if not answer:
            self._end()
            raise DocumentFailedError(self._reason(process.returncode, is_late=is_late.is_set()))
        self._files += 1
        if is_late.is_set() or self._is_worn(process):
            self._end()
        return _reply(answer)

    def close(self) -> None:
        self._is_closed = True
        self._end()

    def _started(self) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._is_closed:
                raise DocumentFailedError("parsing was stopped")
            if self._process is None:
                self._files = 0
                self._process = _start()
            return self._process

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError):
                process.__exit__(None, None, None)

    def _is_worn(self, process: "subprocess.Popen[bytes]") -> bool:
        if self._files >= _FILES_PER_PROCESS:
            return True
        with suppress(psutil.Error):
            return bool(psutil.Process(process.pid).memory_info().rss > self._limits.memory_bytes / 2)
        return True

    def _reason(self, status: int, *, is_late: bool) -> str:
        if is_late:
            limit = self._limits.seconds
            return f"parsing took more than {limit:g} seconds; split the file, or raise BRAIN_DOCUMENT_SECONDS"
        if self._is_closed:
            return "parsing was stopped"
        if hasattr(signal, "SIGKILL") and status == -signal.SIGKILL:
            return "the parser was killed, probably because memory ran out; split the file"
        return f"the parser crashed (status {status}); save the file again in the program it comes from"


def _start() -> "subprocess.Popen[bytes]":
    """A process of its own group, which Ctrl-C does not reach; its stderr may quote files and is not shown."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "rag_core.parsing.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | _ENVIRONMENT,
        process_group=0,
    )


@contextmanager
def _killed_after(seconds: float, process: "subprocess.Popen[bytes]") -> Iterator[Event]:
    """Kill a process that is not done in time; the event says that it was."""
    is_late = Event()

    def kill() -> None:
        is_late.set()
        process.kill()

    timer = Timer(seconds, kill)
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()
        timer.join()


def _ask(process: "subprocess.Popen[bytes]", request: Request, on_page: OnPage) -> bytes:
    """The line that answers a request, after those that tell of pages; empty if the process ended without one."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError, ValueError):  # it died, or was closed by another thread
        pickle.dump(request, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()
        while _PAGES.fullmatch(answer := process.stdout.readline(_MAX_ANSWER_BYTES)):
            done, _, total = answer.partition(b"/")
            on_page(int(done), int(total))
        if answer.endswith(b"\n"):
            return answer
        if answer:
            process.kill()
    process.wait()
    return b""


def _reply(answer: bytes) -> WorkerReply:
    try:
        reply = REPLIES.validate_json(answer)
    except ValidationError:
        raise _no_document() from None  # the cause quotes the file
    if reply.refusal is not None:
        raise (UnreadableDocumentError if reply.is_unreadable else DocumentRefusedError)(reply.refusal)
    if reply.failure is not None:
        raise DocumentFailedError(reply.failure)
    return reply


def _no_document() -> DocumentFailedError:
    return DocumentFailedError("the parser gave no valid document")


def _may_be_light(file: SourceFile) -> bool:
    return len(file.data) <= _LIGHT_BYTES and suffix_of(file.name) in _LIGHT_SUFFIXES
