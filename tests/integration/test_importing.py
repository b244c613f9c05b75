import json
import time
import tracemalloc
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from zoneinfo import ZoneInfo

import pytest

from rag_core.errors import AmbiguousNoteError, NotFoundError
from rag_core.model.note import TenantId
from rag_core.notes.importing import ImportReport, import_lines, read_lines
from rag_core.notes.validation import parse_line
from rag_core.storage.database import Database
from rag_core.storage.notes import fetch_note, find_note, find_notes, store_notes


def line(number: int | str, text: str, **more: object) -> bytes:
    return (json.dumps({"id": str(number), "text": text, **more}) + "\n").encode()


def load(database: Database, tenant: TenantId, lines, *, source: str = "diario") -> ImportReport:
    return import_lines(
        database, tenant, lines, source=source, language="es", zone=ZoneInfo("Europe/Madrid"), max_characters=10_000
    )


def counts(report: ImportReport) -> tuple[int, int, int, int]:
    return report.imported, report.updated, report.unchanged, report.rejected_count


def test_good_lines_go_in_and_bad_ones_are_named(database: Database, tenant: TenantId) -> None:
    lines = [line(1, "uno"), b"{nope\n", b"\n", line(2, "dos"), line(3, "   "), b'{"id": "4", "text": "\xff"}\n']

    report = load(database, tenant, lines)

    assert counts(report) == (2, 0, 0, 3)
    assert [r.line for r in report.rejected] == [2, 5, 6]


def test_importing_again_changes_nothing(database: Database, tenant: TenantId) -> None:
    lines = [line(1, "uno", title="T", created_at="2025-01-01", metadata={"tags": ["a"]}), line(2, "dos")]
    load(database, tenant, lines)

    assert counts(load(database, tenant, lines)) == (0, 0, 2, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"text": "otra"},
        {"title": "otro"},
        {"created_at": "2025-02-02"},
        {"metadata": {"tags": ["b"]}},
    ],
)
def test_a_line_that_differs_updates_its_note(database: Database, tenant: TenantId, change: dict) -> None:
    first = {"title": "T", "created_at": "2025-01-01", "metadata": {"tags": ["a"]}}
    load(database, tenant, [line(1, "uno", **first)])

    report = load(database, tenant, [line(1, change.pop("text", "uno"), **{**first, **change})])

    assert counts(report) == (0, 1, 0, 0)


HIDDEN = {"visibility": "department", "department": "Ventas", "tags": ["a"]}


@pytest.mark.parametrize(
    ("again", "metadata", "departments"),
    [
        ({}, HIDDEN, ["ventas"]),
        ({"metadata": None}, HIDDEN, ["ventas"]),
        ({"metadata": {}}, {}, None),
        ({"metadata": {"tags": ["b"]}}, {"tags": ["b"]}, None),
        ({"metadata": {"visibility": "private"}}, {"visibility": "private"}, []),
    ],
    ids=str,
)
@pytest.mark.parametrize("text", ["uno", "otra"])
def test_a_line_without_metadata_leaves_the_note_for_whom_it_was(
    database: Database, tenant: TenantId, text: str, again: dict, metadata: dict, departments: list[str] | None
) -> None:
    load(database, tenant, [line(1, "uno", metadata=HIDDEN)])

    report = load(database, tenant, [line(1, text, **again)])

    with database.transaction(tenant) as connection:
        stored = connection.execute("select content, metadata, tags, departments from notes").fetchone()
    assert stored == (text, metadata, metadata.get("tags", []), departments)
    assert counts(report) == ((0, 0, 1, 0) if text == "uno" and metadata == HIDDEN else (0, 1, 0, 0))


@pytest.mark.parametrize("field", [{"tags": ["mar"]}, {"lugar": "Sueca"}, {"tags": ["mar"], "metadata": None}])
def test_a_line_with_other_fields_alone_leaves_the_note_for_whom_it_was(
    database: Database, tenant: TenantId, field: dict
) -> None:
    load(database, tenant, [line(1, "uno", metadata=HIDDEN)])

    load(database, tenant, [line(1, "uno", **field)])

    with database.transaction(tenant) as connection:
        metadata, departments = connection.execute("select metadata, departments from notes").fetchone()
    audience = {key: value for key, value in HIDDEN.items() if key in {"visibility", "department", "departments"}}
    own = {key: value for key, value in field.items() if value is not None}
    assert metadata == audience | own
    assert departments is not None


def test_a_composed_and_a_decomposed_text_are_the_same_note(database: Database, tenant: TenantId) -> None:
    load(database, tenant, [line(1, unicodedata.normalize("NFC", "canción"))])

    assert counts(load(database, tenant, [line(1, unicodedata.normalize("NFD", "canción"))])) == (0, 0, 1, 0)


def test_an_id_that_comes_twice_is_an_update_of_the_first(database: Database, tenant: TenantId) -> None:
    report = load(database, tenant, [line(1, "uno"), line(1, "dos"), line(1, "dos")])

    assert counts(report) == (1, 1, 1, 0)
    with database.transaction(tenant) as connection:
        assert fetch_note(connection, tenant, find_note(connection, tenant, "1")).content == "dos"


def test_the_same_file_for_two_tenants_makes_two_notes(database: Database, tenant: TenantId) -> None:
    load(database, tenant, [line(1, "uno")])

    assert counts(load(database, TenantId("otra"), [line(1, "uno")])) == (1, 0, 0, 0)


def test_a_note_without_a_date_keeps_the_one_it_got(database: Database, tenant: TenantId) -> None:
    load(database, tenant, [line(1, "uno")])

    assert counts(load(database, tenant, [line(1, "uno")])) == (0, 0, 1, 0)


def test_a_note_is_named_by_external_id_source_and_id_or_uuid(database: Database, tenant: TenantId) -> None:
    load(database, tenant, [line("a:b", "uno"), line("c", "dos")])

    with database.transaction(tenant) as connection:
        found = find_notes(connection, tenant, ["a:b", "diario:c", "c", "nadie"])
        by_uuid = find_note(connection, tenant, str(found["c"]))

    assert found["diario:c"] == found["c"] == by_uuid
    assert "nadie" not in found


def test_an_id_in_two_sources_must_be_written_with_its_source(database: Database, tenant: TenantId) -> None:
    load(database, tenant, [line(1, "uno")])
    load(database, tenant, [line(1, "otro")], source="agenda")

    with database.transaction(tenant) as connection:
        with pytest.raises(AmbiguousNoteError, match="agenda:1, diario:1"):
            find_note(connection, tenant, "1")
        assert find_note(connection, tenant, "agenda:1") != find_note(connection, tenant, "diario:1")


def test_an_unknown_name_is_refused(database: Database, tenant: TenantId) -> None:
    with database.transaction(tenant) as connection, pytest.raises(NotFoundError, match="'nada'"):
        find_note(connection, tenant, "nada")


def test_memory_does_not_grow_with_the_number_of_lines(database: Database, tenant: TenantId) -> None:
    def lines(count: int) -> Iterator[bytes]:
        return (line(number, f"nota {number} " + "palabra " * 20) for number in range(count))

    def peak(count: int) -> int:
        tracemalloc.start()
        load(database, tenant, lines(count))
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    small, large = peak(1500), peak(6000)

    assert large < small * 1.3


def test_a_line_only_the_database_refuses_is_named_and_the_others_go_in(database: Database, tenant: TenantId) -> None:
    with database.owner() as connection:
        connection.execute("alter table brain.notes add check (content <> 'prohibido')")

    report = load(database, tenant, [line(1, "uno"), line(2, "prohibido"), line(3, "tres")])

    assert counts(report) == (2, 0, 0, 1)
    assert report.rejected[0].line == 2


def test_a_huge_line_is_rejected_without_being_kept(tmp_path, database: Database, tenant: TenantId) -> None:
    file = tmp_path / "huge.jsonl"
    file.write_bytes(line(1, "uno") + b'{"id": "2", "text": "' + b"x" * 3_000_000 + b'"}\n' + line(3, "tres"))

    with file.open("rb") as opened:
        lines = list(read_lines(opened, max_bytes=100_000))

    assert [len(one) for one in lines] == [len(line(1, "uno")), 100_000, len(line(3, "tres"))]
    assert counts(load(database, tenant, lines)) == (2, 0, 0, 1)


def test_two_imports_of_the_same_new_note_keep_the_later_one(database: Database, tenant: TenantId) -> None:
    with ThreadPoolExecutor(1) as other:
        with database.transaction(tenant, has_copy=True) as connection:
            store_notes(connection, tenant, [parsed("primero")])
            second = other.submit(load, database, tenant, [line(1, "segundo")])
            time.sleep(0.5)
        report = second.result(timeout=30)

    assert counts(report) == (0, 1, 0, 0)
    with database.transaction(tenant) as connection:
        assert fetch_note(connection, tenant, find_note(connection, tenant, "1")).content == "segundo"
        assert connection.execute("select content from chunks").fetchall() == [("segundo",)]


def test_imports_in_opposite_orders_do_not_deadlock(database: Database, tenant: TenantId) -> None:
    def run(numbers: list[int]) -> tuple[int, int, int, int]:
        return counts(load(database, tenant, [line(number, f"nota {number} de {numbers[0]}") for number in numbers]))

    with ThreadPoolExecutor(4) as pool:
        orders = [list(range(200)), list(range(199, -1, -1)), list(range(100, 300)), list(range(299, 99, -1))]
        reports = [future.result(timeout=60) for future in [pool.submit(run, order) for order in orders]]

    assert all(sum(report[:3]) == 200 for report in reports)


def parsed(text: str):
    return parse_line(
        line(1, text).decode(), source="diario", language="es", zone=ZoneInfo("Europe/Madrid"), max_characters=100
    )
