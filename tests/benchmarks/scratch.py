"""Homes, servers and measurements that leave nothing behind."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

import psycopg

from rag_core.model.note import TenantId
from rag_core.notes.importing import ImportReport, import_lines
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import Settings, read_settings
from rag_core.storage.embedded import embedded_server, stop

TENANT = TenantId("default")
START_TIMEOUT_SECONDS = 60
STOP_TIMEOUT_SECONDS = 20
_KEPT = ("BRAIN_TEST_", "BRAIN_BENCH_")
_FOREIGN = ("DATABASE_URL", "OLLAMA_HOST", "DAGSTER_HOME")


def forget_environment(provider: str | None = "hashing") -> None:
    """Drop the settings of whoever runs the benchmarks: their database must not be touched.

    New homes embed with that provider, which costs nothing; with None as they do by themselves.
    """
    for name in list(os.environ):
        if name in _FOREIGN or (name.startswith("BRAIN_") and not name.startswith(_KEPT)):
            del os.environ[name]
    if provider is not None:
        os.environ["BRAIN_EMBEDDING_PROVIDER"] = provider


@contextmanager
def scratch_home(*, is_durable: bool = True) -> Iterator[Settings]:
    """An empty home with a running server; both are gone when the block ends.

    The folder is open to the user that PostgreSQL runs as when we are root. Without durability commits do not wait for
    the disk: that is fast and measures nothing.
    """
    folder = Path(tempfile.mkdtemp(prefix="brain-bench-"))
    folder.chmod(0o755)
    try:
        with embedded_server(folder) as server:
            if not is_durable:
                _forgo_durability(server)
            yield read_settings(home=folder)
    finally:
        stop(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _forgo_durability(server: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("alter system set fsync = off")
        connection.execute("select pg_reload_conf()")


@contextmanager
def scratch_engine(*, is_durable: bool = True) -> Iterator[Engine]:
    """An engine on an empty home."""
    with scratch_home(is_durable=is_durable) as settings, open_engine(settings) as engine:
        yield engine


def import_notes(engine: Engine, lines: Sequence[bytes], *, tenant: TenantId = TENANT) -> ImportReport:
    """Import the lines as ``brain import`` does."""
    report = import_lines(
        engine.database,
        tenant,
        lines,
        source="notes",
        language=None,
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=engine.settings.max_note_characters,
    )
    if report.imported + report.updated != len(lines):
        raise RuntimeError(f"{report.imported} of {len(lines)} notes were imported: {report.rejected[:3]}")
    return report


def brain_command(*arguments: str) -> list[str]:
    """The installed console script, with arguments."""
    return [str(Path(sys.executable).with_name("brain")), *arguments]


def brain_environment(settings: Settings) -> dict[str, str]:
    """The environment of a command on that home; it serves on any free port."""
    return {**os.environ, "BRAIN_HOME": str(settings.home), "BRAIN_API_PORT": "0"}


@contextmanager
def served(settings: Settings, more: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Host and port of a ``brain serve`` of its own with ``more`` settings, stopped when the block ends."""
    log = settings.home / "serve.log"
    with (
        log.open("wb") as said,
        subprocess.Popen(brain_command("serve"), env=brain_environment(settings) | more, stderr=said) as process,
    ):
        try:
            yield _address(process, log)
        finally:
            _stop(process)


def _address(process: subprocess.Popen[bytes], log: Path) -> tuple[str, int]:
    """The address that the server says as soon as it takes connections."""
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if found := re.search(r"http://([\d.]+):(\d+)/", log.read_text()):
            return found[1], int(found[2])
        time.sleep(0.05)
    raise RuntimeError(f"brain serve named no address within {START_TIMEOUT_SECONDS} s:\n{log.read_text()}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
