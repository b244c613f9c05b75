"""Folders and files for the owner alone: mode 0700 and 0600, whatever the umask is and whatever they had before."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def private_folder(folder: Path) -> Path:
    """Make a folder, or tighten one that is there with the files in it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _tighten(folder)
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # others make and remove files meanwhile
            if not path.is_symlink() and path.is_file():
                _tighten(path)
    return folder


def open_private(path: Path, mode: str) -> IO[str]:
    """Open a text file that only its owner may read, also where it was there before."""
    file = open(path, mode, encoding="utf-8", opener=_private_opener)  # noqa: SIM115  the caller closes it
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # not a terminal or a pipe that was named as a file
        os.fchmod(file.fileno(), 0o600)
    return file


@contextmanager
def whole_file(path: Path) -> Iterator[IO[str]]:
    """A text file that stands at ``path`` once it is written whole, in the place of one that is there; until then, nothing does."""
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            yield file
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def _private_opener(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _tighten(path: Path) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & OTHERS:
        path.chmod(mode & ~OTHERS)
