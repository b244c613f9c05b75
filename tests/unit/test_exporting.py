"""Notes as files: names that every file system takes, Markdown whose fields stand once."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from rag_core.errors import ConflictError
from rag_core.folders.exporting import export_notes, file_name, free_name, markdown_of
from rag_core.folders.front_matter import split_front_matter
from rag_core.model.note import Note, NoteId


def note(external_id: str = "a.md", **more) -> Note:
    facts = {"source": "diario", "title": "Título", "content": "Compré pan.", "language": "es", "metadata": {}}
    when = datetime(2025, 3, 1, 20, tzinfo=UTC)
    return Note(**{"id": NoteId(UUID(int=1)), "external_id": external_id, "created_at": when, **facts, **more})


@pytest.mark.parametrize(
    ("external_id", "expected"),
    [
        ("viajes/a.md", "viajes/a.md"),
        ("2025-03-01", "2025-03-01.md"),
        ("factura.pdf", "factura.pdf.md"),
        ("../../etc/passwd", "_/_/etc/passwd.md"),
        ("/a", "a.md"),
        (".oculto", "_oculto.md"),
        ('a:b*"c', "a_b__c.md"),
        ("/", "_.md"),
    ],
)
def test_a_file_is_named_after_its_note_and_stays_in_the_folder(external_id: str, expected: str) -> None:
    assert file_name(note(external_id)) == expected


def test_long_names_are_cut_between_characters() -> None:
    assert file_name(note("ñ" * 300)) == "ñ" * 100 + ".md"


def test_names_that_differ_in_case_alone_get_numbers() -> None:
    taken: set[str] = set()

    assert [free_name(name, taken) for name in ("b/a.md", "b/A.md", "b/a.md/c.md")] == ["b/a.md", "A-2.md", "c-2.md"]


def test_fields_told_behind_a_text_are_written_as_front_matter_alone() -> None:
    text = "Compré pan.\n\nestado: en curso"
    metadata = {"estado": "en curso", "tags": ["casa"]}

    written = markdown_of(note(content=text, metadata=metadata), "a.md", ZoneInfo("Europe/Madrid"))

    read = split_front_matter(written)
    assert read.body.strip() == "Compré pan."
    assert (
        dict(read.fields)
        == {
            "title": "Título",
            "date": "2025-03-01T21:00:00+01:00",
            "lang": "es",
        }
        | metadata
    )


def test_a_folder_with_files_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mio.txt").write_text("mío", encoding="utf-8")

    with pytest.raises(ConflictError, match="--replace"):
        export_notes([note()], tmp_path, form="markdown", zone=ZoneInfo("UTC"), is_replacing=False)

    assert [path.name for path in tmp_path.iterdir()] == ["mio.txt"]
