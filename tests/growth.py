"""Growth of a function's cost with the length of its text, whatever the machine."""

import gc
from collections.abc import Callable
from time import thread_time

TIMES_AS_LONG = 4
MOST_GROWTH = 9.0
"""Linear cost grows 4 times, quadratic cost 16 times."""
NEGLIGIBLE_SECONDS = 0.02
"""Too short to be compared, and far too short for quadratic cost at the lengths that are tried."""


def growth(run: Callable[[str], object], piece: str, *, characters: int) -> float:
    """Return how many times the processor time a text of ``characters`` takes of what a quarter of it takes.

    The lesser of two trials counts for each length; the second of the whole text is made only where the first would grow too much.
    0 when the whole text takes less than 20 ms.
    """
    long, short = (piece * (length // len(piece)) for length in (characters, characters // TIMES_AS_LONG))
    run(short)  # compiles patterns and fills caches
    quick, slow = min(_seconds(run, short), _seconds(run, short)), _seconds(run, long)
    if slow >= MOST_GROWTH * quick:
        slow = min(slow, _seconds(run, long))
    return 0.0 if slow < NEGLIGIBLE_SECONDS else slow / max(quick, 1e-9)


def _seconds(run: Callable[[str], object], text: str) -> float:
    gc.disable()  # its cost grows with every object of the process
    try:
        began = thread_time()
        run(text)
        return thread_time() - began
    finally:
        gc.enable()
