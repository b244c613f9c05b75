"""The project's sources for the tests that read all of them: each file is parsed once a process.

Such tests stand in the group ``SOURCES`` of pytest-xdist, which one worker runs.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("rag_core", "rag_assets", "resources")
SOURCES = pytest.mark.xdist_group("sources")
Nodes = tuple[ast.AST, ...]


def nodes(source: str) -> Nodes:
    """Every node of a source, its module first."""
    return tuple(ast.walk(ast.parse(source)))


@cache
def nodes_of(path: Path) -> Nodes:
    """Every node of a file."""
    return nodes(path.read_text(encoding="utf-8"))


@cache
def modules() -> list[Path]:
    """The files of all packages."""
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
