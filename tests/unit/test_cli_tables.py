"""Tables for people show what somebody wrote as it was written."""

import io
import sys
from uuid import UUID

import pytest
from builders import make_query_result, make_run

from rag_assets.indexing import IndexEvent
from rag_core.cli.answers import show_answers
from rag_core.cli.app import batch_progress, measuring, progress, table
from rag_core.model.answer_metrics import AnswerMetrics
from rag_core.model.note import NoteId


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


def test_answers_without_the_mean_of_a_metric_that_holds_by_construction_are_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAIN_LANGUAGE", "en")
    older = AnswerMetrics(
        answerer="extractive@1", judge=None, answers=2, refusals=0, failed=0, judge_failures=0, means={}, counts={}
    )

    show_answers(make_run([make_query_result(1, relevant_note_ids=(NoteId(UUID(int=1)),))], answers=older))

    told = capsys.readouterr().err
    assert "not measured when the run was made" in told
    assert "by construction" not in told
