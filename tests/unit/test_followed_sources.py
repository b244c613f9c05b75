from datetime import UTC, datetime
from pathlib import Path

import pytest

from rag_core.errors import ConflictError
from rag_core.folders.sources import following
from rag_core.storage.documents import StoredFolder


def followed(path: Path, source: str) -> StoredFolder:
    return StoredFolder(
        source=source,
        path=str(path),
        is_watched=True,
        exclude=[],
        language=None,
        problem=None,
        imported_at=datetime(2026, 3, 4, tzinfo=UTC),
        indexed=0,
        waiting=0,
        refused=0,
        failed=0,
    )


@pytest.fixture
def nested(tmp_path: Path) -> list[StoredFolder]:
    """A followed folder within another, each with a file."""
    inner = tmp_path / "inner"
    inner.mkdir()
    for folder in (tmp_path, inner):
        (folder / "note.md").write_text("Uno")
    return [followed(tmp_path, "A"), followed(inner, "B")]


@pytest.mark.parametrize(
    ("below", "source", "expected"),
    [
        ("inner", None, "B"),
        ("inner", "B", "B"),
        ("inner/note.md", None, "B"),
        ("inner/note.md", "A", "A"),
        ("", None, "A"),
    ],
)
def test_of_folders_within_each_other_the_one_meant_takes_a_path(nested, tmp_path, below, source, expected) -> None:
    found = following(nested, tmp_path / below, source)

    assert found is not None
    assert found.source == expected


def test_a_folder_of_another_source_is_refused(nested, tmp_path) -> None:
    with pytest.raises(ConflictError, match="followed already"):
        following(nested, tmp_path / "inner", "C")
