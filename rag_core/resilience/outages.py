"""Waiting for PostgreSQL to come back, for what writes in batches and may write one again."""

import time
from collections.abc import Callable
from typing import TypeVar

from rag_core.errors import DatabaseUnavailableError, DiskFullError

Result = TypeVar("Result")

PATIENCE_SECONDS = 60.0
"""The embedded server is back within some 15 s of a kill in the middle of a large import, which it recovers from."""
_PAUSE_SECONDS = 0.5


def when_back(run: Callable[[], Result], *, on_waiting: Callable[[float], None]) -> Result:
    """Run it, again and again while PostgreSQL is away; ``run`` must leave nothing behind when it raises, or be repeatable.

    ``on_waiting`` is told once how many seconds are waited at most.

    Raises:
        DiskFullError: at once; waiting makes no room.
        DatabaseUnavailableError: PostgreSQL stayed away for longer than that.
    """
    end: float | None = None
    while True:
        try:
            return run()
        except DiskFullError:
            raise
        except DatabaseUnavailableError:
            now = time.monotonic()
            if end is None:
                end = now + PATIENCE_SECONDS
                on_waiting(PATIENCE_SECONDS)
            if now >= end:
                raise
        time.sleep(_PAUSE_SECONDS)
