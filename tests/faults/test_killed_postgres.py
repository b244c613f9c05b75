"""PostgreSQL that is killed while notes are imported and indexed: it is waited for, or told in one line with the remedy."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import psycopg
import pytest
from command_line import BRAIN
from small_disk import write_notes

from rag_core.errors import DatabaseUnavailableError
from rag_core.model.note import TenantId
from rag_core.notes.importing import import_lines
from rag_core.resilience import outages
from rag_core.settings import read_settings
from rag_core.storage.database import open_database
from rag_core.storage.embedded import embedded_server, stop

pytestmark = pytest.mark.slow

NOTES = 900
TENANT = TenantId("default")


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("killed")
    for parent in (folder, *folder.parents):
        if parent == Path(parent.anchor) or parent.stat().st_uid != os.getuid():
            break
        parent.chmod(parent.stat().st_mode | 0o055)
    with open_database(read_settings(home=folder, shared_buffers_mb=32)):
        pass
    yield folder
    stop(folder)


@pytest.fixture
def start(home: Path) -> Callable[..., subprocess.Popen[str]]:
    def run(*arguments: object) -> subprocess.Popen[str]:
        own = {"BRAIN_HOME": str(home), "BRAIN_SHARED_BUFFERS_MB": "32", "BRAIN_EMBEDDING_PROVIDER": "hashing"}
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("BRAIN_", "PG"))}
        inherited.pop("DATABASE_URL", None)
        command = [*BRAIN, *map(str, arguments)]
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=inherited | {"BRAIN_LANGUAGE": "en"} | own,
            cwd=home,
        )

    return run


def kill_postgres_when(home: Path, statement: str, process: subprocess.Popen[str]) -> None:
    """Kill the postmaster as soon as the statement gives true while the command runs."""
    with (
        embedded_server(home, shared_buffers_mb=32) as server,
        psycopg.connect(server, autocommit=True, dbname="brain") as connection,
    ):
        deadline = time.monotonic() + 120
        while connection.execute(statement).fetchone() != (True,):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.kill(int((home / "postgres" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)


def stored(home: Path) -> tuple[int, int]:
    """Notes, and different ones."""
    with embedded_server(home, shared_buffers_mb=32) as server, psycopg.connect(server, dbname="brain") as connection:
        return connection.execute("select count(*), count(distinct external_id) from brain.notes").fetchone()  # type: ignore[return-value]


def test_an_import_waits_for_postgres_and_stores_every_note_once(
    home: Path, start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    write_notes(tmp_path / "notas.jsonl", NOTES)
    running = start("import", tmp_path / "notas.jsonl")

    kill_postgres_when(home, "select count(*) > 0 from brain.notes", running)
    out, err = running.communicate(timeout=200)

    assert running.returncode == 0, err
    assert "rejected 0" in out
    assert err.splitlines()[0] == "PostgreSQL does not answer; waiting up to 60 s for it to come back"
    assert len(err.splitlines()) <= 3
    assert stored(home) == (NOTES, NOTES)


def test_an_import_that_gives_up_says_how_many_notes_are_stored_and_to_run_it_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outages, "PATIENCE_SECONDS", 0.0)
    waited: list[float] = []

    def lines() -> Iterator[bytes]:
        for number in range(700):
            if number == 600:
                stop(home)
            yield json.dumps({"id": str(number), "text": f"Nota {number}."}).encode()

    def run() -> None:
        with open_database(read_settings(home=home, shared_buffers_mb=32)) as database:
            import_lines(
                database,
                TENANT,
                lines(),
                source="notas",
                language="es",
                zone=ZoneInfo("UTC"),
                max_characters=1000,
                on_waiting=waited.append,
            )

    with pytest.raises(DatabaseUnavailableError, match=r"500 notes of the file are stored.*run the import again"):
        run()

    assert waited == [0.0]
    assert stored(home) == (500, 500)


def test_a_kill_during_indexing_is_told_in_one_line_and_the_next_run_finishes(
    home: Path, start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    write_notes(tmp_path / "notas.jsonl", 120, words=800)
    assert start("import", tmp_path / "notas.jsonl").wait(timeout=200) == 0
    running = start("index")

    kill_postgres_when(home, "select exists (select from brain.staged_chunks)", running)
    out, err = running.communicate(timeout=200)

    if running.returncode:  # else the steps' own attempts were enough
        assert len(err.splitlines()) == 1, err
        assert "run the command again" in err or "run `brain index`" in err
    again = start("index", "--json")
    out, err = again.communicate(timeout=200)
    assert (again.returncode, json.loads(out)["notes"], json.loads(out)["failed"]) == (0, 120, 0)
