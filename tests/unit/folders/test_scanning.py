"""Scanning of a folder: what is taken, what is left out, and why."""

import os
from pathlib import Path

import pytest

from rag_core.errors import InvalidInputError
from rag_core.folders.scanning import scan_folder


def write(folder: Path, *paths: str, text: str = "x") -> None:
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def taken(folder: Path, **options: list[str]) -> list[str]:
    return [file.path for file in scan_folder(folder, **options) if not file.error]


def test_files_of_subfolders_are_named_from_the_folder_on(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "viajes/2024/roma.md")

    assert taken(tmp_path) == ["a.md", "viajes/2024/roma.md"]


def test_size_and_time_are_the_files(tmp_path: Path) -> None:
    write(tmp_path, "a.md", text="hola")
    os.utime(tmp_path / "a.md", ns=(5, 1_700_000_000_123_456_789))

    (found,) = scan_folder(tmp_path)

    assert found.size == 4
    assert found.modified_ns == 1_700_000_000_123_456_789


@pytest.mark.parametrize(
    "path", [".obsidian/app.json", ".trash/a.md", "b/.hidden.md", "Templates/day.md", "x/plantillas/d.md"]
)
def test_hidden_files_and_templates_are_left_out(tmp_path: Path, path: str) -> None:
    write(tmp_path, "a.md", path)

    assert taken(tmp_path) == ["a.md"]


def test_the_folder_that_obsidian_keeps_templates_in_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "moldes/diario/día.md", "moldes/otro.md")
    write(tmp_path, ".obsidian/templates.json", text='{"folder": "moldes/diario/"}')

    assert taken(tmp_path) == ["a.md", "moldes/otro.md"]


def test_settings_of_obsidian_that_are_no_json_hide_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    write(tmp_path, ".obsidian/templates.json", text="{")

    assert taken(tmp_path) == ["a.md"]


def test_gitignore_leaves_files_out(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "borradores/b.md", "c.tmp.md")
    write(tmp_path, ".gitignore", text="borradores/\n*.tmp.md\n")

    assert taken(tmp_path) == ["a.md"]


def test_the_gitignore_of_a_subfolder_counts_from_there(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "sub/a.md", "sub/b.md")
    write(tmp_path, "sub/.gitignore", text="/a.md\n")

    assert taken(tmp_path) == ["a.md", "sub/b.md"]


def test_the_nearest_gitignore_has_the_last_word(tmp_path: Path) -> None:
    write(tmp_path, "a.log", "sub/b.log")
    write(tmp_path, ".gitignore", text="*.log\n")
    write(tmp_path, "sub/.gitignore", text="!b.log\n")

    assert taken(tmp_path) == ["sub/b.log"]


def test_excluded_files_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "privado/b.md", "c.pdf")

    assert taken(tmp_path, exclude=["privado", "*.pdf"]) == ["a.md"]


def test_what_is_excluded_has_the_last_word(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "sub/a.md", "sub/b.md")
    write(tmp_path, "sub/.gitignore", text="!a.md\nb.md\n")

    assert taken(tmp_path, exclude=["a.md", "!b.md"]) == ["sub/b.md"]


def test_a_pattern_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="--exclude"):
        list(scan_folder(tmp_path, exclude=["!"]))


def test_a_costly_pattern_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="stars"):
        list(scan_folder(tmp_path, exclude=["*a*a*a*b"]))


def test_a_costly_line_of_gitignore_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "aaab.md", "b.md")
    write(tmp_path, ".gitignore", text="*a*a*a*b*\nb.md\n")

    assert taken(tmp_path) == ["aaab.md"]


def test_links_are_not_followed_and_told(tmp_path: Path) -> None:
    write(tmp_path, "notas/a.md", "fuera/b.md")
    (tmp_path / "notas/b.md").symlink_to(tmp_path / "fuera/b.md")
    (tmp_path / "notas/fuera").symlink_to(tmp_path / "fuera")

    found = {file.path: file.error for file in scan_folder(tmp_path / "notas")}

    assert found["a.md"] is None
    assert "symbolic link" in (found["b.md"] or "")
    assert "symbolic link" in (found["fuera"] or "")


def test_a_name_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/caf\xe9.md", "wb") as opened:  # noqa: PTH123  a path of bytes
        opened.write(b"x")

    (found,) = scan_folder(tmp_path)

    assert found.path == "caf�.md"
    assert "rename" in (found.error or "")


def test_names_are_composed_and_the_second_of_a_kind_is_told(tmp_path: Path) -> None:
    write(tmp_path, "mañana.md", "man\u0303ana.md")

    first, second = scan_folder(tmp_path)

    assert (first.path, first.error) == ("mañana.md", None)
    assert second.path.startswith("mañana.md…")
    assert "rename one" in (second.error or "")


def test_what_is_no_regular_file_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "tubo.md")

    (found,) = scan_folder(tmp_path)

    assert found.error == "no regular file"
