"""Rate limits on questions: moving windows of a minute and an hour for each caller, in this process's memory.

Only people's questions count, where a contract asks ``check``. Evaluations, the command line and whatever else the program asks
of itself never come here.
"""

import math
import threading
import time
from collections.abc import Sequence

from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from rag_core.access import Caller
from rag_core.errors import RateLimitedError
from rag_core.model.counting import in_english

DEFAULT_PER_MINUTE = 10
DEFAULT_PER_HOUR = 100


class QuestionLimits:
    """The windows of one process; threads may share it. A key's own limits win over its tenant's, those over these.

    ``per_minute`` and ``per_hour`` None are the defaults for callers with a key, and no limit for those without.
    """

    def __init__(self, *, per_minute: int | None = None, per_hour: int | None = None) -> None:
        self._per_minute = per_minute
        self._per_hour = per_hour
        self._windows = MovingWindowRateLimiter(MemoryStorage())
        self._counting = threading.Lock()

    def check(self, caller: Caller) -> None:
        """Count a question of the caller's; one that is refused does not count.

        Raises:
            RateLimitedError: they asked as many as they may; says when there is room for the next.
        """
        items = self._items(caller)
        with self._counting:  # both windows count a question or neither does
            full = [item for item in items if not self._windows.test(item, caller.user_hash)]
            if not full:
                for item in items:
                    self._windows.hit(item, caller.user_hash)
                return
            seconds = max(self._seconds_left(item, caller) for item in full)
        raise RateLimitedError(
            f"{' and '.join(str(item) for item in full)} were asked; try again in {in_english(seconds, 'second')}",
            retry_after_seconds=seconds,
        )

    def _items(self, caller: Caller) -> Sequence[RateLimitItem]:
        has_key = caller.key_id is not None
        minute = caller.questions_per_minute or self._per_minute or (DEFAULT_PER_MINUTE if has_key else None)
        hour = caller.questions_per_hour or self._per_hour or (DEFAULT_PER_HOUR if has_key else None)
        kinds = ((RateLimitItemPerMinute, minute), (RateLimitItemPerHour, hour))
        return [kind(amount) for kind, amount in kinds if amount is not None]

    def _seconds_left(self, item: RateLimitItem, caller: Caller) -> int:
        """Until the oldest question leaves the window."""
        leaves_at = self._windows.get_window_stats(item, caller.user_hash).reset_time
        return max(1, math.ceil(leaves_at - time.time()))
