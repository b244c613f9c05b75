"""`brain import` of folders and documents, and `brain folder`."""

import os
from pathlib import Path

import pytest
from command_line import Brain


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "Notas"
    made.mkdir()
    (made / "a.md").write_text("Compré harina", encoding="utf-8")
    (made / "b.csv").write_text("Mes;Euros\nenero;12\n", encoding="utf-8")
    (made / "c.xyz").write_text("?", encoding="utf-8")
    for file in made.iterdir():
        os.utime(file, (1_700_000_000, 1_700_000_000))
    return made


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


def test_chunks_are_counted_once_a_note_is_indexed(brain: Brain, folder: Path) -> None:
    brain("import", folder)
    brain("index")

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


def test_nothing_is_taken_where_one_path_is_missing(brain: Brain, folder: Path) -> None:
    done = brain("import", folder, folder / "nada.pdf")

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
        ("a.md", "waiting", None),
        ("b.csv", "waiting", None),
        ("c.xyz", "refused", "files of the kind .xyz are not taken"),
    ]


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


def test_a_second_folder_of_one_source_is_refused(brain: Brain, folder: Path, tmp_path: Path) -> None:
    brain("folder", "add", folder)
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
