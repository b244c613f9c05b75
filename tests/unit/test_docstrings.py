"""Docstrings begin with the thing they describe, or with a verb."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("rag_core", "rag_assets", "resources")
RIDDLES = ("What ", "Whether ", "How ", "The same ")


def docstrings(source: str) -> Iterator[str]:
    """The docstrings of a module and of all in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def test_no_docstring_begins_with_a_subordinate_clause() -> None:
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]

    found = {
        f"{path.relative_to(ROOT)}: {text[:60]}"
        for path in paths
        for text in docstrings(path.read_text(encoding="utf-8"))
        if text.startswith(RIDDLES)
    }

    assert found == set()


@pytest.mark.parametrize("text", ["What a search asks.", "Whether it is open.", "How it ends.", "The same in Spanish."])
def test_a_planted_one_is_found(text: str) -> None:
    planted = f'def function():\n    """{text}"""\n'

    assert [one for one in docstrings(planted) if one.startswith(RIDDLES)] == [text]
