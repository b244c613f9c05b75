"""Log files of a bounded size: what is full is copied to ``NAME.log.1`` and emptied, and older copies move on.

A program started by us writes to its log itself, so the log cannot be renamed under it (logrotate's `copytruncate`). It has
the file open for appending and goes on at the new end. What it writes between the copy's last byte and the emptying is lost.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import IO

from rag_core.home.private_files import private_folder

MAX_LOG_BYTES = 5 * 1024 * 1024
KEPT_LOGS = 3


def rotate_full_log(log: Path, *, kept: Path | None = None, max_bytes: int = MAX_LOG_BYTES) -> None:
    """Empty a log of more than ``max_bytes`` after copying its end to ``kept`` (default: the log's own path) with `.1`.

    On a full disk the log is emptied without a copy.
    """
    with suppress(OSError), _opened(log, os.O_RDWR) as source:
        if os.fstat(source.fileno()).st_size <= max_bytes:
            return
        with suppress(OSError):
            _copy_end(source, move_logs_on(kept or log), max_bytes=max_bytes)
        os.ftruncate(source.fileno(), 0)


def keep_last_log(log: Path) -> None:
    """Put the log of the start before out of the way of a new one."""
    if log.exists():
        log.replace(move_logs_on(log))


def move_logs_on(log: Path) -> Path:
    """Make room for a newest copy, dropping the oldest; where the newest goes."""
    private_folder(log.parent)
    copies = [log.with_name(f"{log.name}.{number}") for number in range(1, KEPT_LOGS + 1)]
    for older, newer in reversed(list(zip(copies[1:], copies, strict=False))):
        if newer.exists():
            newer.replace(older)
    return copies[0]


def _copy_end(source: IO[bytes], copy: Path, *, max_bytes: int) -> None:
    """Copy at most the last ``max_bytes``, which a program that writes faster than we look may have exceeded by far."""
    with _opened(copy, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as target:
        source.seek(max(0, os.fstat(source.fileno()).st_size - max_bytes))
        shutil.copyfileobj(source, target)


def _opened(path: Path, flags: int) -> IO[bytes]:
    """Open a file, but no symbolic link: PostgreSQL's log may lie in another user's folder."""
    mode = "r+b" if flags & os.O_RDWR else "wb"
    return os.fdopen(os.open(path, flags | os.O_NOFOLLOW, 0o600), mode)
