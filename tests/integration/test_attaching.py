"""Legacy tables and files taken over as whole notes."""

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from builders import make_new_note

from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.indexing.one_note import store_and_index
from rag_core.migration.attach import AttachReport, LegacyNote, attach
from rag_core.migration.legacy_file import read_notes
from rag_core.migration.legacy_table import OpenTable, open_table
from rag_core.model.embedding import input_hash
from rag_core.model.note import TenantId, note_id_for
from rag_core.runtime.engine import Engine
from rag_core.storage.migration_checks import check_legacy_texts
from rag_core.storage.notes import delete_notes

ZONE = ZoneInfo("Europe/Madrid")
TABLE = """
create table public.notes (
    id uuid primary key default gen_random_uuid(), content text, title text, created_at timestamptz,
    updated_at timestamptz, embedding vector(768),
    tsv tsvector generated always as (to_tsvector('spanish', coalesce(content, ''))) stored
)
"""


def row(number: int | str, text: str = "Una nota de antes.", **more: Any) -> LegacyNote:
    return LegacyNote(place=f"(line {number})", id=str(number), text=text, **more)


def take(
    engine: Engine, tenant: TenantId, rows: Iterable[LegacyNote], *, source: str = "legacy", origin: str | None = None
) -> AttachReport:
    return attach(
        engine.database,
        tenant,
        rows,
        source=source,
        model=engine.model,
        zone=ZONE,
        max_characters=10_000,
        language="es",
        origin=origin,
    )


def counts(report: AttachReport) -> tuple[int, int, int, int]:
    return report.attached, report.updated, report.unchanged, report.rejected_count


def ask(engine: Engine, tenant: TenantId, statement: str, *parameters: object) -> list[tuple]:
    with engine.database.transaction(tenant) as connection:
        return connection.execute(statement, parameters).fetchall()


def execute(engine: Engine, statement: str, *parameters: object) -> None:
    with engine.database.owner() as connection:
        connection.execute("set search_path = public, brain")
        connection.execute(statement, parameters)


def unit(engine: Engine, text: str) -> list[float]:
    return [float(number) for number in engine.embedder.embed([text], role="document")[0]]


class TestRows:
    def test_a_row_is_one_whole_note_found_at_once_with_its_line_in_the_ledger(self, engine, tenant) -> None:
        report = take(engine, tenant, [row("a", "Compré tomates.", created_at="2020-02-03", updated_at="2021-01-01")])

        assert counts(report) == (1, 0, 0, 0)
        assert ask(engine, tenant, "select chunking_method, content from chunks") == [("whole_note", "Compré tomates.")]
        assert ask(engine, tenant, "select legacy_state, chunked_at, batch_key from notes") == [("pending", None, None)]
        assert ask(
            engine,
            tenant,
            "select l.content_hash = n.content_hash, l.created_at = n.created_at, l.updated_at = n.updated_at, "
            "n.created_at::date::text, n.updated_at at time zone 'Europe/Madrid' = '2021-01-01' "
            "from legacy_notes l join notes n using (tenant_id, note_id)",
        ) == [(True, True, True, "2020-02-02", True)]
        assert ask(engine, tenant, "select state from migrations") == [("running",)]

    def test_an_id_that_is_a_uuid_stays_the_notes(self, engine, tenant) -> None:
        name = str(uuid.uuid4())

        take(engine, tenant, [row(name), row("17")])

        assert dict(ask(engine, tenant, "select external_id, note_id from notes")) == {
            name: uuid.UUID(name),
            "17": note_id_for(tenant, "legacy", "17"),
        }

    def test_attaching_again_changes_nothing(self, engine, tenant) -> None:
        rows = [row("a", created_at="2020-01-01"), row("b"), row("c", metadata={"n": 1.50}, tags=["x"])]
        take(engine, tenant, rows)
        before = ask(engine, tenant, "select xmin::text from notes order by note_id")

        report = take(engine, tenant, rows)

        assert counts(report) == (0, 0, 3, 0)
        assert ask(engine, tenant, "select xmin::text from notes order by note_id") == before

    @pytest.mark.parametrize(
        "change",
        [
            {"text": "Otro texto."},
            {"title": "Otro"},
            {"created_at": "2022-01-01"},
            {"metadata": {"a": 2}},
            {"tags": ["z"]},
        ],
    )
    def test_a_note_that_only_its_table_changed_follows_it(self, engine, tenant, change) -> None:
        first = {"text": "Un texto.", "title": "T", "created_at": "2020-01-01", "metadata": {"a": 1}}
        take(engine, tenant, [row("a", **first)])

        report = take(engine, tenant, [row("a", **{**first, **change})])

        assert counts(report) == (0, 1, 0, 0)
        assert counts(take(engine, tenant, [row("a", **{**first, **change})])) == (0, 0, 1, 0)
        assert ask(
            engine,
            tenant,
            "select n.content = c.content, l.updated_at = n.updated_at from notes n "
            "join chunks c using (tenant_id, note_id) join legacy_notes l using (tenant_id, note_id)",
        ) == [(True, True)]

    def test_a_note_edited_here_is_left_alone(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", "Como era.")])
        edited = make_new_note("Como es ahora.", "a", source="legacy")
        store_and_index(engine.database, tenant, edited, engine.pipeline, expected="known")

        report = take(engine, tenant, [row("a", "Como era, con otra coma.")])

        assert counts(report) == (0, 0, 0, 0)
        assert (report.kept_here, report.kept_here_count, report.taken) == (["a"], 1, 1)
        assert ask(engine, tenant, "select content from notes") == [("Como es ahora.",)]

    def test_a_note_edited_here_whose_row_is_as_it_was_is_unchanged(self, engine, tenant, make_note) -> None:
        take(engine, tenant, [row("a", "Como era.")])
        make_note("Como es ahora.", external_id="a", source="legacy")

        report = take(engine, tenant, [row("a", "Como era.")])

        assert (report.unchanged, report.kept_here) == (1, [])

    def test_a_text_that_was_damaged_is_made_good_by_attaching_again(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", "Como era.")])
        execute(engine, "update brain.notes set content = 'Cmo er.'")

        report = take(engine, tenant, [row("a", "Como era.")])

        assert counts(report) == (0, 1, 0, 0)
        assert ask(engine, tenant, "select n.content, c.content from notes n join chunks c using (note_id)") == [
            ("Como era.", "Como era.")
        ]
        assert check_legacy_texts(engine.database, tenant, None).violations == 0

    def test_a_note_deleted_here_comes_back_when_its_row_is_attached_again(self, engine, tenant) -> None:
        take(engine, tenant, [row("a")])
        with engine.database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [note_id_for(tenant, "legacy", "a")])

        assert counts(take(engine, tenant, [row("a")])) == (1, 0, 0, 0)
        assert ask(engine, tenant, "select count(*) from legacy_notes") == [(1,)]

    def test_bad_rows_are_remembered_by_id_and_reason_and_the_good_ones_taken(self, engine, tenant) -> None:
        rows = [
            row("a"),
            row("vacía", "   "),
            row("nulo", "con \0 dentro"),
            row("larga", "x" * 10_001),
            row("fecha", created_at="ayer"),
            row("otra fecha", updated_at="infinity"),
            row("etiquetas", tags=[1]),
            row("metadatos", metadata=[1]),
            row("x" * 600),
            LegacyNote(place="(line 10)", text="sin id"),
            LegacyNote(place="(line 11)", problem="not valid JSON"),
            row("b"),
        ]

        report = take(engine, tenant, rows)

        assert counts(report) == (2, 0, 0, 10)
        failures = dict(ask(engine, tenant, "select external_id, reason from migration_failures"))
        assert failures == {refusal.id: refusal.error for refusal in report.rejected}
        assert set(failures) == {
            *("vacía", "nulo", "larga", "fecha", "otra fecha", "etiquetas", "metadatos"),
            *("x" * 200 + "…", "(line 10)", "(line 11)"),
        }
        assert failures["otra fecha"].startswith("updated_at is 'infinity'")
        assert ask(engine, tenant, "select distinct stage, attempts from migration_failures") == [("attachment", 1)]

    def test_a_row_that_is_good_now_is_taken_and_forgotten_as_a_failure(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", ""), LegacyNote(place="(line 2)", problem="not valid JSON")])
        take(engine, tenant, [row("a", ""), LegacyNote(place="(line 2)", problem="not valid JSON")])
        assert ask(engine, tenant, "select attempts from migration_failures") == [(2,), (2,)]

        report = take(engine, tenant, [row("a"), LegacyNote(place="(line 2)", id="b", text="Mejor.")])

        assert counts(report) == (2, 0, 0, 0)
        assert ask(engine, tenant, "select count(*) from migration_failures") == [(0,)]

    def test_a_bad_row_that_is_gone_is_forgotten_but_not_one_of_another_table(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", ""), row("b")], origin="una.jsonl")
        take(engine, tenant, [row("c", "")], origin="otra.jsonl")

        take(engine, tenant, [row("b")], origin="una.jsonl")

        assert ask(engine, tenant, "select external_id from migration_failures") == [("c",)]

    def test_of_rows_with_one_id_the_first_is_taken_and_the_others_are_named_by_their_place(
        self, engine, tenant
    ) -> None:
        name = str(uuid.uuid4())
        rows = [row("a", "uno"), LegacyNote(place="(line 2)", id="a", text="dos"), row(name), row(name.upper())]

        report = take(engine, tenant, rows)

        assert counts(report) == (2, 0, 0, 2)
        assert [refusal.id for refusal in report.rejected] == ["(line 2)", f"(line {name.upper()})"]
        assert ask(engine, tenant, "select content from notes where external_id = 'a'") == [("uno",)]

    def test_a_uuid_that_another_note_has_is_refused(self, engine, tenant) -> None:
        name = str(uuid.uuid4())
        take(engine, tenant, [row(name)], source="una")

        report = take(engine, tenant, [row(name), row("b")], source="otra")

        assert counts(report) == (1, 0, 0, 1)
        assert f"una:{name}" in report.rejected[0].error

    def test_a_note_that_did_not_come_by_attaching_is_not_overwritten(self, engine, tenant, make_note) -> None:
        make_note("Importada.", external_id="a", source="legacy")

        report = take(engine, tenant, [row("a", "De la tabla.")])

        assert counts(report) == (0, 0, 0, 1)
        assert "--source" in report.rejected[0].error
        assert ask(engine, tenant, "select content, legacy_state from notes") == [("Importada.", None)]

    def test_a_row_that_postgresql_refuses_costs_no_other(self, engine, tenant) -> None:
        execute(engine, "alter table brain.notes add constraint planted check (external_id <> 'b')")

        report = take(engine, tenant, [row("a"), row("b"), row("c")])

        assert counts(report) == (2, 0, 0, 1)
        assert "planted" in ask(engine, tenant, "select reason from migration_failures")[0][0]

    def test_tags_join_those_of_the_metadata(self, engine, tenant) -> None:
        take(
            engine,
            tenant,
            [row("a", tags=["casa", "pan"], metadata={"tags": ["pan", "mar"], "n": 1}), row("b", tags="x, y")],
        )

        found = ask(engine, tenant, "select external_id, tags, metadata from notes order by 1")

        assert found[0] == ("a", ["pan", "mar", "casa"], {"tags": ["pan", "mar", "casa"], "n": 1})
        assert found[1][1] == ["x", "y"]

    def test_more_rows_reopen_a_finished_migration_and_leave_a_stopped_one_stopped(self, engine, tenant) -> None:
        take(engine, tenant, [row("a")])
        execute(engine, "update brain.migrations set state = 'finished', finished_at = now()")
        take(engine, tenant, [row("b")])
        assert ask(engine, tenant, "select state, finished_at from migrations") == [("running", None)]

        execute(engine, "update brain.migrations set state = 'stopped'")
        take(engine, tenant, [row("c")])
        assert ask(engine, tenant, "select state from migrations") == [("stopped",)]

    def test_whole_pages_are_kept_when_it_ends_early_and_a_second_time_goes_on(self, engine, tenant) -> None:
        def broken() -> Iterable[LegacyNote]:
            yield from (row(number) for number in range(1500))
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            take(engine, tenant, broken())
        assert ask(engine, tenant, "select count(*) from notes") == [(1000,)]

        assert counts(take(engine, tenant, [row(number) for number in range(1500)])) == (500, 0, 1000, 0)


class TestVectors:
    def test_a_rows_own_vector_is_both_vectors_of_the_whole_note(self, engine, tenant) -> None:
        vector = [2 * number for number in unit(engine, "Vino Lucía.")]

        report = take(engine, tenant, [row("a", "Vino Lucía.", embedding=vector), row("b", "Sin vector.")])

        assert (report.attached, report.with_vector) == (2, 1)
        found = ask(
            engine,
            tenant,
            "select kind, model_id, input_hash, round(vector_norm(vector)::numeric, 5)::float from embeddings order by kind",
        )
        digest = input_hash(engine.model, "Vino Lucía.", role="document")
        assert found == [("contextual", engine.model.id, digest, 1.0), ("standard", engine.model.id, digest, 1.0)]

    def test_vectors_can_be_brought_later(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", "Vino Lucía.")])

        report = take(engine, tenant, [row("a", "Vino Lucía.", embedding=unit(engine, "Vino Lucía."))])

        assert (report.unchanged, report.with_vector) == (1, 1)

    def test_vectors_of_another_length_are_an_error_with_its_remedy(self, engine, tenant) -> None:
        with pytest.raises(InvalidInputError, match=r"has 3 numbers.*768.*--without-vectors"):
            take(engine, tenant, [row("a", embedding=[1, 2, 3])])

        assert ask(engine, tenant, "select count(*) from notes") == [(0,)]

    @pytest.mark.parametrize(
        "bad", [[0.0] * 768, [float("nan")] * 768, [True] * 768, [10**400] * 768, [[1.0]] * 768, "texto", [1.0, 2.0]]
    )
    def test_a_vector_that_cannot_be_used_is_told_and_its_note_taken(self, engine, tenant, bad) -> None:
        report = take(engine, tenant, [row("a", embedding=unit(engine, "hola")), row("b", embedding=bad)])

        assert (report.attached, report.with_vector, report.unusable_vector_count) == (2, 1, 1)
        assert report.unusable_vectors[0].id == "b"

    def test_an_empty_vector_says_nothing_of_the_model_even_in_the_first_row(self, engine, tenant) -> None:
        report = take(engine, tenant, [row("a", embedding=[]), row("b", embedding=unit(engine, "hola"))])

        assert (report.attached, report.with_vector, report.unusable_vector_count) == (2, 1, 1)
        assert report.unusable_vectors[0].id == "a"

    def test_a_note_edited_here_is_not_given_the_vector_of_another_text(self, engine, tenant, make_note) -> None:
        take(engine, tenant, [row("a", "Vino Lucía.")])
        make_note("Vino Rosa.", external_id="a", source="legacy")

        report = take(engine, tenant, [row("a", "Vino Lucía.", embedding=unit(engine, "Vino Lucía."))])

        assert (report.unchanged, report.with_vector) == (1, 0)
        assert ask(engine, tenant, "select content from chunks") == [("Vino Rosa.",)]

    def test_a_changed_row_loses_the_old_vector(self, engine, tenant) -> None:
        take(engine, tenant, [row("a", "Vino Lucía.", embedding=unit(engine, "Vino Lucía."))])

        take(engine, tenant, [row("a", "Vino Rosa.")])

        assert ask(engine, tenant, "select count(*) from embeddings") == [(0,)]


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
