"""`brain backup` and `brain restore` between homes and servers, as a shell sees them."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from backup_data import EVERY_TABLE, differing, rows_of
from command_line import Brain, Done, spawn
from psycopg.conninfo import make_conninfo

from rag_core.operation.running_parts import only_one
from rag_core.settings import read_settings
from rag_core.storage.connecting import ensure_database
from rag_core.storage.database import open_database
from rag_core.storage.embedded import stop

pytestmark = pytest.mark.slow


HOLD = """
import sys
from pathlib import Path
from rag_core.storage.embedded import embedded_server
with embedded_server(Path(sys.argv[1]), shared_buffers_mb=32) as conninfo:
    print(conninfo, flush=True)
    sys.stdin.readline()
"""
KILLED_AFTER_THE_COMMIT = """
import os, signal
from rag_core.backup import restore
restore.vacuum = lambda _database: os.kill(os.getpid(), signal.SIGKILL)
from rag_core.cli import main
main()
"""
NOTES = [
    {"id": "a", "title": "Reunión", "text": "Hoy tuve un conflicto con mi jefe y me sentí ansioso."},
    {"id": "b", "text": "Compré pan, leche y tomates 🍅 en el «mercado»."},
    {"id": "c", "text": "El paraguas verde se quedó en el museo."},
]


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the folders of all tests are, to which the user PostgreSQL runs as gets when we are root."""
    path = tmp_path_factory.mktemp("homes")
    for parent in (path, *path.parents):
        if parent == Path(parent.anchor) or parent.stat().st_uid != os.getuid():
            break
        parent.chmod(parent.stat().st_mode | 0o055)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def backed_up(homes: Path) -> Path:
    """A folder with the home `one`, which holds a row or more in every table but the vectors', and its backup."""
    folder = homes / "backed up"
    folder.mkdir()
    notes = folder / "notas.jsonl"
    notes.write_text("".join(json.dumps(note) + "\n" for note in NOTES), encoding="utf-8")
    assert run_brain(folder, "one", "import", notes, "--tenant", "pruebas").exit_code == 0
    with (
        open_database(read_settings(home=folder / "one", database_url=None)) as database,
        database.owner() as connection,
    ):
        connection.execute("set search_path = brain, public")
        connection.execute(EVERY_TABLE)
    done = run_brain(folder, "one", "backup", folder / "brain.zip", "--json")
    assert (done.exit_code, json.loads(done.stdout)["tables"]["notes"]) == (0, 3)
    return folder


@pytest.fixture
def folder(homes: Path) -> Iterator[Path]:
    """A folder for the homes of one test."""
    path = Path(tempfile.mkdtemp(dir=homes))
    path.chmod(0o755)
    yield path
    for home in path.iterdir():
        if home.is_dir():
            stop(home)
    shutil.rmtree(path)


@pytest.fixture
def brain(folder: Path) -> Brain:
    """Run the command in a process of its own, on the home named or the server of DATABASE_URL."""
    return partial(run_brain, folder)


@pytest.fixture
def file(folder: Path, backed_up: Path) -> Path:
    """A backup of the home `one`; both are the test's own copies. Only `cp` keeps the owner of a server's files."""
    subprocess.run(["cp", "-a", backed_up / "one", backed_up / "brain.zip", folder], check=True)
    return folder / "brain.zip"


def run_brain(folder: Path, home: str, *words: object, **environment: str) -> Done:
    own = {"BRAIN_HOME": str(folder / home), "BRAIN_SHARED_BUFFERS_MB": "32"}
    return spawn(*words, folder=folder, environment=own | environment)


def rows_of_home(home: Path) -> dict[str, list[str]]:
    with open_database(read_settings(home=home, database_url=None)) as database:
        return rows_of(database.owner_conninfo, kinds="rv")


def answers(brain: Brain, home: str, **environment: str) -> list[tuple[str, float, str]]:
    words = ("search", "conflicto en el mercado", "--strategy", "fulltext", "--tenant", "pruebas", "--json")
    done = brain(home, *words, **environment)
    assert done.exit_code == 0, done.stderr
    return [(hit["chunkId"], hit["score"], hit["content"]) for hit in json.loads(done.stdout)["results"]]


def test_where_there_are_no_notes_nothing_is_backed_up_and_no_home_is_made(brain: Brain, folder: Path) -> None:
    done = brain("nowhere", "backup", folder / "nothing.zip")

    assert done.exit_code == 1
    assert "there are no notes at" in done.stderr
    assert not (folder / "nowhere").exists()
    assert not (folder / "nothing.zip").exists()


def test_a_home_comes_back_in_another_home(brain: Brain, folder: Path, file: Path) -> None:
    done = brain("two", "restore", file, "--json")

    assert (done.exit_code, json.loads(done.stdout)["fulltext_rebuilt"]) == (0, False)
    assert differing(rows_of_home(folder / "one"), rows_of_home(folder / "two")) == []
    found = answers(brain, "two")
    assert len(found) == 2
    assert found == answers(brain, "one")


def test_a_restore_that_is_killed_after_its_commit_has_said_that_the_backup_is_in_place(
    brain: Brain, folder: Path, file: Path
) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_AFTER_THE_COMMIT, "restore", str(file)],
        env={
            "PATH": "/usr/bin:/bin",
            "BRAIN_HOME": str(folder / "two"),
            "BRAIN_LANGUAGE": "en",
            "BRAIN_SHARED_BUFFERS_MB": "32",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    again = brain("two", "restore", file)

    assert (killed.returncode, "is in place" in killed.stderr) == (-9, True)
    assert (again.exit_code, "had put it in place and was stopped afterwards" in again.stderr) == (0, True)
    assert differing(rows_of_home(folder / "one"), rows_of_home(folder / "two")) == []


def test_conversations_find_their_owners_again_with_the_secret_which_no_backup_holds(
    brain: Brain, folder: Path
) -> None:
    noted = {"id": "a", "text": "La caldera se rompió el lunes y costó 180 euros."}
    (folder / "notas.jsonl").write_text(json.dumps(noted), encoding="utf-8")
    assert brain("asked", "import", folder / "notas.jsonl").exit_code == 0
    assert brain("asked", "ask", "¿Cuánto costó la caldera?", "--session", "new").exit_code == 0
    assert brain("asked", "backup", folder / "asked.zip").exit_code == 0

    told = brain("new", "restore", folder / "asked.zip")
    empty = brain("new", "conversations", "--json")  # makes a secret of its own
    again = brain("new", "restore", folder / "asked.zip", "--replace", "--json")
    (folder / "new" / "secret").write_bytes((folder / "asked" / "secret").read_bytes())
    quiet = brain("new", "restore", folder / "asked.zip", "--replace")
    found = brain("new", "conversations", "--json")

    assert "Without an owner here: 1 conversation." in told.stderr
    assert f"copy the file `secret` of the home that was backed up to {folder / 'new' / 'secret'}" in told.stderr
    assert json.loads(empty.stdout)["sessions"] == []
    assert json.loads(again.stdout)["lost_conversations"] == 1
    assert "conversation" not in quiet.stderr
    assert [each["title"] for each in json.loads(found.stdout)["sessions"]] == ["¿Cuánto costó la caldera?"]


def test_a_home_moves_to_a_server_of_ones_own_and_back(
    brain: Brain, folder: Path, file: Path, database_url: str
) -> None:
    assert brain("none", "restore", file, DATABASE_URL=database_url).exit_code == 0
    assert differing(rows_of_home(folder / "one"), rows_of(database_url, kinds="rv")) == []
    assert answers(brain, "none", DATABASE_URL=database_url) == answers(brain, "one")

    assert brain("none", "backup", folder / "back.zip", DATABASE_URL=database_url).exit_code == 0
    assert brain("three", "restore", folder / "back.zip").exit_code == 0

    assert differing(rows_of(database_url, kinds="rv"), rows_of_home(folder / "three")) == []
    assert not (folder / "none" / "postgres").exists()


def test_postgresql_18_and_16_restore_each_others_backups(brain: Brain, folder: Path, file: Path) -> None:
    """On 16 a database of ours tells emoji from letters, so its full-text index is its own; all else is the same."""
    one = rows_of_home(folder / "one")
    with server_16(folder / "sixteen") as url:
        there = brain("none", "restore", file, "--json", DATABASE_URL=url)
        taken = brain("none", "backup", folder / "from16.zip", "--json", DATABASE_URL=url)
        sixteen, found = rows_of(url, kinds="rv"), answers(brain, "none", DATABASE_URL=url)
    back = brain("four", "restore", folder / "from16.zip", "--json")
    four = rows_of_home(folder / "four")

    assert [done.exit_code for done in (there, taken, back)] == [0, 0, 0]
    assert json.loads(taken.stdout)["server_version"].startswith("16")
    assert [json.loads(done.stdout)["fulltext_rebuilt"] for done in (there, back)] == [True, True]
    assert differing(one, sixteen) == [
        "chunks",
        "corpus_statistics",
        "lexeme_statistics",
        "posting_blocks",
        "postings",
    ]
    assert len(found) == 2
    assert differing(one, four) == ["corpus_statistics", "lexeme_statistics", "posting_blocks"]  # folded


@contextmanager
def server_16(home: Path) -> Iterator[str]:
    """A database of PostgreSQL 16, as its owner."""
    environment = {**os.environ, "PGSERVER_POSTGRES_VERSION": "16"}
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        try:
            server = holder.stdout.readline().strip()
            yield make_conninfo(ensure_database(server, "brain"), dbname="brain")
        finally:
            holder.stdin.close()
            holder.wait(30)


def test_a_home_that_holds_notes_is_replaced_only_when_asked(brain: Brain, folder: Path, file: Path) -> None:
    before = rows_of_home(folder / "one")

    refused = brain("one", "restore", file, "--json")
    done = brain("one", "restore", file, "--replace")

    assert (refused.exit_code, "--replace" in json.loads(refused.stdout)["error"]) == (1, True)
    assert (done.exit_code, "3 notes, " in done.stdout) == (0, True)
    assert differing(before, rows_of_home(folder / "one")) == []


def test_a_home_in_which_everything_is_up_is_left_alone(brain: Brain, folder: Path, file: Path) -> None:
    with only_one(folder / "one"):
        done = brain("one", "restore", file, "--replace", "--json")

    assert done.exit_code == 1
    assert "stop it with Ctrl-C" in json.loads(done.stdout)["error"]


def test_a_damaged_file_is_refused_before_a_server_is_started(brain: Brain, folder: Path, file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])

    done = brain("five", "restore", file)

    assert (done.exit_code, done.stdout) == (1, "")
    assert "no whole backup of Brain Sync" in done.stderr
    assert not (folder / "five").exists()


def test_a_backup_is_not_overwritten_unless_asked(brain: Brain, file: Path) -> None:
    assert brain("one", "backup", file).exit_code == 1
    assert brain("one", "backup", file, "--force").exit_code == 0
    assert brain("one", "backup").exit_code == 2
