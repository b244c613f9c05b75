"""Progress bars on a terminal: how much there is to do is known from the beginning."""

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr

import pytest

from rag_assets.indexing import IndexEvent
from rag_core.cli.app import batch_progress, measuring


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextmanager
def on_terminal() -> Iterator[Terminal]:
    stream = Terminal()
    with redirect_stderr(stream), pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm")
        patch.setenv("COLUMNS", "100")
        yield stream


def test_a_bar_over_batches_shows_their_number_before_the_first_is_done() -> None:
    with on_terminal() as terminal, batch_progress("indexing") as show:
        show(IndexEvent(done=0, batches=7, message=""))

    assert "0/7" in terminal.getvalue()
    assert "/?" not in terminal.getvalue()


def test_a_message_before_the_first_batch_is_said() -> None:
    with on_terminal() as terminal, batch_progress("indexing") as show:
        show(IndexEvent(done=0, batches=7, message="the run is not recorded"))

    assert "the run is not recorded" in terminal.getvalue()


def test_a_bar_over_measures_is_not_drawn_before_their_number_is_known() -> None:
    with on_terminal() as terminal, measuring() as tell:
        tell("searching", 0, 40)

    assert "0/40" in terminal.getvalue()
    assert "/?" not in terminal.getvalue()
