"""`brain export`: what it writes, `brain import` takes back."""

import json
from pathlib import Path

from command_line import Brain

LINES = [
    {
        "id": "1",
        "text": "Compré pan 🍅.\n\n---\nfin",
        "title": "Lunes",
        "created_at": "2025-03-01T21:00",
        "tags": ["casa", "Año"],
    },
    {"id": "2/b", "text": "Ich war müde.", "metadata": {"ort": "Köln", "n": [1, 2.5, None]}, "language": "de"},
    {"id": "3", "text": "Secreto.", "visibility": "private", "created_at": "2024-01-01"},
]


def imported(brain: Brain, folder: Path) -> None:
    file = folder / "diario.jsonl"
    file.write_text("\n".join(map(json.dumps, LINES)), encoding="utf-8")
    assert brain("import", file, "--source", "diario").exit_code == 0


def test_json_lines_taken_back_are_the_notes_that_were_written(brain: Brain, tmp_path: Path) -> None:
    imported(brain, tmp_path)
    first, second = tmp_path / "uno", tmp_path / "dos"

    done = brain("export", first, "--format", "jsonl", "--json")
    back = brain("import", first / "diario.jsonl", "--source", "diario", "--tenant", "otra", "--json")
    brain("export", second, "--format", "jsonl", "--tenant", "otra")

    assert done.json == {"notes": 3, "files": 1}
    assert back.json["imported"] == 3
    assert (second / "diario.jsonl").read_text("utf-8") == (first / "diario.jsonl").read_text("utf-8")
    written = [json.loads(line) for line in (first / "diario.jsonl").read_text("utf-8").splitlines()]
    assert [line["id"] for line in written] == ["1", "2/b", "3"]
    assert written[0]["metadata"] == {"tags": ["casa", "Año"]}


def test_a_folder_of_markdown_comes_back_as_it_was(brain: Brain, tmp_path: Path) -> None:
    vault = tmp_path / "Notas"
    (vault / "viajes").mkdir(parents=True)
    (vault / "viajes" / "a.md").write_text(
        "---\ntitle: Viaje\ndate: 2024-05-06\nautor: Marta\n---\n\n# Viaje\n\nVi [[b]] y #mar.\n", encoding="utf-8"
    )
    (vault / "b.md").write_text("Compré harina\n", encoding="utf-8")
    brain("import", vault)
    brain("export", tmp_path / "uno")

    brain("import", tmp_path / "uno" / "Notas", "--tenant", "otra")
    brain("export", tmp_path / "dos", "--tenant", "otra")

    for name in ("viajes/a.md", "b.md"):
        written = (tmp_path / "uno" / "Notas" / name).read_text("utf-8")
        assert (tmp_path / "dos" / "Notas" / name).read_text("utf-8") == written
    assert "autor: Marta" in (tmp_path / "uno/Notas/viajes/a.md").read_text("utf-8").split("---")[1]


def test_filters_choose_the_notes_and_files_are_replaced_only_when_asked(brain: Brain, tmp_path: Path) -> None:
    imported(brain, tmp_path)
    brain("export", tmp_path / "copia", "--tag", "casa")

    refused = brain("export", tmp_path / "copia")
    replaced = brain("export", tmp_path / "copia", "--to", "2024-12-31", "--replace")

    assert refused.exit_code == 1
    assert "--replace" in refused.stderr
    assert "exported 1 note in 1 file" in replaced.stdout
    assert {path.name for path in (tmp_path / "copia" / "diario").iterdir()} == {"1.md", "3.md"}
