"""The processes that execute runs, and whether they are still there."""

import platform
from typing import TYPE_CHECKING

from rag_core.telemetry.process_names import host_of, this_process

if TYPE_CHECKING:
    import psutil

PROCESS_TAG = "brain/process"
"""On a run that a command executes itself: which process that is."""
CLOCK_SECONDS = 2.0
"""The kernel's times of processes and the times of a run's events differ by less."""

__all__ = ["PROCESS_TAG", "has_ended", "is_gone", "this_process"]


def is_gone(name: str) -> bool:
    """True when a process named by ``this_process`` on this machine has ended; False for one elsewhere, or no name."""
    if host_of(name) != platform.node() or not name:
        return False
    _, number, start = name.split("/")
    process = _find(int(number))
    return process is None or f"{process.create_time():.2f}" != start


def has_ended(pid: int, *, seen_at: float) -> bool:
    """True when the process with this number at a moment (seconds since 1970) has ended, even if the number was reused."""
    process = _find(pid)
    return process is None or process.create_time() > seen_at + CLOCK_SECONDS


def _find(pid: int) -> "psutil.Process | None":
    """A process that runs; one that died and was not waited for does not."""
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process
    except psutil.NoSuchProcess:
        return None
