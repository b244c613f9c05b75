"""A disk of 300 MB that fills up while notes are imported and indexed, and is emptied again: nothing is lost, nothing doubled."""

import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from command_line import BRAIN
from fastapi.testclient import TestClient
from small_disk import SmallDisk, small_disk, write_notes

from rag_core.api.app import create_app
from rag_core.errors import DiskFullError
from rag_core.model.note import TenantId
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings
from rag_core.storage.database import open_database
from rag_core.storage.embedded import EmbeddedHome, embedded_server, stop
from rag_core.storage.readiness import check_ready

pytestmark = pytest.mark.slow

DAGSTER_CONNECTS_ANEW = re.compile(
    r"root: Retrying failed database connection: .*?\(Background on this error at: \S+\)\n", re.DOTALL
)
"""What Dagster says beside us when its own connection meets the full disk."""
COUNTS = """
    select (select count(*) from brain.notes), (select count(distinct external_id) from brain.notes),
        (select count(*) from brain.chunks), (select count(distinct (note_id, chunk_index)) from brain.chunks),
        (select count(*) from brain.notes as n where not exists (select from brain.chunks as c where c.note_id = n.note_id))
"""


@pytest.fixture
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallDisk]:
    folder = tmp_path_factory.mktemp("small")
    for parent in (folder, *folder.parents):
        if parent == Path(parent.anchor) or parent.stat().st_uid != os.getuid():
            break
        parent.chmod(parent.stat().st_mode | 0o055)
    with small_disk(folder / "disk") as disk:
        yield disk
        disk.empty()
        stop(disk.folder / "home")


@pytest.fixture
def home(disk: SmallDisk) -> Path:
    """A home on the small disk whose server was made, so that it is known what a full disk is full of."""
    home = disk.folder / "home"
    with open_database(read_settings(home=home, shared_buffers_mb=32)):
        return home


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
            cwd=home.parent,
        )

    return run


@pytest.fixture
def run_brain(start: Callable[..., subprocess.Popen[str]]) -> Callable[..., tuple[int, str, str]]:
    def run(*arguments: object) -> tuple[int, str, str]:
        process = start(*arguments)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    return run


def counts(home: Path) -> tuple[int, ...]:
    """Notes and different ones, chunks and different ones, notes without any."""
    with embedded_server(home, shared_buffers_mb=32) as server, psycopg.connect(server, dbname="brain") as connection:
        return connection.execute(COUNTS).fetchone()  # type: ignore[return-value]


def wait_for(home: Path, statement: str, process: subprocess.Popen[str]) -> None:
    """Wait until the running command has got so far that the statement gives true."""
    with (
        embedded_server(home, shared_buffers_mb=32) as server,
        psycopg.connect(server, autocommit=True, dbname="brain") as connection,
    ):
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            if connection.execute(statement).fetchone() == (True,):
                return
            time.sleep(0.05)
    pytest.fail("the command did not get so far")


def assert_told_once(err: str) -> None:
    """The full disk is the first thing that is said, once, without SQL and in few lines."""
    lines = err.strip().splitlines()
    assert "is full" in lines[0], err
    assert err.count("is full") == 1
    assert len(lines) <= 3
    assert not any(word in err.lower() for word in ("insert into", "traceback", "begin anew"))


class TestImport:
    def test_stops_before_the_disk_is_full_and_goes_on_once_there_is_room(
        self, disk: SmallDisk, home: Path, run_brain: Callable[..., tuple[int, str, str]], tmp_path: Path
    ) -> None:
        notes = 2_400
        write_notes(tmp_path / "notas.jsonl", notes)
        disk.leave(90)

        code, out, err = run_brain("import", tmp_path / "notas.jsonl")

        assert code == 1
        assert out == ""
        assert_told_once(err)
        stored = counts(home)[0]
        assert 0 < stored < notes
        assert f"{stored:,} notes of the file are stored" in err
        assert "MB for the rest of the file" in err
        assert "run the import again" in err
        disk.empty()
        code, out, err = run_brain("import", tmp_path / "notas.jsonl", "--json")
        again = json.loads(out)
        assert code == 0
        assert again["imported"] == notes - stored
        assert again["unchanged"] == stored
        assert again["rejected_count"] == 0
        assert counts(home) == (notes, notes, notes, notes, 0)

    def test_goes_on_after_others_filled_the_disk_to_the_last_byte(
        self,
        disk: SmallDisk,
        home: Path,
        start: Callable[..., subprocess.Popen[str]],
        run_brain: Callable[..., tuple[int, str, str]],
        tmp_path: Path,
    ) -> None:
        write_notes(tmp_path / "notas.jsonl", 900)
        running = start("import", tmp_path / "notas.jsonl")
        wait_for(home, "select count(*) > 0 from brain.notes", running)

        disk.fill()
        out, err = running.communicate(timeout=300)

        assert running.returncode == 1
        assert out == ""
        assert "is full" in err
        assert "run the import again" in err
        began = time.monotonic()
        code, _, err = run_brain("import", tmp_path / "notas.jsonl")
        assert code == 1
        assert_told_once(err)
        assert time.monotonic() - began < 30
        disk.empty()
        code, out, _ = run_brain("import", tmp_path / "notas.jsonl")
        assert code == 0
        assert "rejected 0" in out
        assert counts(home) == (900, 900, 900, 900, 0)


class TestIndex:
    @pytest.fixture
    def file(self, run_brain: Callable[..., tuple[int, str, str]], tmp_path: Path) -> Path:
        write_notes(tmp_path / "notas.jsonl", 120, words=800)
        assert run_brain("import", tmp_path / "notas.jsonl")[0] == 0
        return tmp_path / "notas.jsonl"

    def test_says_the_cause_once_and_goes_on_once_there_is_room(
        self, disk: SmallDisk, home: Path, run_brain: Callable[..., tuple[int, str, str]], file: Path
    ) -> None:
        disk.leave(60)

        code, _, err = run_brain("index")

        assert code == 1
        assert_told_once(err)
        assert "run `brain index`" in err
        assert run_brain("search", "ba")[0] == 0
        disk.empty()
        code, out, err = run_brain("index", "--json")
        assert code == 0, err
        assert code == 0
        assert json.loads(out)["notes"] == 120
        assert json.loads(out)["failed"] == 0
        notes, different, chunks, different_chunks, without = counts(home)
        assert notes == 120
        assert different == 120
        assert without == 0
        assert chunks == different_chunks > 120

    def test_goes_on_after_others_filled_the_disk_to_the_last_byte(
        self,
        disk: SmallDisk,
        home: Path,
        start: Callable[..., subprocess.Popen[str]],
        run_brain: Callable[..., tuple[int, str, str]],
        file: Path,
    ) -> None:
        running = start("index")
        wait_for(home, "select exists (select from brain.staged_chunks)", running)

        disk.fill()
        _, err = running.communicate(timeout=300)

        assert running.returncode == 1
        assert "is full" in err
        assert len(DAGSTER_CONNECTS_ANEW.sub("", err).splitlines()) <= 3, err
        disk.empty()
        code, out, err = run_brain("index", "--json")
        assert code == 0, err
        assert code == 0
        assert json.loads(out)["notes"] == 120
        assert json.loads(out)["failed"] == 0
        notes, different, chunks, different_chunks, without = counts(home)
        assert notes == 120
        assert different == 120
        assert without == 0
        assert chunks == different_chunks > 120


class TestApi:
    def test_a_note_is_refused_in_words_and_the_service_is_not_ready_until_there_is_room(
        self, disk: SmallDisk, home: Path
    ) -> None:
        settings = read_settings(home=home, tenant="default", shared_buffers_mb=32)
        with open_engine(settings) as engine, TestClient(create_app(engine), base_url="http://127.0.0.1") as client:
            client.post("/api/notes", json={"content": "Antes de que se llenara."})
            disk.leave(30)

            refused = client.post("/api/notes", json={"content": "Ya no cabe."})
            ready = client.get("/readyz")
            found = client.post("/api/retrieve", json={"query": "llenara"})
            disk.empty()
            taken = client.post("/api/notes", json={"content": "Ya cabe."})

            assert refused.status_code == 503
            assert refused.json()["error"] == "Sin espacio en el disco"
            assert "No queda espacio en el disco" in refused.json()["details"]
            assert refused.headers["Retry-After"] == "60"
            assert ready.status_code == 503
            assert ready.json()["error"] == "Sin espacio en el disco"
            assert len(found.json()["results"]) == 1
            assert taken.status_code == 201
            assert client.get("/readyz").status_code == 200
            assert len(client.get("/api/notes").json()["notes"]) == 2


def test_a_server_of_ones_own_that_is_full_is_not_ready_until_it_can_write(disk: SmallDisk, home: Path) -> None:
    """Its disk is not ours to look at: what it says of a statement counts, and afterwards what it says of a trial."""
    with open_database(read_settings(home=home, shared_buffers_mb=32)) as embedded:
        database, nobody = replace(embedded, data_folder=None, revive=None), TenantId("")
        disk.fill()

        with pytest.raises(DiskFullError, match="No space left"), database.transaction(nobody) as connection:
            connection.execute("create temp table filler as select md5(n::text) from generate_series(1, 50000) as n")
        with pytest.raises(DiskFullError):
            check_ready(database, timeout_ms=5000)
        disk.empty()
        check_ready(database, timeout_ms=5000)

        assert not database.disk.is_full


def test_a_server_that_cannot_start_says_the_cause_first_and_once(
    disk: SmallDisk, home: Path, run_brain: Callable[..., tuple[int, str, str]]
) -> None:
    with embedded_server(home, shared_buffers_mb=32) as server, psycopg.connect(server, autocommit=True) as connection:
        connection.execute("create table filler as select md5(n::text) from generate_series(1, 200000) as n")
        for process in EmbeddedHome(root=home).data.glob("postmaster.pid"):
            os.kill(int(process.read_text().split()[0]), 9)
    disk.fill()
    began = time.monotonic()

    code, _, err = run_brain("search", "algo")

    assert code == 1
    assert_told_once(err)
    assert time.monotonic() - began < 30
    disk.empty()
    assert run_brain("status")[0] == 0
