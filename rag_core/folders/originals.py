"""A file of a folder as it lies on disk, read below the folder alone."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from unicodedata import normalize

_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_FILE = os.O_RDONLY | os.O_NONBLOCK
"""A pipe that stands where the file was would be waited for."""


def read_below(folder: Path, path: str, *, max_bytes: int) -> bytes:
    """The bytes of a file by its path, see ``open_below``.

    Raises:
        OSError: it is not there, no regular file, or has more bytes.
    """
    with open_below(folder, path) as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > max_bytes:
            raise OSError(errno.EFBIG, f"no regular file of at most {max_bytes:,} bytes", path)
        return file.read(max_bytes)


@contextmanager
def open_below(folder: Path, path: str) -> Iterator[BinaryIO]:
    """A file by its path as it is recorded: relative to the folder, NFC, with ``/``. No symbolic link is followed.

    Raises:
        OSError: it is not there.
    """
    *folders, name = PurePosixPath(path).parts
    if path.startswith("/") or ".." in (*folders, name):
        raise FileNotFoundError(path)
    with ExitStack() as opened:
        at = os.open(folder, _FOLDER)
        opened.callback(os.close, at)
        for part in folders:
            at = os.open(_written(part, at), _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            opened.callback(os.close, at)
        with os.fdopen(os.open(_written(name, at), _FILE | os.O_NOFOLLOW, dir_fd=at), "rb") as file:
            yield file


def _written(name: str, folder: int) -> str:
    """A name as the disk has it, which may write letters with their accents apart."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return next((one for one in os.listdir(folder) if normalize("NFC", one) == name), name)
    return name
