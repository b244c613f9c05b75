"""Growth of a function's cost with the length of its text, whatever the machine."""

import gc
from collections.abc import Callable
from time import thread_time

TIMES_AS_LONG = 4
MOST_GROWTH = 9.0
"""Linear cost grows 4 times, quadratic cost 16 times."""
NEGLIGIBLE_SECONDS = 0.02
"""Too short to be compared, and far too short for quadratic cost at the lengths that are tried."""
SURELY_LINEAR = 6.0
"""Growth that needs no second trial: a quadratic cost comes so low only if the short text took nearly three times too long."""


def growth(run: Callable[[str], object], piece: str, *, characters: int) -> float:
    """Return how many times the processor time a text of ``characters`` takes of what a quarter of it takes.

    Where the first trial leaves doubt, the lesser of two counts for each length. 0 when the whole text takes less than 20 ms.
    """
    long, short = (piece * (length // len(piece)) for length in (characters, characters // TIMES_AS_LONG))
    run(short)  # compiles patterns and fills caches
    slow, quick = _seconds(run, long), _seconds(run, short)
    if slow >= SURELY_LINEAR * quick:
        slow, quick = min(slow, _seconds(run, long)), min(quick, _seconds(run, short))
    return 0.0 if slow < NEGLIGIBLE_SECONDS else slow / max(quick, 1e-9)


def _seconds(run: Callable[[str], object], text: str) -> float:
    gc.disable()  # its cost grows with every object of the process
    try:
        began = thread_time()
        run(text)
        return thread_time() - began
    finally:
        gc.enable()
