"""A function over many items with several threads, results in order, few items under way."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(run: Callable[[Item], Result], items: Iterable[Item], *, workers: int) -> Iterator[Result]:
    """Results of ``run`` in the order of the items; at most one item more than there are workers is under way.

    An exception is raised in its place, and what was not begun is not run.
    """
    pending: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="in-order")
    try:
        for item in items:
            pending.append(pool.submit(run, item))
            if len(pending) > workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
