"""The embedded PostgreSQL killed while twenty clients search: clean answers in Spanish, and recovery by itself."""

import itertools
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from serving import Api, Reply, home, serving, wait_until  # noqa: F401  the fixture is used by its name

from rag_core.notes.importing import import_lines
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings
from rag_core.storage.embedded import EmbeddedHome

CLIENTS = 20
TIMEOUT_SECONDS = 2
EXPLANATIONS = {
    503: "Error de conexión. Por favor, intenta de nuevo más tarde.",
    504: "La búsqueda excedió el tiempo límite de 2000ms",
}


def fill(home: Path) -> None:  # noqa: F811
    settings = read_settings(home=home, shared_buffers_mb=32)
    notes = [
        json.dumps({"id": f"n{number}", "text": f"El tren número {number} llegó tarde a la estación de Vigo."}).encode()
        for number in range(200)
    ]
    with open_engine(settings) as engine:
        import_lines(
            engine.database,
            engine.writing_tenant(),
            notes,
            source="notas",
            language="es",
            zone=settings.zone,
            max_characters=1000,
        )


def kill_server(home: Path) -> int:  # noqa: F811
    """Kill every process of the home's server, as the kernel does when memory is short; how many there were.

    All are known before the first is killed: with the one that started them the others end by themselves.
    """
    data = EmbeddedHome(root=home).data
    processes = [process for process in psutil.process_iter() if is_of_server(process, data)]
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    return len(processes)


def is_of_server(process: psutil.Process, data: Path) -> bool:
    """Test whether a process is a server with its data there; False when it has just ended."""
    try:
        return process.name().startswith("postgres") and Path(process.cwd()) == data
    except psutil.Error:
        return False


@contextmanager
def load(api: Api) -> Iterator[list[Reply]]:
    """Twenty clients that search, each query another one, until the block ends; what they got."""
    replies: list[Reply] = []
    failures: list[BaseException] = []
    numbers, is_over = itertools.count(), threading.Event()

    def client() -> None:
        while not is_over.is_set():
            try:
                replies.append(api.search(f"tren número {next(numbers)} en Vigo", strategy="hybrid"))
            except OSError as error:
                failures.append(error)
                return

    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield replies
    finally:
        is_over.set()
        for thread in threads:
            thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "a client hangs"
    assert failures == []


@pytest.mark.slow
def test_killing_the_server_under_load_gives_clean_answers_and_the_api_recovers_by_itself(
    home: Path,  # noqa: F811
) -> None:
    fill(home)
    with serving(home, BRAIN_REQUEST_TIMEOUT_MS=str(TIMEOUT_SECONDS * 1000), BRAIN_SHARED_BUFFERS_MB="32") as api:
        with load(api) as replies:
            wait_until(lambda: len(replies) >= 3 * CLIENTS, seconds=30, what="no load")
            slowest_before = max(reply.seconds for reply in replies)
            killed_at = time.monotonic()
            assert kill_server(home) > 1
            wait_until(
                lambda: any(reply.status == 503 for reply in replies), seconds=30, what="nobody noticed the kill"
            )
            wait_until(
                lambda: (
                    sum(reply.status == 200 and reply.ended_at > failed_at(replies) for reply in list(replies)) > 40
                ),
                seconds=60,
                what="no recovery",
            )
        figures = api.get("/api/performance")
        log = api.log.read_text()

    print(
        f"{len(replies)} answers, {sum(r.status != 200 for r in replies)} failed, slowest {max(r.seconds for r in replies):.2f} s"
        f" (before {slowest_before:.2f} s), failing for {failed_at(replies) - killed_at:.2f} s"
    )
    assert {reply.status for reply in replies} <= {200, 503, 504}
    for reply in replies:
        if reply.status != 200:
            assert reply.body["details"] == EXPLANATIONS[reply.status]
    assert max(reply.seconds for reply in replies) <= TIMEOUT_SECONDS + 1 + slowest_before
    assert failed_at(replies) - killed_at < 30
    assert figures["breakers"]["database"] == "closed"
    assert "número" not in log
    assert all(json.loads(line) for line in log.splitlines() if line.startswith("{"))


def failed_at(replies: list[Reply]) -> float:
    """When the last failed answer came."""
    return max(reply.ended_at for reply in list(replies) if reply.status != 200)
