"""Tables and files as sources of legacy notes, and an attachment that was killed."""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest
from attached_rows import ask, counts, execute, take, unit

from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.migration.attach import AttachReport, LegacyNote
from rag_core.migration.legacy_file import read_notes
from rag_core.migration.legacy_table import OpenTable, open_table
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine

TABLE = """
create table public.notes (
    id uuid primary key default gen_random_uuid(), content text, title text, created_at timestamptz,
    updated_at timestamptz, embedding vector(768),
    tsv tsvector generated always as (to_tsvector('spanish', coalesce(content, ''))) stored
)
"""


class TestTables:
    def open(self, engine: Engine, name: str = "public.notes", *, is_with_vectors: bool = True, **chosen: str) -> Any:
        return open_table(
            engine.database.owner_conninfo, name, is_ours=True, chosen=chosen, is_with_vectors=is_with_vectors
        )

    def take(self, engine: Engine, tenant: TenantId, table: OpenTable) -> AttachReport:
        return take(engine, tenant, table.notes)

    def test_a_table_with_vectors_and_a_tsvector_is_taken_whole_and_not_written_to(self, engine, tenant) -> None:
        execute(engine, TABLE)
        name = uuid.uuid4()
        vector = "[" + ",".join(map(str, unit(engine, "Vino Lucía."))) + "]"
        statement = (
            "insert into notes (id, content, title, created_at, updated_at, embedding) values (%s, 'Vino Lucía.', 'Visita', "
            "'2020-01-02 03:04:05.678+00', '2021-01-02 03:04:05+00', %s::vector), (gen_random_uuid(), '', null, now(), now(), "
            "null), (gen_random_uuid(), 'Antigua.', null, '0044-03-15 BC', null, null), "
            "(gen_random_uuid(), 'Sin fecha.', null, null, null, null)"
        )
        execute(engine, statement, name, vector)
        before = ask_owner(engine, "select md5(string_agg(n::text, '' order by id)) from public.notes n")

        with self.open(engine) as table:
            report = self.take(engine, tenant, table)

        assert (table.rows, [column.name for column in table.ignored]) == (4, ["tsv"])
        assert (report.attached, report.rejected_count, report.with_vector) == (2, 2, 1)
        assert ask(
            engine,
            tenant,
            "select title, created_at = '2020-01-02 03:04:05.678+00', updated_at = '2021-01-02 03:04:05+00' from notes "
            "where note_id = %s",
            name,
        ) == [("Visita", True, True)]
        assert ask_owner(engine, "select md5(string_agg(n::text, '' order by id)) from public.notes n") == before

    def test_rows_come_newest_first_and_those_without_a_date_last(self, engine, tenant) -> None:
        execute(engine, "create table notes (id int primary key, text text, created_at date)")
        execute(engine, "insert into notes values (1, 'a', '2020-01-01'), (2, 'b', null), (3, 'c', '2021-01-01')")

        with self.open(engine, "notes") as table:
            assert [note.id for note in table.notes] == ["3", "1", "2"]

    def test_columns_that_are_called_otherwise_are_named(self, engine, tenant) -> None:
        execute(
            engine,
            "create table apuntes (clave bigint, texto text, etiquetas text[], datos json, vec real[], content int)",
        )
        execute(engine, "insert into apuntes values (7, 'hola', '{a,b}', '{\"x\": 1}', '{1,2.5}', 3)")

        with self.open(
            engine, "apuntes", id="clave", content="texto", tags="etiquetas", metadata="datos", embedding="vec"
        ) as table:
            notes = list(table.notes)

        assert notes == [
            LegacyNote(place="(row 1)", id="7", text="hola", tags=["a", "b"], metadata={"x": 1}, embedding=[1.0, 2.5])
        ]
        assert [column.name for column in table.ignored] == ["content"]

    def test_metadata_in_a_column_of_texts_is_read(self, engine) -> None:
        execute(engine, "create table t (id int, body text, metadata text, tags text)")
        execute(engine, "insert into t values (1, 'a', '{\"x\": [1]}', 'p, q'), (2, 'b', 'no es json', null)")

        with self.open(engine, "t") as table:
            notes = {note.id: note for note in table.notes}

        assert (notes["1"].metadata, notes["1"].tags) == ({"x": [1]}, "p, q")
        assert "metadata is no JSON" in notes["2"].problem

    def test_vectors_that_are_not_wanted_are_not_read(self, engine) -> None:
        execute(engine, TABLE)
        execute(engine, "insert into notes (content, embedding) values ('hola', null)")

        with self.open(engine, is_with_vectors=False) as table:
            assert table.vectors is not None
            assert [note.embedding for note in table.notes] == [None]

    def test_what_is_missing_is_told_with_what_there_is(self, engine) -> None:
        execute(engine, "create table public.apuntes (clave int, texto text)")

        with (
            pytest.raises(NotFoundError, match=r"no table nadie; there are: public\.apuntes"),
            self.open(engine, "nadie"),
        ):
            pass
        with pytest.raises(InvalidInputError, match=r"public\.apuntes has clave, texto.*--column id=NAME"):
            self.open(engine, "apuntes").__enter__()
        with pytest.raises(InvalidInputError, match="--column content=contenido"):
            self.open(engine, "apuntes", id="clave", content="contenido").__enter__()
        with pytest.raises(InvalidInputError, match="'fecha' is none of"):
            self.open(engine, "apuntes", fecha="clave").__enter__()

    def test_brain_syncs_own_notes_are_not_legacy_notes(self, engine) -> None:
        with pytest.raises(InvalidInputError, match="Brain Sync's own"), self.open(engine, "brain.notes"):
            pass

    def test_the_table_cannot_be_written_through_the_connection_that_reads_it(self, engine) -> None:
        from rag_core.storage.legacy import reading

        with pytest.raises(Exception, match="read-only"), reading(engine.database.owner_conninfo) as connection:
            connection.execute("create table public.mine ()")


class TestFiles:
    def read(self, *lines: dict[str, Any] | bytes, is_with_vectors: bool = True) -> list[LegacyNote]:
        raw = [line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines]
        return list(read_notes(raw, is_with_vectors=is_with_vectors))

    def test_fields_are_called_as_columns_are(self) -> None:
        line = {"id": 7, "text": "hola", "title": "T", "created_at": "2020-01-01", "updated_at": "2021-01-01"}

        notes = self.read({**line, "metadata": {"a": 1}, "vector": [1.0]}, {"id": "b", "content": "adiós"})

        assert notes[0] == LegacyNote(
            place="(line 1)",
            id=7,
            text="hola",
            title="T",
            created_at="2020-01-01",
            updated_at="2021-01-01",
            metadata={"a": 1},
            embedding=[1.0],
        )
        assert notes[1].text == "adiós"

    def test_lines_that_are_no_notes_come_with_their_problem_and_their_number(self) -> None:
        found = self.read(b"{nope\n", b"\n", {"id": "a", "otro": 1}, {"id": "b", "text": "x", "content": "y"}, b"[1]\n")

        assert [(note.place, note.id) for note in found] == [
            ("(line 1)", None),
            ("(line 3)", "a"),
            ("(line 4)", "b"),
            ("(line 5)", None),
        ]
        assert all(note.problem for note in found)

    def test_vectors_that_are_not_wanted_are_left_out(self) -> None:
        assert self.read({"id": "a", "text": "x", "embedding": [1]}, is_with_vectors=False)[0].embedding is None


def test_a_killed_attachment_leaves_whole_pages_and_the_next_one_goes_on(engine, tenant, tmp_path: Path) -> None:
    file = tmp_path / "notas.jsonl"
    file.write_text(
        "".join(json.dumps({"id": n, "text": f"La nota {n} de antes."}) + "\n" for n in range(3000)), "utf-8"
    )
    code = (
        "import os, signal\n"
        "from rag_core.migration import attach\n"
        "real = attach._add\n"
        "def add(report, page):\n"
        "    real(report, page)\n"
        "    if report.attached >= 2000: os.kill(os.getpid(), signal.SIGKILL)\n"
        "attach._add = add\n"
        "from rag_core.cli import main\n"
        "main()\n"
    )
    environment = {**os.environ, "DATABASE_URL": engine.database.owner_conninfo, "BRAIN_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", code, "migration", "attach", str(file), "--tenant", tenant, "--json"]

    killed = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=120)

    assert killed.returncode == -9, killed.stderr
    assert ask(engine, tenant, "select count(*) from notes") == [(2000,)]
    lines = file.read_bytes().splitlines(keepends=True)
    assert counts(take(engine, tenant, read_notes(lines, is_with_vectors=False))) == (1000, 0, 2000, 0)
    assert ask(engine, tenant, "select count(*), count(distinct note_id) from chunks") == [(3000, 3000)]


def ask_owner(engine: Engine, statement: str) -> list[tuple]:
    with engine.database.owner() as connection:
        return connection.execute(statement).fetchall()
