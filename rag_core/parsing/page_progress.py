"""Progress of a parser by pages, told to whoever asked for the document."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

OnPage = Callable[[int, int], None]
_on_page: ContextVar[OnPage | None] = ContextVar("on_page", default=None)


@contextmanager
def pages_told(on_page: OnPage) -> Iterator[None]:
    """Tell ``on_page`` how many pages of how many are read, while the block runs."""
    token = _on_page.set(on_page)
    try:
        yield
    finally:
        _on_page.reset(token)


def page_read(done: int, total: int) -> None:
    """Say that a parser has read so many pages."""
    if (tell := _on_page.get()) is not None:
        tell(done, total)
