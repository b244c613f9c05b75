"""Progress of a backup or a restore."""

from collections.abc import Callable, Iterator

Advance = Callable[[float], None]
_STEP = 0.005


class BackupProgress:
    """Tells the share of the work done since it last told, in steps a bar can show; all shares add up to 1.

    ``total_bytes`` may be an estimate.
    """

    def __init__(self, tell: Advance, *, total_bytes: int) -> None:
        self._tell = tell
        self._total = max(total_bytes, 1)
        self._done = 0.0
        self._told = 0.0

    def add(self, count: int) -> None:
        """Count further bytes as done."""
        self._done = min(self._done + count / self._total, 1.0)
        if self._done - self._told >= _STEP:
            self._tell_rest()

    def counted(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the blocks, and count each when it is taken."""
        for block in blocks:
            self.add(len(block))
            yield block

    def finish(self) -> None:
        """All is done, whatever was estimated."""
        self._done = 1.0
        self._tell_rest()

    def _tell_rest(self) -> None:
        self._tell(self._done - self._told)
        self._told = self._done
