"""Docstrings begin with the thing they describe, or with a verb."""

import ast
from collections.abc import Iterator

import pytest
from sources import ROOT, SOURCES, Nodes, modules, nodes, nodes_of

pytestmark = SOURCES
RIDDLES = ("What ", "Whether ", "How ", "The same ")


def docstrings(parsed: Nodes) -> Iterator[str]:
    """The docstrings of a module and of all in it."""
    for node in parsed:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def test_no_docstring_begins_with_a_subordinate_clause() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {text[:60]}"
        for path in modules()
        for text in docstrings(nodes_of(path))
        if text.startswith(RIDDLES)
    }

    assert found == set()


@pytest.mark.parametrize("text", ["What a search asks.", "Whether it is open.", "How it ends.", "The same in Spanish."])
def test_a_planted_one_is_found(text: str) -> None:
    planted = nodes(f'def function():\n    """{text}"""\n')

    assert [one for one in docstrings(planted) if one.startswith(RIDDLES)] == [text]
