"""Lower priority for background work of this process."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_native_id

from rag_core.storage.database import Database


@contextmanager
def lowered_priority(database: Database, niceness: int) -> Iterator[None]:
    """Lower the priority of this process by so much, the embedded server's excepted, which others use too.

    A server that runs keeps its priority. One that is started again is started by a thread that keeps this process's priority,
    because a process may not raise its priority again. Without effect where threads have no priorities of their own: outside
    Linux. The priority stays lowered after the block.
    """
    if sys.platform != "linux":
        yield
        return
    revive = database.revive
    with ThreadPoolExecutor(1, "start-postgres") as starter:
        _lower_threads(niceness, spared=starter.submit(get_native_id).result())
        if revive is not None:
            database.revive = lambda: starter.submit(revive).result()
        try:
            yield
        finally:
            database.revive = revive


def _lower_threads(niceness: int, *, spared: int) -> None:
    """Lower the priority of every thread but one; threads that they start inherit it."""
    for thread in (int(task.name) for task in Path("/proc/self/task").iterdir()):
        with suppress(ProcessLookupError):
            if thread != spared:
                os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + niceness)
