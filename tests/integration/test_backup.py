"""A backup and its restoration: every row of every table, or nothing."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest
from backup_data import differing, rows_of
from backups import TENANT, add_note, put_back
from backups import file as file  # noqa: PLC0414  a fixture, re-exported to pytest
from backups import filled as filled  # noqa: PLC0414  a fixture, re-exported to pytest
from backups import other as other  # noqa: PLC0414  a fixture, re-exported to pytest
from databases import cloned_database
from psycopg import sql
from psycopg.conninfo import make_conninfo

from rag_core.backup import restore as restoring
from rag_core.backup.archive import open_archive
from rag_core.backup.create import back_up
from rag_core.errors import ConflictError, DatabaseSetupError
from rag_core.settings import read_settings
from rag_core.storage import backup as stored
from rag_core.storage.connecting import ensure_database
from rag_core.storage.database import Database, open_database
from rag_core.storage.schema import SCHEMA_FILE, dump_schema
from rag_core.storage.search import search_fulltext, search_semantic
from rag_core.storage.vector_index import ensure_vector_index


class TestEveryTable:
    """Every table is restored as it was backed up."""

    def test_every_table_has_a_row_to_lose(self, filled: Database) -> None:
        assert [name for name, rows in rows_of(filled.owner_conninfo).items() if not rows] == []

    def test_every_row_comes_back(self, filled: Database, file: Path, other: Database) -> None:
        report = put_back(other, file)

        before, after = rows_of(filled.owner_conninfo), rows_of(other.owner_conninfo)
        assert differing(before, after) == []
        assert {table.name: table.rows for table in report.manifest.tables} == {
            name: len(rows) for name, rows in before.items()
        }

    @pytest.mark.parametrize(
        "change",
        [
            "update brain.notes set metadata = metadata || '{\"x\": 1}' where external_id = 'paraguas'",
            "delete from brain.note_tags where ctid = (select min(ctid) from brain.note_tags)",
            "update brain.service_minutes set latency_p50_ms = 0.1",
        ],
    )
    def test_a_planted_difference_is_seen(self, filled: Database, file: Path, other: Database, change: str) -> None:
        put_back(other, file)
        with other.owner() as connection:
            connection.execute(change)

        assert differing(rows_of(filled.owner_conninfo), rows_of(other.owner_conninfo)) != []

    def test_the_schema_is_the_migrations_with_every_key_index_and_trigger(self, file: Path, other: Database) -> None:
        put_back(other, file)

        assert dump_schema(other.owner_conninfo) == SCHEMA_FILE.read_text(encoding="utf-8")

    def test_searches_find_the_same(self, engine, filled: Database, file: Path, other: Database) -> None:
        put_back(other, file)

        def found(database: Database):
            vector = engine.embedder.embed(["el paraguas verde"], role="query")[0]
            return (
                search_fulltext(database, TENANT, "paraguas en el tren", limit=20, timeout_ms=9_000).ranking,
                search_semantic(
                    database, TENANT, vector, model=engine.model, searched="contextual", limit=20, timeout_ms=9_000
                ),
            )

        assert found(filled) == found(other)
        assert all(found(other))

    def test_what_comes_after_is_indexed_and_numbered_as_ever(self, file: Path, other: Database) -> None:
        put_back(other, file)
        with other.owner() as connection:
            connection.execute(
                "insert into brain.chunks (tenant_id, chunk_id, note_id, chunk_index, start_char, end_char, content,"
                " token_count, chunking_method, language) select tenant_id, gen_random_uuid(), note_id, 99, 0, 9,"
                " 'zanahoria', 1, 'fixed', 'es' from brain.notes where external_id = 'paraguas'"
            )

        assert len(search_fulltext(other, TENANT, "zanahorias", limit=5, timeout_ms=9_000).ranking) == 1

    def test_vectors_are_indexed_again(self, engine, file: Path, other: Database, monkeypatch) -> None:
        monkeypatch.setattr(restoring, "ensure_vector_index", partial(ensure_vector_index, exact_scan_chunks=0))

        report = put_back(other, file)

        with other.owner() as connection:
            found = connection.execute("select to_regclass('brain.embeddings_hnsw_1_contextual')::text").fetchone()
        assert report.indexes == 1
        assert found == ("brain.embeddings_hnsw_1_contextual",)

    def test_it_shows_one_moment_although_others_write_meanwhile(
        self, filled: Database, other: Database, tmp_path: Path, monkeypatch
    ) -> None:
        before = rows_of(filled.owner_conninfo)
        copy_out = stored.copy_out

        def copy_and_write(*arguments):
            add_note(filled, "nueva")
            return copy_out(*arguments)

        monkeypatch.setattr(stored, "copy_out", copy_and_write)
        back_up(filled, tmp_path / "brain.zip")
        monkeypatch.setattr(stored, "copy_out", copy_out)

        put_back(other, tmp_path / "brain.zip")

        assert differing(before, rows_of(other.owner_conninfo)) == []
        assert differing(rows_of(filled.owner_conninfo), before) == ["corpus_statistics", "notes", "tenants"][1:]

    def test_an_owner_who_is_no_superuser_backs_up_and_restores(
        self, ordinary_owner: str, filled: Database, file: Path, tmp_path: Path
    ) -> None:
        with open_database(read_settings(database_url=ordinary_owner)) as owned:
            put_back(owned, file)
            back_up(owned, tmp_path / "own.zip")

        assert differing(rows_of(filled.owner_conninfo), rows_of(ordinary_owner)) == []
        with open_archive(file) as one, open_archive(tmp_path / "own.zip") as two:
            assert one.manifest.tables == two.manifest.tables

    def test_a_server_that_takes_words_apart_otherwise_indexes_them_its_own_way(
        self, server: str, filled: Database, file: Path
    ) -> None:
        with cloned_database(server, "template0") as url:  # libc knows that an emoji is no letter
            with open_database(read_settings(database_url=url)) as moved:
                report = put_back(moved, file)
                found = search_fulltext(moved, TENANT, "ñoquis en casa", limit=50, timeout_ms=9_000).ranking
                with moved.owner() as connection:
                    (odd,) = connection.execute(ODD_POSTINGS).fetchone()
                    (sums,) = connection.execute(ODD_SUMS).fetchone()
            after = rows_of(url)

        assert report.is_fulltext_rebuilt
        assert (len(found), odd, sums) == (12, 0, 0)
        assert differing(rows_of(filled.owner_conninfo), after) == [
            "chunks",
            "corpus_statistics",
            "posting_blocks",
        ]


ODD_POSTINGS = """
select count(*) from (
    select tenant_id, language, lexeme, chunk_id, cardinality(positions)::smallint as frequency
    from brain.chunks, unnest(lexemes)
) c full join brain.postings p using (tenant_id, language, lexeme, chunk_id)
where c.frequency is distinct from p.term_frequency
"""
ODD_SUMS = """
select count(*) from (
    select tenant_id, language, lexeme, count(*) as n from brain.postings group by 1, 2, 3
) p full join (
    select tenant_id, language, lexeme, sum(document_frequency) as n from brain.lexeme_statistics group by 1, 2, 3
) s using (tenant_id, language, lexeme)
where p.n is distinct from s.n
"""


@pytest.fixture
def ordinary_owner(server: str, template: str) -> Iterator[str]:
    """A database whose owner an administrator prepared as deploy/prepare-database.sql does."""
    name = f"{template}_owned"
    conninfo = ensure_database(server, name)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("create role dueno login")
        connection.execute("grant brain_app to dueno with inherit false, set true")
        connection.execute(sql.SQL("alter database {} owner to dueno").format(sql.Identifier(name)))
        connection.execute("create extension vector")
    yield make_conninfo(conninfo, user="dueno")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
        connection.execute("drop role dueno")


class TestWhatIsThere:
    """An installation that holds something is replaced only when that is asked for."""

    def test_it_is_left_alone_unless_replacing_is_asked_for(self, file: Path, other: Database) -> None:
        add_note(other, "mia")
        before = rows_of(other.owner_conninfo)

        with pytest.raises(ConflictError, match="--replace"):
            put_back(other, file)

        assert differing(before, rows_of(other.owner_conninfo)) == []

    def test_it_goes_when_replacing_is_asked_for(self, filled: Database, file: Path, other: Database) -> None:
        add_note(other, "mia")

        put_back(other, file, is_replacing=True)

        assert differing(rows_of(filled.owner_conninfo), rows_of(other.owner_conninfo)) == []

    def test_a_service_that_only_ran_counts_as_empty(self, file: Path, other: Database) -> None:
        with other.owner() as connection:
            connection.execute("insert into brain.service_minutes values ('p', now(), 0, 0, 0)")

        assert put_back(other, file).manifest.tables

    def test_numbers_given_out_are_never_given_out_again(self, file: Path, other: Database) -> None:
        with other.owner() as connection:
            connection.execute("select setval('brain.corpus_statistics_change_id_seq', 500000)")

        put_back(other, file, is_replacing=True)

        with other.owner() as connection:
            row = connection.execute("select nextval('brain.corpus_statistics_change_id_seq')").fetchone()
        assert row == (500_001,)

    def test_a_table_of_somebody_else_is_neither_backed_up_nor_dropped(
        self, filled: Database, file: Path, tmp_path: Path
    ) -> None:
        with filled.owner() as connection:
            connection.execute("create table brain.mine (id int)")

        with pytest.raises(DatabaseSetupError, match=r"ALTER TABLE brain\.mine SET SCHEMA"):
            back_up(filled, tmp_path / "two.zip")
        with pytest.raises(DatabaseSetupError, match="mine"):
            put_back(filled, file, is_replacing=True)

        assert not (tmp_path / "two.zip").exists()
