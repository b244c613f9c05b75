"""Ends the processes of a supervisor that died without doing it itself.

Runs as a process of its own and reads process groups from its standard input, one a line, ``+123`` when it was started and
``-123`` when it is gone. The pipe's other end closes with the supervisor, however that dies; then what is left is told to
end, and killed if it does not. Standard library only: it has to be small.
"""

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

GRACE_SECONDS = 10.0


def main() -> None:
    """Read until the supervisor is gone, then end what it left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    end_groups(read_groups(sys.stdin), grace_seconds=GRACE_SECONDS)


def read_groups(lines: Iterable[str]) -> set[int]:
    """The groups that were started and not gone when the lines end."""
    groups: set[int] = set()
    for line in lines:
        number = int(line[1:])
        if line.startswith("+"):
            groups.add(number)
        else:
            groups.discard(number)
    return groups


def end_groups(groups: Iterable[int], *, grace_seconds: float) -> None:
    """Tell process groups to end, wait for all of them, and kill what is left."""
    left = [group for group in groups if signal_group(group, signal.SIGTERM)]
    deadline = time.monotonic() + grace_seconds
    while time.monotonic() < deadline and any(signal_group(group, 0) for group in left):
        time.sleep(0.1)
    for group in left:
        signal_group(group, signal.SIGKILL)


def signal_group(group: int, number: int) -> bool:
    """Signal a process group (0: only look); whether any of it was there."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        return True
    return False


if __name__ == "__main__":
    main()
