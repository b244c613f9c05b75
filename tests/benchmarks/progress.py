"""Progress on stderr: a spinner on a terminal, one line a step elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console

_CONSOLE = Console(stderr=True, highlight=False)


@contextmanager
def step(description: str) -> Iterator[None]:
    """Say what the block does, and how long it took once it is done."""
    began = time.perf_counter()
    with _CONSOLE.status(description) if sys.stderr.isatty() else nullcontext():
        yield
    print(f"{description}: {time.perf_counter() - began:.1f} s", file=sys.stderr, flush=True)
