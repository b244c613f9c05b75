"""The benchmarks at tiny sizes: that they run, and that what they print keeps its form. Figures are not judged."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TIMEOUT_SECONDS = 300  # some 20 s on an idle machine

pytestmark = [pytest.mark.slow, pytest.mark.alone]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A temporary folder of its own, open to the user that PostgreSQL runs as when we are root."""
    with tempfile.TemporaryDirectory(prefix="brain-bench-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def run(folder: Path) -> subprocess.CompletedProcess[str]:
    """A quick run of everything."""
    command = [sys.executable, "-m", "tests.benchmarks", "--quick", "--check"]
    environment = {**os.environ, "TMPDIR": str(folder), "BRAIN_TEST_DATA": ""}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
    )


@pytest.fixture(scope="module")
def figures(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The JSON object of the last line."""
    assert run.returncode == 0, run.stderr
    return dict(json.loads(run.stdout.splitlines()[-1]))


def test_the_last_line_has_every_figure_of_the_contract(figures: dict[str, Any]) -> None:
    assert figures.keys() >= {"machine", "commit", "data"}
    assert figures["import"].keys() >= {"rows_per_second", "floor_rows_per_second"}
    assert figures["index"].keys() >= {"chunks_per_second", "floor_chunks_per_second"}
    assert figures["noop_index"].keys() >= {"notes", "seconds", "after_edits"}
    assert figures["noop_index"]["after_edits"].keys() >= {"notes", "embedded", "seconds"}
    assert figures["backfill"].keys() >= {
        "notes_per_second_single_run",
        "notes_per_second_multi_run",
        "seconds_per_1000_notes_single_run",
        "seconds_per_1000_notes_multi_run",
        "floor_seconds_per_1000_notes",
        "dagster_seconds_per_1000_notes_single_run",
        "dagster_seconds_per_1000_notes_multi_run",
        "seconds_per_empty_partition",
    }
    assert figures["chunking"].keys() >= {"mb_per_second", "floor_mb_per_second"}
    (followed,) = figures["follow"]
    assert followed.keys() >= {"floor_seconds", "edit_over_floor"} | {
        f"{change}_{stage}_max_seconds" for change in ("edit", "rename", "remove") for stage in ("found", "indexed")
    }
    (search,) = figures["search"]
    assert search.keys() >= {
        "chunks",
        "hybrid_p50_ms",
        "hybrid_p95_ms",
        "fulltext_p50_ms",
        "semantic_p50_ms",
        "floor_p50_ms",
        "requests_per_second",
    }


def test_every_figure_is_positive_but_the_counts_of_what_must_not_happen(figures: dict[str, Any]) -> None:
    must_be_zero = {"search.errors", "search.degraded", "noop_index.rows_written"}

    numbers = dict(_numbers(figures))

    assert {name for name, value in numbers.items() if value <= 0} == must_be_zero


def test_a_corpus_has_the_chunks_asked_for(figures: dict[str, Any]) -> None:
    chunks = [entry["chunks"] for entry in figures["search"]]

    assert len(chunks) == 1
    assert 150 <= chunks[0] < 170


def test_progress_is_one_line_a_step_on_stderr(run: subprocess.CompletedProcess[str]) -> None:
    lines = run.stderr.splitlines()

    assert len(run.stdout.splitlines()) == 1
    assert len(lines) == 13
    assert all(line.endswith(" s") for line in lines)


def test_nothing_is_left_in_the_temporary_folder(run: subprocess.CompletedProcess[str], folder: Path) -> None:
    assert run.returncode == 0
    assert list(folder.iterdir()) == []


def test_an_unknown_benchmark_is_refused() -> None:
    command = [sys.executable, "-m", "tests.benchmarks", "--only", "import,nothing"]

    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)

    assert refused.returncode == 2
    assert "no benchmark 'nothing'" in refused.stderr


def _numbers(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _numbers(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for inner in value:
            yield from _numbers(inner, name)
    elif isinstance(value, int | float):
        yield name, value
