"""A fourth language, added to a copy of the program as CONTRIBUTING says and used through the `brain` command."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CHECKED = ("chunks", "entity_aliases", "notes", "queries")
NOTES = (
    {
        "id": "caldaia",
        "text": "La caldaia è stata riparata il 3 maggio. Il tecnico ha mandato due fatture per il lavoro.",
    },
    {"id": "mare", "text": "Siamo andati al mare con Lucia e abbiamo mangiato il pesce alla griglia."},
    {"id": "jardin", "text": "En el jardín hay un zumaque que plantamos hace dos años."},
)
FUNCTION_WORDS = (
    "a al alla anche che chi con così cosa da dal dalla de dei del della di dove e è gli ha hanno i il in io la le lo ma mi "
    "nel nella non o per perché più quale quando quanto questo sei si siamo sono stata stato su tra un una uno"
)
MIGRATION = """
create or replace function text_search_configuration(language text) returns regconfig
    language sql immutable parallel safe
    return case language
        when 'de' then 'pg_catalog.german'::regconfig
        when 'en' then 'pg_catalog.english'::regconfig
        when 'it' then 'pg_catalog.italian'::regconfig
        else 'pg_catalog.spanish'::regconfig
    end;
""" + "".join(
    f"""
alter table {table}
    drop constraint {table}_language_check,
    add constraint {table}_language_check check (language in ('es', 'de', 'en', 'it'));
"""
    for table in CHECKED
)


def add_italian(program: Path) -> None:
    """Add a folder with Spanish grammar and Italian function words, and the migration."""
    folder = program / "rag_core/language/it"
    shutil.copytree(program / "rag_core/language/es", folder)
    for file in folder.glob("*.py"):
        file.write_text(file.read_text().replace("rag_core.language.es", "rag_core.language.it"))
    traits = folder / "traits.py"
    traits.write_text(traits.read_text().replace('"spanish"', '"italian"').replace('"¿¡ñÑ"', '""'))
    words = folder / "stop_words.py"
    words.write_text(
        re.sub(
            r"function_words=word_set\(.*?\),\n",
            f'function_words=word_set("{FUNCTION_WORDS}"),\n',
            words.read_text(),
            count=1,
            flags=re.DOTALL,
        )
    )
    (program / "rag_core/storage/migrations/9999_italian.sql").write_text(MIGRATION)


@pytest.fixture
def brain(database_url: str, tmp_path: Path) -> Callable[..., Any]:
    """Run `brain` of the copy; the JSON on stdout."""
    program = tmp_path / "program"
    for package in ("rag_core", "rag_assets", "resources"):
        shutil.copytree(ROOT / package, program / package, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("dagster.yaml", "workspace.yaml", "pyproject.toml"):
        shutil.copy(ROOT / file, program)
    add_italian(program)

    def run(*words: str) -> Any:
        done = subprocess.run(
            [Path(sys.executable).with_name("brain"), *words, "--json"],
            env=os.environ
            | {"DATABASE_URL": database_url, "BRAIN_HOME": str(tmp_path / "home"), "PYTHONPATH": str(program)},
            cwd=program,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    return run


def found(document: Any) -> list[str]:
    return [result["externalId"] for result in document["results"]]


def test_a_language_is_a_folder_and_a_migration(brain: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text("\n".join(map(json.dumps, NOTES)))

    imported = brain("import", str(file))
    brain("index")
    by_stem = brain("search", "fattura", "--strategy", "fulltext")
    of_language = brain("search", "mare", "--language", "it")
    answer = brain("ask", "Quando è stata riparata la caldaia?")

    assert imported["imported"] == 3
    assert found(by_stem) == ["caldaia"]
    assert set(found(of_language)) == {"caldaia", "mare"}
    assert "caldaia" in json.dumps(answer)
