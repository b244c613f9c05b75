"""An import of a folder that is killed in each of its phases: whatever was stored is whole, and the next one ends the work.

Each import is killed while it waits for a row that the test holds, so that it is in the midst of a transaction.
"""

import subprocess
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest
from command_line import BRAIN, Brain

from rag_core.folders.importing import BATCH_FILES
from rag_core.folders.scanning import scan_folder

FILES = 1_100
"""More than five batches."""
SECONDS = 120


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "vault"
    for number in range(FILES):
        write(made / f"d{number % 9}/n{number}.md", f"# Nota {number}\n\nVer [[n{number + 1}]]. #t{number}")
    return made


@pytest.fixture
def owner(database_url: str) -> "psycopg.Connection[Any]":
    """A connection that sees all that was stored, and holds rows."""
    return psycopg.connect(database_url)


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def texts(folder: Path) -> dict[str, str]:
    """The folder's files in the order in which they are imported."""
    return {found.path: found.file.read_text(encoding="utf-8") for found in scan_folder(folder)}


def stored(owner: "psycopg.Connection[Any]") -> dict[str, str]:
    """The notes, each of which has its file's record and its chunk."""
    with owner.transaction():
        rows = owner.execute(
            "select n.external_id, n.content from brain.notes n join brain.documents d using (tenant_id, note_id) "
            "join brain.chunks c using (tenant_id, note_id) where d.path = n.external_id order by 1"
        ).fetchall()
        for table in ("notes", "documents", "chunks"):
            assert owner.execute(f"select count(*) from brain.{table}").fetchone() == (len(rows),), table
    return dict(rows)


def kill_at(owner: "psycopg.Connection[Any]", tenant: str, folder: Path, path: str) -> None:
    """Kill an import while it waits to write the record of a file."""
    owner.execute(
        "insert into brain.documents (tenant_id, source, path, status, error, file_size, modified_ns) "
        "values (%s, 'vault', %s, 'refused', '-', 0, 0) "
        "on conflict (tenant_id, source, path) do update set path = excluded.path",
        (tenant, path),
    )
    command = [*BRAIN, "import", str(folder), "--prune"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + SECONDS
    try:
        while not _is_awaited(owner):
            assert process.poll() is None, f"the import ended before it came to {path}"
            assert time.monotonic() < end, f"the import did not come to {path}"
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
        owner.rollback()


def _is_awaited(owner: "psycopg.Connection[Any]") -> bool:
    blocked = "select exists (select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid)))"
    return owner.execute(blocked).fetchone() == (True,)


def test_a_folder_and_the_database_are_equal_after_kills(
    brain: Brain, owner: "psycopg.Connection[Any]", tenant: str, folder: Path
) -> None:
    files = list(texts(folder))
    for place in (BATCH_FILES // 2, 2 * BATCH_FILES + 1, FILES - 1):
        kill_at(owner, tenant, folder, files[place])
        assert sorted(stored(owner)) == sorted(files[: place // BATCH_FILES * BATCH_FILES])

    done = brain("import", folder, "--json")

    assert done.exit_code == 0
    assert stored(owner) == dict(sorted(texts(folder).items()))
    linked = owner.execute("select count(distinct note_id) from brain.note_links").fetchone()
    assert linked == (FILES,)


def test_so_they_are_after_kills_while_files_are_renamed_edited_and_removed(
    brain: Brain, owner: "psycopg.Connection[Any]", tenant: str, folder: Path
) -> None:
    assert brain("import", folder).exit_code == 0
    before = stored(owner)
    ids = dict(owner.execute("select content, note_id from brain.notes").fetchall())
    owner.rollback()
    edited, renamed, removed = (list(texts(folder))[place::4] for place in range(3))
    for path in edited:
        write(folder / path, f"{before[path]}\n\nOtra frase.")
    for path in renamed:
        (folder / path).rename(folder / f"{path[:-3]}-nuevo.md")
    for path in removed:
        (folder / path).unlink()

    kill_at(owner, tenant, folder, renamed[len(renamed) // 2])
    after_renaming = stored(owner)
    kill_at(owner, tenant, folder, max(removed))
    after_removing = stored(owner)
    kill_at(owner, tenant, folder, edited[len(edited) * 3 // 4])
    after_editing = stored(owner)
    done = brain("import", folder, "--prune", "--json")

    wanted = texts(folder)
    assert after_renaming == before
    assert set(after_removing) == {*wanted, *sorted(removed)[BATCH_FILES:]}
    assert {after_removing[path] for path in edited} == {before[path] for path in edited}
    assert set(after_editing) == set(wanted)
    changed = [path for path in edited if after_editing[path] == wanted[path]]
    assert changed == edited[: len(changed)]
    assert 0 < len(changed) < len(edited)
    assert {after_editing[path] for path in edited[len(changed) :]} == {before[path] for path in edited[len(changed) :]}
    assert done.exit_code == 0
    assert stored(owner) == dict(sorted(wanted.items()))
    kept = dict(owner.execute("select content, note_id from brain.notes").fetchall())
    assert {before[path]: ids[before[path]] for path in renamed}.items() <= kept.items()
