"""`brain import`: it asks for an index run only where there is something to index, and takes no more notes than there may be."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Brain, Done

from rag_core.storage.batches import list_tenants
from rag_core.storage.database import Database

NEXT = "Run `brain index`"


@pytest.fixture
def imported(brain: Brain, tmp_path: Path) -> Brain:
    """Import texts from a file by their places in it."""
    file = tmp_path / "notas.jsonl"

    def run(*texts: str) -> Done:
        lines = (json.dumps({"id": str(place), "text": text}) for place, text in enumerate(texts))
        file.write_text("\n".join(lines), encoding="utf-8")
        return brain("import", file, "--source", "diario")

    return run


def test_new_notes_are_to_be_indexed(imported: Brain) -> None:
    done = imported("Compré pan.")

    assert "imported 1" in done.stdout
    assert NEXT in done.stderr


def test_nothing_is_asked_for_where_all_is_indexed(imported: Brain, index_notes: Any) -> None:
    imported("Compré pan.")
    index_notes()

    done = imported("Compré pan.")

    assert "unchanged 1" in done.stdout
    assert NEXT not in done.output


def test_an_edited_note_is_to_be_indexed(imported: Brain, index_notes: Any) -> None:
    imported("Compré pan.")
    index_notes()

    assert NEXT in imported("Compré pan y leche.").stderr


def test_what_an_earlier_import_left_is_to_be_indexed_still(imported: Brain) -> None:
    imported("Compré pan.")

    done = imported("Compré pan.")

    assert "unchanged 1" in done.stdout
    assert NEXT in done.stderr


def test_attached_notes_are_all_taken_and_leave_no_room_for_imported_ones(
    brain: Brain, imported: Brain, tmp_path: Path
) -> None:
    imported("Compré pan.")
    brain("tenant", "limit", "pruebas", "--max-notes", "2")
    file = tmp_path / "cuaderno.jsonl"
    lines = [{"id": name, "text": f"Vino {name}."} for name in ("Ana", "Eva", "Luis")]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    attached = brain("migration", "attach", file, "--json")
    refused = imported("Compré pan.", "Compré leche.")

    assert attached.exit_code == 0, attached.output
    assert json.loads(attached.stdout)["attached"] == 3
    assert "rejected 1" in refused.stdout
    assert "pruebas has the 2 notes it may have" in refused.stderr


class TestTenantThatIsNotThere:
    @pytest.fixture
    def file(self, database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
        monkeypatch.setenv("DATABASE_URL", database_url)
        monkeypatch.setenv("BRAIN_HOME", str(tmp_path))
        monkeypatch.delenv("BRAIN_TENANT", raising=False)
        file = tmp_path / "notas.jsonl"
        file.write_text('{"id": "1", "text": "Compré pan."}', encoding="utf-8")
        return file

    def test_is_made_for_a_note_and_named_with_those_like_it(self, brain: Brain, file: Path) -> None:
        brain("tenant", "create", "familia")
        brain("tenant", "create", "taller")

        first = brain("import", file, "--tenant", "famlia")
        again = brain("import", file, "--tenant", "famlia")

        made = "The tenant famlia did not exist and was created. If familia was meant, `brain tenant delete famlia` removes it."
        assert made in first.stderr.splitlines()
        assert "was made" not in again.output

    def test_is_told_of_in_json(self, brain: Brain, file: Path) -> None:
        told = [brain("import", file, "--tenant", "casa", "--json").stdout for _ in range(2)]

        assert [json.loads(one)["is_new_tenant"] for one in told] == [True, False]

    def test_is_not_made_where_every_line_is_rejected(self, brain: Brain, file: Path, database: Database) -> None:
        file.write_text('{"id": "1"}\nno es JSON', encoding="utf-8")

        done = brain("import", file, "--tenant", "famlia")

        assert done.exit_code == 1
        assert "rejected 2" in done.stdout
        assert "was made" not in done.output
        assert list_tenants(database) == []

    def test_is_not_made_where_the_database_refuses_every_note(
        self, brain: Brain, file: Path, database: Database
    ) -> None:
        with database.owner() as connection:
            connection.execute("alter table brain.notes add constraint none_of_it check (title <> 'malo')")
        file.write_text('{"id": "1", "title": "malo", "text": "Compré pan."}', encoding="utf-8")

        done = brain("import", file, "--tenant", "famlia")

        assert "PostgreSQL refuses it" in done.stderr
        assert list_tenants(database) == []

    def test_is_told_to_nobody_who_runs_as_another(
        self, brain: Brain, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        brain("tenant", "create", "familia")
        monkeypatch.setenv("BRAIN_TENANT", "casa")

        done = brain("import", file, "--tenant", "famlia")

        assert "The tenant famlia did not exist and was created." in done.stderr
        assert "familia" not in done.output


_DOCUMENTS = {
    "carpeta": "is a folder",
    "Croquetas.md": "holds no notes (its first line is not JSON",
    "hoja.csv": "holds no notes (its first line is not JSON",
}


@pytest.mark.parametrize(("command", "documents"), [(["import"], {}), (["migration", "attach"], _DOCUMENTS)])
def test_what_holds_no_notes_is_refused_as_a_whole_with_what_is_expected(
    brain: Brain, imported: Brain, database: Database, tmp_path: Path, command: list[str], documents: dict[str, str]
) -> None:
    imported("Compré pan.")
    (tmp_path / "carpeta").mkdir()
    (tmp_path / "Croquetas.md").write_text("# Croquetas\n\n- 500 g de pollo\n- 1 cebolla\n" * 50, encoding="utf-8")
    (tmp_path / "hoja.csv").write_text("fecha,texto\n2025-03-01,Llovió\n", encoding="utf-8")
    (tmp_path / "lista.json").write_text('[{"id": "a", "text": "Llovió."}]', encoding="utf-8")
    reasons = documents | {
        "lista.json": "holds no notes (its first line is a JSON list)",
        "nada.jsonl": "there is no file",
    }

    for name, reason in reasons.items():
        done = brain(*command, tmp_path / name)

        assert (done.exit_code, done.stdout) == (1, ""), name
        assert reason in done.stderr
        assert 'each a note such as {"id": "2025-03-01", "text"' in done.stderr
        assert "line 2" not in done.stderr
    with database.owner() as connection:
        assert connection.execute("select count(*) from brain.migration_failures").fetchone() == (0,)


def test_a_folder_without_a_file_is_refused(brain: Brain, tmp_path: Path) -> None:
    (tmp_path / "carpeta").mkdir()

    done = brain("import", tmp_path / "carpeta")

    assert (done.exit_code, done.stdout) == (1, "")
    assert "holds no file that can be imported" in done.stderr


def test_a_file_with_a_note_after_lines_that_are_none_is_taken(brain: Brain, imported: Brain, tmp_path: Path) -> None:
    imported("Compré pan.")
    file = tmp_path / "mezcla.jsonl"
    file.write_text("título\n" * 99 + '{"id": "a", "text": "Llovió."}\n', encoding="utf-8")

    done = brain("import", file, "--json")

    counts = json.loads(done.stdout)
    assert (counts["imported"], counts["rejected_count"]) == (1, 99)


class TestWhatIsWrongWithTheLines:
    """Problems that many lines have are told once."""

    @pytest.fixture
    def load(self, brain: Brain, imported: Brain, tmp_path: Path) -> Brain:
        def run(*lines: str, options: tuple[str, ...] = ()) -> Done:
            file = tmp_path / "lineas.jsonl"
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            return brain("import", file, *options)

        return run

    def test_the_same_error_on_many_lines_is_told_once_with_its_count_and_first_lines(self, load: Brain) -> None:
        empty = [json.dumps({"id": str(number), "text": ""}) for number in range(2, 40)]

        done = load('{"id": "1", "text": "Llovió."}', *empty, '{"id": "40", "text": "Otra.", "language": "fr"}')

        assert "rejected 39" in done.stdout
        problems = [line for line in done.stderr.splitlines() if line.startswith("  line")]
        assert problems == [
            "  lines 2, 3, 4, 5, 6 and 33 more: text is empty; a note needs some content",
            "  line 40: language is 'fr'; expected one of es, de, en",
        ]

    def test_errors_that_differ_in_a_value_alone_are_one_error(self, load: Brain) -> None:
        done = load(*(json.dumps({"id": str(n), "text": "a", "created_at": f"día {n}"}) for n in range(3)))

        problems = [line for line in done.stderr.splitlines() if line.startswith("  line")]
        assert problems == [
            "  lines 1, 2, 3: created_at is 'día 0'; expected an ISO date or date-time such as 2025-03-01T09:00:00+01:00"
        ]

    def test_fields_that_are_nearly_known_ones_are_told_and_the_lines_taken(self, load: Brain) -> None:
        done = load(*(json.dumps({"id": str(n), "text": "a", "createdAt": "2025-03-01"}) for n in range(7)))

        assert "imported 7" in done.stdout
        assert (
            "  lines 1, 2, 3, 4, 5 and 2 more: field 'createdAt' is kept as metadata; did you mean 'created_at'?"
            in done.stderr.splitlines()
        )

    def test_json_has_errors_and_warnings_by_kind(self, load: Brain) -> None:
        done = load('{"id": "1", "text": ""}', '{"id": "2", "text": "a", "Title": "b"}', options=("--json",))

        document = json.loads(done.stdout)
        assert document["problems"] == [{"error": "text is empty; a note needs some content", "count": 1, "lines": [1]}]
        assert document["warnings"] == [
            {"warning": "field 'Title' is kept as metadata; did you mean 'title'?", "count": 1, "lines": [2]}
        ]
        assert document["rejected"] == [{"line": 1, "error": "text is empty; a note needs some content"}]

    @pytest.mark.parametrize("content", ["", "\n \n"], ids=["no bytes", "blank lines"])
    def test_a_file_without_any_line_exits_1(self, brain: Brain, imported: Brain, tmp_path: Path, content: str) -> None:
        imported("Compré pan.")
        file = tmp_path / "vacio.jsonl"
        file.write_text(content, encoding="utf-8")

        done = brain("import", file)

        assert (done.exit_code, done.stdout) == (1, "")
        assert "vacio.jsonl is empty" in done.stderr
