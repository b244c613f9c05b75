"""A home that the database server's own user may enter."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_core.storage.embedded import stop


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty home; its server is stopped afterwards."""
    folder = tmp_path_factory.mktemp("installation") / "brain"
    folder.mkdir()
    for parent in (folder, *folder.parents):
        if parent == Path(parent.anchor) or parent.stat().st_uid != os.getuid():
            break
        parent.chmod(parent.stat().st_mode | 0o055)
    yield folder
    stop(folder)
