"""The limits of a search's latency: that a run that breaks one fails, and says which."""

import json
from typing import Any

import pytest

from . import __main__ as benchmarks
from .limits import broken_limits

USUAL = {"chunks": 100_000, "hybrid_over_floor": 1.4, "hybrid_p50_ms": 21.5, "hybrid_p95_ms": 36.6}


def test_what_is_usual_breaks_no_limit() -> None:
    assert broken_limits({"search": [USUAL]}) == []


def test_a_run_without_searches_breaks_none() -> None:
    assert broken_limits({"import": {"rows_per_second": 1}}) == []


@pytest.mark.parametrize(
    ("slower", "said"),
    [
        ({"hybrid_over_floor": 3.1}, "hybrid search of 100000 chunks takes 3.10 times its floor; 3.00 is the limit"),
        ({"hybrid_p50_ms": 501.0}, "hybrid search of 100000 chunks takes 501 ms at p50; 500 ms is the limit"),
        ({"hybrid_p95_ms": 2001.0}, "hybrid search of 100000 chunks takes 2001 ms at p95; 2000 ms is the limit"),
    ],
)
def test_each_limit_can_be_broken(slower: dict[str, Any], said: str) -> None:
    assert broken_limits({"search": [USUAL | slower]}) == [said]


def test_a_change_that_follows_too_late_breaks_the_limit() -> None:
    folder = {"files": 60, "edit_found_max_seconds": 5.0, "edit_indexed_max_seconds": 5.1, "floor_seconds": 9.0}

    assert broken_limits({"follow": [folder]}) == ["edit_indexed_max_seconds of 60 files is 5.1 s; 5.0 s is the limit"]


def test_the_ratio_of_a_small_corpus_is_not_judged() -> None:
    assert broken_limits({"search": [USUAL | {"chunks": 1_000, "hybrid_over_floor": 9.0}]}) == []


@pytest.mark.parametrize("words", [["--check"], []])
def test_a_run_that_is_asked_to_check_fails_and_prints_its_figures_first(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(benchmarks, "forget_environment", lambda: None)
    monkeypatch.setattr(benchmarks.signal, "signal", lambda *_: None)
    monkeypatch.setattr(benchmarks, "_benchmark", lambda _name: lambda *_: [USUAL | {"hybrid_over_floor": 3.1}])

    if words:
        with pytest.raises(SystemExit, match=r"3.10 times its floor"):
            benchmarks.main(["--quick", "--only", "search", *words])
    else:
        benchmarks.main(["--quick", "--only", "search"])

    assert json.loads(capsys.readouterr().out)["search"][0]["hybrid_over_floor"] == 3.1
