"""Priority of commands."""

import os
import sys

import pytest

from rag_core.cli import main
from rag_core.cli.app import INDEX_NICENESS


@pytest.mark.parametrize(("command", "lowered"), [("index", [INDEX_NICENESS]), ("search", [])])
def test_indexing_alone_gives_way_to_others(monkeypatch: pytest.MonkeyPatch, command: str, lowered: list[int]) -> None:
    asked: list[int] = []
    monkeypatch.setattr(os, "nice", asked.append)
    monkeypatch.setattr(sys, "argv", ["brain", command, "--help"])

    with pytest.raises(SystemExit):
        main()

    assert asked == lowered
