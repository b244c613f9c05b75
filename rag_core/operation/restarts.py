"""Parts that ended are started again: the first time at once, then after ever longer pauses, for as long as they keep ending.

Only an essential part that keeps ending ends the whole program, so that whoever started that learns of it.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rag_core.operation.processes import Child

WINDOW_SECONDS = 600.0
"""A part that has run for longer since is as good as new."""
LONGEST_PAUSE_SECONDS = 60.0
MAX_DEATHS = 6
"""Of an essential part within the window; with the pauses that takes 15 s and six starts."""

Say = Callable[[str], None]
"""Shows a line to whoever runs the command."""


def pause_seconds(deaths: int) -> float:
    """Pause after the n-th death within the window: 0, 1, 2, 4, 8, …, 60 seconds."""
    return 0.0 if deaths <= 1 else min(2.0 ** min(deaths - 2, 10), LONGEST_PAUSE_SECONDS)


@dataclass(slots=True, kw_only=True)
class Deaths:
    """Times at which a part ended within the window, and the time of its restart; None while it runs."""

    moments: list[float] = field(default_factory=list)
    restart_at: float | None = None

    def add(self, now: float) -> None:
        """Count a death."""
        self.moments = [*(moment for moment in self.moments if moment > now - WINDOW_SECONDS), now]
        self.restart_at = now + pause_seconds(len(self.moments))

    def is_over(self, now: float) -> bool:
        """Check that the pause is over; True once for each death."""
        if self.restart_at is None or now < self.restart_at:
            return False
        self.restart_at = None
        return True


def watch(
    children: Sequence[Child],
    *,
    essential: Sequence[str],
    say: Say,
    note: Callable[[Child], None] = lambda _child: None,
    each_round: Callable[[], None] = lambda: None,
    poll_seconds: float = 0.3,
) -> int:
    """Start again what ends; returns 1 when an essential part has ended too often.

    ``note`` is called with a child that has ended or was started again, ``each_round`` at every look.
    """
    found = {child.name: Deaths() for child in children}
    while True:
        for child in children:
            if child.exit_status is None:
                continue
            deaths = found[child.name]
            if deaths.restart_at is None:
                deaths.add(time.monotonic())
                note(child)
                say(_death_message(child, deaths))
                if child.name in essential and len(deaths.moments) >= MAX_DEATHS:
                    say(f"{child.name} does not stay up; its whole log is {child.log}")
                    return 1
            if deaths.is_over(time.monotonic()):
                _start(child, say)
                note(child)
        each_round()
        time.sleep(poll_seconds)


def _start(child: Child, say: Say) -> None:
    """Start it; that it cannot be started counts as another death."""
    say(f"Starting {child.name} again.")
    try:
        child.start()
    except OSError as error:
        say(f"{child.name} cannot be started: {error}")


def _death_message(child: Child, deaths: Deaths) -> str:
    count = len(deaths.moments)
    again = "" if count == 1 else f" (death {count} within {WINDOW_SECONDS / 60:.0f} minutes)"
    return (
        f"{child.name} is down: it ended with {child.exit_status}{again}; it is started again in {pause_seconds(count):.0f} s, "
        f"and the other parts go on. The end of its log:\n{child.log_end()}"
    )
