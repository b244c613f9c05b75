"""`brain import`: it asks for an index run only where there is something to index."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from rag_core.cli import notes  # noqa: F401  registers the command
from rag_core.cli.app import app

NEXT = "Run `brain index`"


@pytest.fixture
def imported(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Import texts from a file by their places in it."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path))
    monkeypatch.setenv("BRAIN_TENANT", "pruebas")
    file = tmp_path / "notas.jsonl"

    def run(*texts: str) -> Result:
        lines = (json.dumps({"id": str(place), "text": text}) for place, text in enumerate(texts))
        file.write_text("\n".join(lines), encoding="utf-8")
        return CliRunner().invoke(app, ["import", str(file), "--source", "diario"])

    return run


def test_new_notes_are_to_be_indexed(imported: Callable[..., Result]) -> None:
    done = imported("Compré pan.")

    assert "imported 1" in done.stdout
    assert NEXT in done.stderr


def test_nothing_is_asked_for_where_all_is_indexed(imported: Callable[..., Result], index_notes: Any) -> None:
    imported("Compré pan.")
    index_notes()

    done = imported("Compré pan.")

    assert "unchanged 1" in done.stdout
    assert NEXT not in done.output


def test_an_edited_note_is_to_be_indexed(imported: Callable[..., Result], index_notes: Any) -> None:
    imported("Compré pan.")
    index_notes()

    assert NEXT in imported("Compré pan y leche.").stderr


def test_what_an_earlier_import_left_is_to_be_indexed_still(imported: Callable[..., Result]) -> None:
    imported("Compré pan.")

    done = imported("Compré pan.")

    assert "unchanged 1" in done.stdout
    assert NEXT in done.stderr
