"""`brain import` of folders and documents, and `brain folder`."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Brain

from rag_core.folders import sources
from rag_core.folders.scanning import FoundFile
from rag_core.storage.database import Database


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with one note, for which no process that parses need be started."""
    made = tmp_path / "Notas"
    made.mkdir()
    (made / "a.md").write_text("Compré harina", encoding="utf-8")
    os.utime(made / "a.md", (1_700_000_000, 1_700_000_000))
    return made


@pytest.fixture
def folder(notes: Path) -> Path:
    """The same with a table and a file that is refused."""
    (notes / "b.csv").write_text("Mes;Euros\nenero;12\n", encoding="utf-8")
    (notes / "c.xyz").write_text("?", encoding="utf-8")
    return notes


@pytest.mark.parametrize("command", ["import", "ingest"])
def test_a_folder_is_imported_as_a_source_of_its_name(brain: Brain, folder: Path, command: str) -> None:
    done = brain(command, folder, "--json")

    assert done.exit_code == 0
    assert [(file["path"], file["status"]) for file in done.json["files"]] == [
        ("a.md", "imported"),
        ("b.csv", "imported"),
        ("c.xyz", "refused"),
    ]
    assert brain("search", "harina", "--source", "Notas", "--json").json["results"][0]["externalId"] == "a.md"


def test_the_report_has_the_fields_of_a_file(brain: Brain, folder: Path) -> None:
    done = brain("import", folder, "--json").json

    assert done["files"][0] == {
        "path": "a.md",
        "status": "imported",
        "parser": "md/2",
        "pages": None,
        "chunks": None,
        "warnings": [],
    }
    assert done["rejected"] == [{"path": "c.xyz", "error": "files of the kind .xyz are not taken"}]
    assert (done["imported"], done["removed"], done["rejected_count"]) == (2, 0, 1)


def test_chunks_are_counted_once_a_note_is_indexed(
    brain: Brain, index_notes: Callable[[], object], folder: Path
) -> None:
    brain("import", folder)
    index_notes()

    assert [file["chunks"] for file in brain("import", folder, "--json").json["files"]] == [1, 1, None]


def test_one_document_is_imported_as_a_file_of_its_folder(brain: Brain, folder: Path) -> None:
    done = brain("import", folder / "b.csv", "--json").json

    assert [file["path"] for file in done["files"]] == ["b.csv"]
    assert [one["source"] for one in brain("folder", "list", "--json").json["folders"]] == ["Notas"]


def test_lines_and_folders_are_taken_together(brain: Brain, folder: Path, tmp_path: Path) -> None:
    lines = tmp_path / "diario.jsonl"
    lines.write_text('{"id": "1", "text": "Tres"}\n{"id": "2"}\n', encoding="utf-8")

    done = brain("import", folder, lines, "--json").json

    assert done["imported"] == 3
    assert [sorted(one) for one in done["rejected"]] == [["error", "line"], ["error", "path"]]


def test_where_nothing_could_be_taken_it_fails(brain: Brain, folder: Path) -> None:
    (folder / "a.md").unlink()
    (folder / "b.csv").unlink()

    assert brain("import", folder).exit_code == 1


def test_nothing_is_taken_where_one_path_is_missing(brain: Brain, notes: Path) -> None:
    done = brain("import", notes, notes / "nada.pdf")

    assert done.exit_code == 1
    assert brain("folder", "list", "--json").json == {"folders": []}


def test_files_with_the_same_problem_are_told_together(brain: Brain, folder: Path) -> None:
    for name in "defgh":
        (folder / f"{name}.xyz").write_text("?", encoding="utf-8")

    assert "c.xyz, d.xyz, e.xyz and 3 more: files of the kind .xyz are not taken" in brain("import", folder).stderr


def test_removals_that_are_withheld_are_told(brain: Brain, folder: Path) -> None:
    brain("import", folder)
    (folder / "a.md").unlink()
    (folder / "b.csv").unlink()

    done = brain("import", folder, "--prune")

    assert "--confirm-removals" in done.stderr
    assert brain("import", folder, "--prune", "--confirm-removals", "--json").json["removed"] == 2


def test_a_folder_is_followed_listed_and_left(brain: Brain, folder: Path) -> None:
    added = brain("folder", "add", folder, "--json").json
    assert (added["source"], added["is_watched"], added["waiting"], added["refused"]) == ("Notas", True, 2, 1)

    assert brain("folder", "remove", "Notas", "--json").json == {"source": "Notas", "deleted": 0}
    assert [one["is_watched"] for one in brain("folder", "list", "--json").json["folders"]] == [False]


def test_the_state_of_each_file_is_told_with_its_reason(brain: Brain, folder: Path) -> None:
    brain("folder", "add", folder)

    files = brain("folder", "status", folder, "--json").json["files"]

    assert {file["document_type"] for file in files} == {None}
    assert [(file["path"], file["state"], file["error"]) for file in files] == [
        ("c.xyz", "refused", "files of the kind .xyz are not taken"),
        ("a.md", "waiting", None),
        ("b.csv", "waiting", None),
    ]
    assert brain("folder", "status", folder, "--problems", "--json").json["files"] == files[:1]


def test_a_folder_without_problems_is_told_to_have_none(brain: Brain, folder: Path) -> None:
    (folder / "c.xyz").unlink()
    brain("folder", "add", folder)

    assert "No file of Notas was refused or failed." in brain("folder", "status", folder, "--problems").output


def test_a_folder_is_left_with_its_notes_where_asked(brain: Brain, folder: Path) -> None:
    brain("folder", "add", folder)

    assert brain("folder", "remove", folder, "--delete-notes", "--json").json["deleted"] == 2
    assert brain("folder", "list", "--json").json == {"folders": []}
    assert (folder / "a.md").exists()


@pytest.mark.parametrize("words", [("add", "nada"), ("status", "nada"), ("remove", "nada")])
def test_an_unknown_folder_is_told(brain: Brain, words: tuple[str, str]) -> None:
    done = brain("folder", *words)

    assert done.exit_code == 1
    assert "nada" in done.stderr


def test_a_second_folder_of_one_source_is_refused(brain: Brain, notes: Path, tmp_path: Path) -> None:
    brain("folder", "add", notes)
    other = tmp_path / "otra/Notas"
    other.mkdir(parents=True)

    done = brain("folder", "add", other)

    assert done.exit_code == 1
    assert "--source NAME" in done.stderr


def test_following_a_folder_tells_why_files_are_refused_and_how_to_list_them(brain: Brain, folder: Path) -> None:
    for number in range(4):
        (folder / f"d{number}.xyz").write_text("?", encoding="utf-8")

    done = brain("folder", "add", folder)

    assert "  c.xyz, d0.xyz, d1.xyz and 2 more: files of the kind .xyz are not taken" in done.stderr.splitlines()
    assert "`brain folder status Notas` lists every file with its state and reason." in done.stderr.splitlines()


def test_the_folders_are_listed_in_lines_that_an_ordinary_terminal_holds(brain: Brain, folder: Path) -> None:
    brain("folder", "add", folder)

    shown = brain("folder", "list").stdout.splitlines()

    assert shown == [
        "Notas: followed while `brain up` runs",
        f"  {folder}",
        "  indexed: 0, waiting: 2, refused: 1",
        "  `brain folder status Notas` lists every file with its state and reason.",
    ]


def sources_and_ids(brain: Brain) -> set[tuple[str, str]]:
    """Source and external id of every note that the word finds."""
    found = brain("search", "harina", "--strategy", "fulltext", "--top-k", "50", "--json").json["results"]
    return {(hit["source"], hit["externalId"]) for hit in found}


@pytest.mark.parametrize("named", [(), ("--source", "casa")])
@pytest.mark.parametrize("imported", ["sub/d.md", "sub", "a.md", "."])
def test_what_a_followed_folder_takes_is_imported_into_its_own_note(
    brain: Brain, notes: Path, imported: str, named: tuple[str, ...]
) -> None:
    (notes / "sub").mkdir()
    (notes / "sub/d.md").write_text("Harina de trigo", encoding="utf-8")
    brain("folder", "add", notes, "--source", "casa")
    for file in ("sub/d.md", "a.md"):
        (notes / file).write_text("Harina de maíz", encoding="utf-8")

    done = brain("import", notes / imported, *named, "--json")

    assert done.json["updated"] == (2 if (notes / imported).is_dir() else 1)
    assert sources_and_ids(brain) == {("casa", "a.md"), ("casa", "sub/d.md")}


@pytest.mark.parametrize("option", [("--exclude", "a.md"), ("--language", "de")])
@pytest.mark.parametrize("imported", ["sub", "sub/d.md", "."])
def test_a_followed_folder_keeps_the_options_it_was_added_with(
    brain: Brain, notes: Path, imported: str, option: tuple[str, str]
) -> None:
    (notes / "sub").mkdir()
    (notes / "sub/d.md").write_text("Harina", encoding="utf-8")
    brain("folder", "add", notes)
    for file in ("sub/d.md", "a.md"):
        (notes / file).write_text("Harina de maíz", encoding="utf-8")

    done = brain("import", notes / imported, *option)

    assert done.exit_code == 1
    assert f"{notes} is followed as source 'Notas', so --exclude and --language are given with `brain folder add`" in (
        done.stderr
    )
    assert brain("import", notes, "--json").json["updated"] == 2


def test_a_subfolder_of_a_followed_folder_is_pruned_with_the_whole_alone(brain: Brain, notes: Path) -> None:
    (notes / "sub").mkdir()
    (notes / "sub/d.md").write_text("Harina", encoding="utf-8")
    brain("folder", "add", notes)
    (notes / "a.md").unlink()

    assert brain("import", notes / "sub", "--prune", "--confirm-removals", "--json").json["removed"] == 0


def test_what_a_followed_folder_leaves_out_is_a_folder_of_its_own(brain: Brain, notes: Path) -> None:
    (notes / "sub").mkdir()
    (notes / "sub/d.md").write_text("Harina", encoding="utf-8")
    brain("folder", "add", notes, "--exclude", "sub")

    assert brain("import", notes / "sub", "--json").json["imported"] == 1
    assert sources_and_ids(brain) == {("Notas", "a.md"), ("sub", "d.md")}


@pytest.mark.parametrize(
    "words", [("import", "a.md"), ("import", "sub"), ("folder", "add", "sub"), ("folder", "add", "..")]
)
def test_followed_files_are_not_taken_into_a_second_source(brain: Brain, notes: Path, words: tuple[str, ...]) -> None:
    (notes / "sub").mkdir()
    (notes / "sub/d.md").write_text("Harina", encoding="utf-8")
    brain("folder", "add", notes)

    done = brain(*words[:-1], notes / words[-1], "--source", "otra")

    assert done.exit_code == 1
    assert f"with {notes} as source 'Notas'; leave them to it" in done.stderr
    assert sources_and_ids(brain) == {("Notas", "a.md"), ("Notas", "sub/d.md")}


@pytest.fixture
def two_folders(brain: Brain, notes: Path) -> tuple[Path, Path]:
    """A followed folder, and one above it that leaves it out."""
    inner = notes / "sub"
    inner.mkdir()
    (inner / "d.md").write_text("Harina", encoding="utf-8")
    brain("folder", "add", inner)
    return inner, notes


def when_scanned(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something whenever a folder is read to find out who takes its files."""
    scan = sources.scan_folder

    def scan_folder(folder: Path, **options: Any) -> Iterator[FoundFile]:
        act()
        return scan(folder, **options)

    monkeypatch.setattr(sources, "scan_folder", scan_folder)


def test_no_transaction_is_open_while_folders_are_read(
    brain: Brain, database: Database, two_folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_ones: list[int] = []

    def count() -> None:
        with database.owner() as connection:
            rows = connection.execute(
                """select pid from pg_locks l join pg_database d on d.oid = l.database
                where datname = current_database() and relation = 'brain.folders'::regclass and mode = 'AccessShareLock'"""
            ).fetchall()
        open_ones.append(len(rows))

    when_scanned(monkeypatch, count)

    assert brain("folder", "add", two_folders[1], "--exclude", "sub").exit_code == 0
    assert open_ones
    assert not any(open_ones)


def test_what_is_followed_while_folders_are_read_is_seen(
    brain: Brain, two_folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, outer = two_folders
    other = outer / "otra"
    other.mkdir()
    (other / "e.md").write_text("Harina", encoding="utf-8")

    waiting = [other]
    when_scanned(monkeypatch, lambda: waiting and brain("folder", "add", waiting.pop()))
    done = brain("folder", "add", outer, "--exclude", "sub")

    assert done.exit_code == 1
    assert f"files of {outer} are followed already with {other} as source 'otra'" in done.stderr
    assert {one["source"] for one in brain("folder", "list", "--json").json["folders"]} == {"otra", "sub"}
