"""The length of test files."""

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
MAX_LINES = 400


def test_no_file_of_tests_is_over_four_hundred_lines() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in TESTS.rglob("*.py")}

    too_long = {path.relative_to(TESTS).as_posix(): lines for path, lines in lengths.items() if lines > MAX_LINES}

    assert len(lengths) > 100
    assert too_long == {}
