"""The arrows of imports around the API."""

import ast
from pathlib import Path

import pytest

import rag_core

ROOT = Path(rag_core.__file__).parent
WEB = {"fastapi", "starlette", "uvicorn", "jinja2", "markupsafe"}


def imported(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_only_the_api_imports_the_web_framework() -> None:
    outside = [file for file in ROOT.rglob("*.py") if ROOT / "api" not in file.parents]

    assert [str(file) for file in outside if imported(file) & WEB] == []


@pytest.mark.parametrize("driver", ["psycopg", "psycopg_pool", "pgvector", "dagster"])
def test_the_api_does_not_import_the_database_driver(driver: str) -> None:
    assert [str(file) for file in (ROOT / "api").rglob("*.py") if driver in imported(file)] == []
