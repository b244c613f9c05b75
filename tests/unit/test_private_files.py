"""Folders and files that only their owner may read."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_core.home.private_files import open_private, private_folder


@pytest.fixture(autouse=True)
def _no_umask() -> Iterator[None]:
    """Everything that is made is open to all unless somebody cares."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_folder_and_a_new_file_are_for_the_owner_alone(tmp_path: Path) -> None:
    with open_private(private_folder(tmp_path / "run") / "lock", "w"):
        pass

    assert (mode(tmp_path / "run"), mode(tmp_path / "run" / "lock")) == (0o700, 0o600)


def test_an_existing_folder_is_tightened_with_its_files_and_links_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "elsewhere").touch(mode=0o644)
    (tmp_path / "run" / "lock").touch(mode=0o664)
    (tmp_path / "run" / "link").symlink_to(tmp_path / "elsewhere")

    private_folder(tmp_path / "run")

    assert (mode(tmp_path / "run"), mode(tmp_path / "run" / "lock")) == (0o700, 0o600)
    assert mode(tmp_path / "elsewhere") == 0o644


def test_an_existing_file_that_is_written_again_is_tightened(tmp_path: Path) -> None:
    (tmp_path / "report.html").touch(mode=0o644)

    with open_private(tmp_path / "report.html", "w") as file:
        file.write("x")

    assert mode(tmp_path / "report.html") == 0o600
