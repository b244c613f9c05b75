"""An import of a folder that is killed again and again: whatever was stored is whole, and the next one ends the work."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import BRAIN, Brain

from rag_core.model.note import TenantId
from rag_core.storage.database import Database

KILLS = 5
FILES = 1_100
"""More than five batches."""


def texts() -> dict[str, str]:
    return {
        f"d{number % 9}/n{number}.md": f"# Nota {number}\n\nVer [[n{number + 1}]]. #t{number}"
        for number in range(FILES)
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "vault"
    for path, text in texts().items():
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_text(text, encoding="utf-8")
    return made


def kill_when(process: "subprocess.Popen[bytes]", is_time: Callable[[], bool]) -> bool:
    """Kill a process at a moment; False where it ended before."""
    for _ in range(3_000):
        if process.poll() is not None:
            return False
        if is_time():
            process.kill()
            process.wait()
            return True
        time.sleep(0.01)
    raise AssertionError("the moment did not come")


def test_a_folder_and_the_database_are_equal_after_kills(
    brain: Brain, database: Database, tenant: TenantId, folder: Path
) -> None:
    def stored() -> int:
        with database.transaction(tenant) as connection:
            return int(connection.execute("select count(*) from documents").fetchone()[0])  # type: ignore[index]

    kills = 0
    for _ in range(KILLS):
        before = stored()
        process = subprocess.Popen(
            [*BRAIN, "import", str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        kills += kill_when(process, lambda before=before: stored() > before)  # type: ignore[misc]

    done = brain("import", folder, "--json")

    assert kills >= 3
    assert done.exit_code == 0
    with database.transaction(tenant) as connection:
        notes = dict(connection.execute("select external_id, content from notes").fetchall())
        linked = connection.execute("select count(distinct note_id) from note_links").fetchone()
        chunked = connection.execute("select count(*) from chunks").fetchone()
    assert notes == texts()
    assert linked == chunked == (FILES,)
