"""A file system of 300 MB to fill and to empty, and notes to fill it with."""

import json
import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

SIZE_MB = 300
MEBIBYTE = 1024 * 1024
NOT_PERMITTED = "mounting a file system is not permitted"
_SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "la",
    "me",
    "ni",
    "po",
    "ru",
    "sa",
    "te",
    "vi",
    "zo",
    "cha",
    "lle",
    "ño",
    "qui",
    "tra",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallDisk:
    """A mounted file system, with a file that takes up room on it."""

    folder: Path

    @property
    def free_bytes(self) -> int:
        """Bytes that are free for users."""
        figures = os.statvfs(self.folder)
        return figures.f_bavail * figures.f_frsize

    def leave(self, megabytes: int) -> None:
        """Take up all room but so much."""
        self.empty()
        with (self.folder / "ballast").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(1, self.free_bytes - megabytes * MEBIBYTE))

    def fill(self) -> None:
        """Take up all room there is at this moment."""
        file = os.open(self.folder / "ballast", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for size in (MEBIBYTE, 4096):
            with suppress(OSError):
                while True:
                    os.write(file, b"\1" * size)
        os.close(file)

    def empty(self) -> None:
        """Give back what was taken up."""
        (self.folder / "ballast").unlink(missing_ok=True)


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """Mount the file system at a folder; where that is not permitted the test is skipped."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m,mode=0755", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip(NOT_PERMITTED)
    try:
        yield SmallDisk(folder=folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def write_notes(file: Path, count: int, *, words: int = 350) -> None:
    """A file of notes without rhyme or reason, always the same for the same count: each takes some 50 kB in the database."""
    chance = random.Random(count)
    vocabulary = ["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 3))) for _ in range(6000)]
    with file.open("w", encoding="utf-8") as lines:
        for number in range(count):
            text = ". ".join(" ".join(chance.choices(vocabulary, k=10)).capitalize() for _ in range(words // 10))
            lines.write(json.dumps({"id": f"n{number}", "text": f"{text}."}, ensure_ascii=False) + "\n")
