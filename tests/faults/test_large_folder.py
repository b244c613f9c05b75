"""A folder of a thousand notes with twenty thousand links: taken and followed in time, and nothing embedded twice."""

import shutil
import time
from pathlib import Path

import pytest
from command_line import Brain
from folders import Vault

from rag_core.model.note import TenantId
from rag_core.storage.database import Database

FILES, LINKS = 1_000, 20
EDITED, RENAMED, REMOVED = 100, 50, 50
SECONDS_TO_IMPORT, SECONDS_TO_FOLLOW = 30, 10
VECTORS = 2
"""Of each chunk: of its text, and with its context."""


def text(number: int, word: str = "lluvia") -> str:
    links = " ".join(f"[[n{(number + step) % FILES}]]" for step in range(1, LINKS + 1))
    return f"# Nota {number}\n\nHubo {word} en el día {number}. {links}"


@pytest.mark.slow
def test_a_large_folder_is_taken_and_followed_in_time(
    brain: Brain, database: Database, tenant: TenantId, tmp_path: Path
) -> None:
    vault = Vault(path=tmp_path / "vault", database=database, tenant=tenant)
    for number in range(FILES):
        vault.write(f"d{number % 9}/n{number}.md", text(number))

    began = time.perf_counter()
    brain("import", vault.path, "--json")
    assert time.perf_counter() - began < SECONDS_TO_IMPORT
    assert vault.rows("select count(*) from note_links") == [(FILES * LINKS,)]
    assert brain("search", "lluvia en el día 733", "--strategy", "fulltext", "--json").json["results"]
    assert brain("index", "--json").json["embedded"] == VECTORS * FILES

    paths = sorted(vault.path.rglob("*.md"))
    for path in paths[:EDITED]:
        vault.write(str(path.relative_to(vault.path)), text(int(path.stem[1:]), "nieve"))
    for path in paths[EDITED : EDITED + RENAMED]:
        shutil.move(path, path.with_stem(f"{path.stem}-viejo"))
    for path in paths[-REMOVED:]:
        path.unlink()
    began = time.perf_counter()
    report = brain("import", vault.path, "--prune", "--json").json
    assert time.perf_counter() - began < SECONDS_TO_FOLLOW

    assert (report["imported"], report["updated"], report["removed"]) == (0, EDITED + RENAMED, REMOVED)
    assert brain("index", "--json").json["embedded"] == VECTORS * EDITED
    assert vault.notes() == {
        str(path.relative_to(vault.path)): path.read_text(encoding="utf-8") for path in vault.path.rglob("*.md")
    }
