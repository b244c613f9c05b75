"""A home that the database server's own user may enter."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .installation import home_in


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty home; its server is stopped afterwards."""
    with home_in(tmp_path_factory) as folder:
        yield folder
