"""Tables for people show what somebody wrote as it was written."""

import io
import sys

import pytest

from rag_assets.indexing import IndexEvent
from rag_core.cli.app import batch_progress, measuring, progress, table


@pytest.mark.parametrize("written", ["[/red] ¿qué [bold]comí[/bold]?", "[link=x]", "a\\", "[/]", ":smile:"])
def test_what_looks_like_markup_is_shown_as_it_is(written: str, capsys: pytest.CaptureFixture[str]) -> None:
    table(written, ["id", written], [["1", written]])

    title, _, header, _, row, _ = capsys.readouterr().out.splitlines()
    assert title.strip() == written
    assert written in header
    assert written in row


@pytest.mark.parametrize("bar", ["progress", "measuring", "batch_progress"])
def test_a_bar_over_a_file_of_any_name_is_drawn(bar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name such as "[/x].jsonl" would end a mark-up that nobody began."""
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)

    if bar == "progress":
        with progress("importing [/x].jsonl", 10) as advance:
            advance(10)
    elif bar == "measuring":
        with measuring() as tell:
            tell("importing [/x].jsonl", 1, 2)
    else:
        with batch_progress("importing [/x].jsonl") as show:
            show(IndexEvent(message="", done=1, batches=2))

    assert "importing [/x].jsonl" in stderr.getvalue()


class Terminal(io.StringIO):
    """A terminal that a person looks at."""

    def isatty(self) -> bool:
        return True
