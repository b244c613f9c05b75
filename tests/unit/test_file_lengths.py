"""The length of files."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = 400


@pytest.mark.parametrize(("folder", "least"), [("tests", 400), ("rag_core", 500), ("rag_assets", 20), ("resources", 2)])
def test_no_file_is_over_four_hundred_lines(folder: str, least: int) -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / folder).rglob("*.py")}

    too_long = {path.relative_to(ROOT).as_posix(): lines for path, lines in lengths.items() if lines > MAX_LINES}

    assert len(lengths) > least
    assert too_long == {}
