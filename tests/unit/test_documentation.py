"""Agreement of the documents with the program."""

import importlib
import json
import pkgutil
import re
from pathlib import Path

import pytest
import typer

import rag_core.cli
from rag_core.cli.app import app
from rag_core.configuration.schema import DEFAULT_RETRIEVAL_CONFIG
from rag_core.settings import Settings, variable_of
from rag_core.storage.embedded_settings import settings_for
from rag_core.storage.queries import query

for _module in pkgutil.iter_modules(rag_core.cli.__path__):  # they register the commands
    importlib.import_module(f"rag_core.cli.{_module.name}")

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = sorted(typer.main.get_command(app).commands)

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def without_code(path: Path) -> str:
    """The text of a document without its blocks of code."""
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", without_code(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_somewhere(path: Path, link: str) -> bool:
    file, _, anchor = link.partition("#")
    target = path.parent / file if file else path
    return target.exists() and (not anchor or anchor in anchors(target))


def test_the_table_of_variables_has_every_setting() -> None:
    table = text("docs/configuration.md")

    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", table, re.MULTILINE))

    assert documented == set(map(variable_of, Settings.model_fields))


def test_the_documented_retrieval_configuration_is_the_default() -> None:
    block = re.search(r"```json\n(.*?)```", text("docs/configuration.md"), re.DOTALL)

    searched = {name: value for name, value in DEFAULT_RETRIEVAL_CONFIG.to_wire().items() if name != "chunking"}
    assert json.loads(block.group(1)) == searched  # a request that names chunking is refused


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme(command: str) -> None:
    assert f"brain {command}" in text("README.md")


def test_every_setting_of_the_embedded_server_that_is_explained_exists() -> None:
    explained = set(re.findall(r"^\| `([a-z_]+)` \|", text("docs/operations/database.md"), re.MULTILINE))

    assert explained <= set(settings_for(8 * 1024**3, 1024**4, Path("/run"), shared_buffers_mb=None))


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_files_and_folders_named_in_the_documents_exist(path: Path) -> None:
    named = re.findall(
        r"`((?:rag_core|rag_assets|resources|tests|docs|deploy|examples)/[\w./-]+)", path.read_text(encoding="utf-8")
    )

    assert [name for name in named if not (ROOT / name.rstrip(".")).exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_to_a_file_and_a_heading(path: Path) -> None:
    links = re.findall(r"\]\(([^)\s:]+)\)", re.sub(r"`[^`]*`", "", without_code(path)))

    assert [link for link in links if not leads_somewhere(path, link)] == []


def test_every_named_query_says_what_it_is_named_once() -> None:
    names = [
        name
        for file in (ROOT / "rag_core/storage/queries").glob("*.sql")
        for name in re.findall(r"^-- name: (\w+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]

    assert len(names) == len(set(names))
    assert all(query(name) for name in names)


def test_every_named_query_is_used() -> None:
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("rag_core", "rag_assets", "tests")
        for path in (ROOT / folder).rglob("*.py")
    )
    names = [
        name
        for file in (ROOT / "rag_core/storage/queries").glob("*.sql")
        for name in re.findall(r"^-- name: (\w+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]

    assert [name for name in names if f'"{name}"' not in code] == []
