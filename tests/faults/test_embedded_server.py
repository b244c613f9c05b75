"""The embedded server under what happens to servers: two users at once, crashes, odd folders."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import psutil
import psycopg
import pytest

from rag_core.errors import DatabaseSetupError
from rag_core.home.log_files import MAX_LOG_BYTES
from rag_core.model.note import TenantId
from rag_core.settings import read_settings
from rag_core.storage.database import open_database
from rag_core.storage.embedded import EmbeddedHome, embedded_server, rotate_server_log, stop

HOLD = """
import sys, time
from pathlib import Path
from rag_core.storage.embedded import embedded_server
with embedded_server(Path(sys.argv[1]), shared_buffers_mb=32) as conninfo:
    print(conninfo, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("embedded")
    for parent in (folder, *folder.parents):
        if parent == Path(parent.anchor) or parent.stat().st_uid != os.getuid():
            break
        parent.chmod(parent.stat().st_mode | 0o055)
    yield folder
    stop(folder)


def processes(home: Path) -> list[psutil.Process]:
    data = str(EmbeddedHome(root=home).data)
    found = []
    for process in psutil.process_iter():
        try:
            if (
                process.name().startswith("postgres")
                and process.cwd() == data
                and process.status() != psutil.STATUS_ZOMBIE
            ):
                found.append(process)
        except psutil.Error:
            continue
    return found


def postmaster(home: Path) -> int:
    return int((home / "postgres" / "postmaster.pid").read_text().split()[0])


def hold(home: Path) -> subprocess.Popen:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline().startswith("host=")
    return process


def answers(conninfo: str) -> bool:
    with psycopg.connect(conninfo) as connection:
        return connection.execute("select 1").fetchone() == (1,)


def test_the_last_one_to_leave_stops_the_server(home: Path) -> None:
    with embedded_server(home, shared_buffers_mb=32) as conninfo:
        assert answers(conninfo)

    assert processes(home) == []


def test_a_process_that_leaves_does_not_take_the_server_from_another(home: Path) -> None:
    other = hold(home)
    with embedded_server(home, shared_buffers_mb=32) as conninfo:
        other.communicate("\n", timeout=30)

        assert answers(conninfo)

    assert processes(home) == []


def test_a_killed_user_does_not_keep_the_server_running_for_ever(home: Path) -> None:
    other = hold(home)
    other.kill()
    other.wait()
    assert processes(home)

    with embedded_server(home, shared_buffers_mb=32) as conninfo:
        assert answers(conninfo)

    assert processes(home) == []


def test_what_was_committed_survives_a_killed_server(home: Path) -> None:
    with embedded_server(home, shared_buffers_mb=32) as conninfo:
        with psycopg.connect(conninfo) as connection:
            connection.execute("create table kept as select 42 as answer")
        os.kill(postmaster(home), signal.SIGKILL)

        with embedded_server(home) as again, psycopg.connect(again) as connection:
            assert connection.execute("select answer from kept").fetchone() == (42,)


def test_an_open_database_recovers_from_a_killed_server(home: Path) -> None:
    with open_database(read_settings(home=home, shared_buffers_mb=32)) as database:
        tenant = TenantId("una")
        os.kill(postmaster(home), signal.SIGKILL)

        deadline = time.monotonic() + 30
        while True:
            try:
                with database.transaction(tenant, timeout_ms=1000) as connection:
                    assert connection.execute("select 1").fetchone() == (1,)
                break
            except Exception as error:  # noqa: BLE001  any failure must be of the announced kind
                assert type(error).__name__ == "DatabaseUnavailableError"
                assert time.monotonic() < deadline, "no recovery within 30 s"
                time.sleep(0.2)


def test_stop_ends_the_server_at_once_and_says_whether_there_was_one(home: Path) -> None:
    other = hold(home)

    assert stop(home) is True
    assert processes(home) == []
    assert stop(home) is False

    other.communicate("\n", timeout=30)


def test_stop_ends_backends_whose_postmaster_was_killed(home: Path) -> None:
    other = hold(home)
    for process in processes(home):
        if process.pid == postmaster(home):
            process.kill()

    stop(home)

    assert processes(home) == []
    other.communicate("\n", timeout=30)


def test_two_processes_that_start_it_at_once_share_one_server(home: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    second = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    assert first.stdout.readline() == second.stdout.readline() != ""

    first.communicate("\n", timeout=30)
    second.communicate("\n", timeout=30)
    assert processes(home) == []


def test_a_folder_with_spaces_and_accents_works(home: Path) -> None:
    odd = home / "Ana María's notas"

    with embedded_server(odd, shared_buffers_mb=32) as conninfo:
        assert answers(conninfo)


def test_a_path_too_long_for_a_socket_works(home: Path) -> None:
    deep = home / ("carpeta-" * 12) / "notas"

    with embedded_server(deep, shared_buffers_mb=32) as conninfo:
        assert answers(conninfo)


def test_the_server_listens_on_its_socket_only_and_nobody_else_may_use_it(home: Path) -> None:
    with embedded_server(home, shared_buffers_mb=32) as conninfo, psycopg.connect(conninfo) as connection:
        found = connection.execute(
            "select current_setting('listen_addresses'), current_setting('unix_socket_permissions'), current_setting('jit')"
        ).fetchone()

    assert found == ("", "0700", "off")


def test_data_of_another_version_is_left_alone_and_named(home: Path) -> None:
    data = home / "postgres"
    data.mkdir()
    (data / "PG_VERSION").write_text("15\n")

    with pytest.raises(DatabaseSetupError, match="made by PostgreSQL 15"), embedded_server(home):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_it_runs_for_a_user_who_is_not_root(home: Path, tmp_path: Path) -> None:
    home.chmod(0o777)
    identity = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    command = [*identity, sys.executable, "-c", HOLD, str(home / "suyo")]
    process = subprocess.run(
        command,
        input="\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "HOME": str(home)},
    )

    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("host=")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_cannot_hold_commands_up_by_a_lock(home: Path) -> None:
    (home / "run").mkdir(mode=0o755)
    for name in ("start.lock", "users.lock"):
        (home / "run" / name).touch(mode=0o644)  # as homes of earlier versions have them
    nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    hold = [*nobody, "flock", "--exclusive", "--nonblock", str(home / "run" / "start.lock"), "true"]
    assert subprocess.run(hold, check=False).returncode == 0

    with embedded_server(home, shared_buffers_mb=32) as conninfo:
        assert answers(conninfo)
        refused = subprocess.run(hold, capture_output=True, text=True, check=False)

    assert "Permission denied" in refused.stderr
    assert {stat.S_IMODE(path.stat().st_mode) for path in (home / "run").iterdir()} == {0o600}


def test_the_server_goes_on_writing_to_a_log_that_was_full(home: Path) -> None:
    with embedded_server(home, shared_buffers_mb=32) as conninfo, psycopg.connect(conninfo) as connection:
        log = home / "postgres" / "log"
        for _ in range(6):
            warn(connection, "x" * 1_000_000)

        rotate_server_log(home)
        warn(connection, "after")

        assert "after" in log.read_text()
        assert log.stat().st_size < 1_000_000
        assert (home / "logs" / "postgres.log.1").stat().st_size == MAX_LOG_BYTES


def warn(connection: psycopg.Connection, text: str) -> None:
    connection.execute(f"do $$ begin raise warning '{text}'; end $$")
    connection.commit()


def test_stopping_one_home_never_stops_the_server_of_another(home: Path) -> None:
    first, second = home / "a", home / "b"
    with embedded_server(first, shared_buffers_mb=32) as conninfo:
        with embedded_server(second, shared_buffers_mb=32):
            pass
        (second / "postgres" / "postmaster.pid").write_text((first / "postgres" / "postmaster.pid").read_text())

        assert stop(second) is False
        assert answers(conninfo)


def test_variables_of_libpq_do_not_reach_the_embedded_server(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOSTADDR", "127.0.0.1")
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGCLIENTENCODING", "latin1")

    with embedded_server(home, shared_buffers_mb=32) as conninfo:
        assert answers(conninfo)


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(DatabaseSetupError, match="set BRAIN_HOME"), embedded_server(tmp_path / "file"):
        pass
