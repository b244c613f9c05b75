"""Who sees a part of a tenant's notes: what of the others reaches them, by whatever way it could."""

import itertools
from collections.abc import Sequence

import pytest
from psycopg import sql
from read_by_some import AUDIENCES, seen_by
from read_by_some import notes as notes  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.configuration.schema import configure
from rag_core.errors import NotFoundError
from rag_core.model.note import TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine
from rag_core.storage.database import Database
from rag_core.storage.facets import fetch_facets
from rag_core.storage.notes import count_notes, fetch_note, find_notes, list_notes
from rag_core.storage.search import search_fulltext, search_semantic

SEES: dict[str, tuple[Sequence[str] | None, set[str]]] = {
    "everything": (None, {"all", "sales", "both", "private"}),
    "no department": ([], {"all"}),
    "sales": (["VENTAS "], {"all", "sales", "both"}),
    "purchasing": (["compras"], {"all", "both"}),
    "both": (["ventas", "compras"], {"all", "sales", "both"}),
    "another": (["rrhh", "*", "{ventas}"], {"all"}),
}
EVERY_WAY = pytest.mark.parametrize(("departments", "expected"), SEES.values(), ids=SEES)


def found(engine: Engine, tenant: TenantId, strategy: str, filters: Filters = NO_FILTERS) -> set[str]:
    config = configure({"strategy": strategy})
    answer = retrieve(engine, tenant, "el tren a Cádiz", config=config, filters=filters, timeout_ms=20_000)
    return {hit.external_id for hit in answer.hits}


class TestReading:
    """Notes, their names and their number."""

    @EVERY_WAY
    def test_notes_are_listed_counted_and_read_for_those_they_are_meant_for(
        self, database: Database, tenant: TenantId, notes, departments, expected
    ) -> None:
        limited = database.seen_by(departments)

        with limited.transaction(tenant) as connection:
            listed = {note.external_id for note in list_notes(connection, tenant, limit=10)}
            counted = count_notes(connection, tenant)
            named = set(find_notes(connection, tenant, [*notes, *map(str, notes.values())]))
        for name, note_id in notes.items():
            with limited.transaction(tenant) as connection:
                if name in expected:
                    assert fetch_note(connection, tenant, note_id).external_id == name
                else:
                    with pytest.raises(NotFoundError):
                        fetch_note(connection, tenant, note_id)

        assert listed == expected
        assert counted == {"notes": len(expected), "indexed": len(expected)}
        assert named == expected | {str(notes[name]) for name in expected}

    @EVERY_WAY
    def test_no_table_gives_a_row_of_another_note(
        self, engine: Engine, tenant: TenantId, notes, departments, expected
    ) -> None:
        with engine.database.owner() as connection:
            rows = connection.execute(
                """
                select distinct a.attrelid::regclass::text from pg_attribute a join pg_policy p on p.polrelid = a.attrelid
                where a.attname = 'note_id' and p.polname = 'audience'
                """
            ).fetchall()
        visible = {notes[name] for name in expected}

        with engine.database.seen_by(departments).transaction(tenant) as connection:
            for (table,) in rows:
                ids = connection.execute(sql.SQL("select note_id from {}").format(sql.SQL(table))).fetchall()
                assert {row[0] for row in ids} <= visible, table
            chunks = connection.execute("select distinct note_id from chunks").fetchall()
        assert {row[0] for row in chunks} == visible

    def test_where_nobody_says_whose_notes_are_seen_only_those_of_everybody_are(
        self, database: Database, tenant: TenantId, notes
    ) -> None:
        with database.pool.connection() as connection:
            connection.execute("select set_config('brain.tenant', %s, true)", (tenant,))
            rows = connection.execute("select external_id from notes").fetchall()

        assert rows == [("all",)]

    @EVERY_WAY
    def test_facets_are_those_of_what_is_seen(
        self, engine: Engine, tenant: TenantId, notes, departments, expected
    ) -> None:
        limited = engine.database.seen_by(departments)

        assert set(fetch_facets(limited, tenant, timeout_ms=5_000).sources) == expected

    def test_a_language_of_unseen_notes_is_not_offered(self, engine, tenant, make_note, index_notes) -> None:
        make_note("Der Zug kam zu spät.", language="de", metadata={"visibility": "private", "tags": ["Geheim"]})
        make_note("El tren llegó tarde.")
        index_notes()

        seen = fetch_facets(engine.database.seen_by([]), tenant, timeout_ms=5_000)

        assert (seen.languages, seen.tags) == (("es",), ())
        assert set(fetch_facets(engine.database, tenant, timeout_ms=5_000).languages) == {"es", "de"}


class TestSearching:
    """Searches find notes of the audience alone, whatever else is asked of them."""

    @EVERY_WAY
    @pytest.mark.parametrize("strategy", ["semantic", "fulltext", "hybrid", "hybrid+rerank"])
    def test_a_search_finds_what_its_caller_may_see(
        self, engine: Engine, tenant: TenantId, notes, strategy, departments, expected
    ) -> None:
        assert found(seen_by(engine, departments), tenant, strategy) == expected

    def test_an_answer_that_is_remembered_for_one_is_not_given_to_another(self, engine, tenant, notes) -> None:
        for departments, expected in [*SEES.values(), *SEES.values()]:
            assert found(seen_by(engine, departments), tenant, "hybrid") == expected

    def test_windows_that_are_remembered_for_one_are_not_given_to_another(self, engine, tenant, notes) -> None:
        found(engine, tenant, "hybrid")
        given = engine.caches.context.figures.hits

        found(seen_by(engine, ["ventas"]), tenant, "hybrid")

        assert engine.caches.context.figures.hits == given

    def test_a_filter_opens_nothing(self, engine: Engine, tenant: TenantId, notes) -> None:
        wanted = Filters(document_ids=tuple(notes.values()), sources=("private", "sales", "all"))

        assert found(seen_by(engine, ["ventas"]), tenant, "hybrid", wanted) == {"all", "sales"}

    @pytest.mark.parametrize("few", [0, 10**9], ids=["walked", "compared"])
    def test_better_unseen_notes_take_no_places(self, engine, tenant, make_note, index_notes, few) -> None:
        for number in range(30):
            make_note(f"El tren, el tren y el tren {number}.", metadata=AUDIENCES["private"])
        for number in range(3):
            make_note(f"Una vez tomé un café, un zumo y también un tren, número {number}.", external_id=f"v{number}")
        index_notes()
        limited = engine.database.seen_by(["ventas"])
        vector = engine.query_embedder.embed(["el tren"], role="query")[0]
        same = {"limit": 3, "timeout_ms": 20_000, "exact_scan_chunks": few}

        by_words = search_fulltext(limited, tenant, "el tren", **same).ranking
        by_meaning = search_semantic(limited, tenant, vector, model=engine.model, searched="standard", **same)

        with engine.database.transaction(tenant) as connection:
            seen = {
                row[0]
                for row in connection.execute(
                    "select chunk_id from chunks c join notes using (note_id) where departments is null"
                )
            }
        assert {chunk for chunk, _ in by_words} == {chunk for chunk, _ in by_meaning} == seen
        assert len(seen) == 3

    def test_a_note_that_is_meant_for_others_now_is_found_by_them_now(self, engine, tenant, make_note, notes) -> None:
        limited = seen_by(engine, ["compras"])
        assert "sales" not in found(limited, tenant, "hybrid")

        metadata = {"visibility": "department", "department": "compras"}
        make_note("El tren a Cádiz llegó tarde, nota sales.", external_id="sales", source="sales", metadata=metadata)

        assert "sales" in found(limited, tenant, "hybrid")
        assert "sales" not in found(seen_by(engine, ["ventas"]), tenant, "hybrid")

    def test_an_import_of_the_same_notes_gives_them_their_audience(self, engine, tenant, make_note, notes) -> None:
        with engine.database.transaction(tenant) as connection:
            connection.execute("update notes set departments = null")

        for name, metadata in AUDIENCES.items():
            text = f"El tren a Cádiz llegó tarde, nota {name}."
            make_note(text, external_id=name, source=name, metadata=metadata)

        assert found(seen_by(engine, ["ventas"]), tenant, "hybrid") == {"all", "sales", "both"}


def test_a_database_that_sees_less_shares_everything_else_with_the_one_that_sees_all(database: Database) -> None:
    limited = database.seen_by(["b", "a", "B"])

    assert limited.departments == ("a", "b")
    assert (limited.pool, limited.breaker, limited.figures) == (database.pool, database.breaker, database.figures)
    assert limited.seen_by(["a", "b"]) is limited
    assert limited.seen_by(None).departments is None
    assert database.departments is None


@pytest.mark.parametrize("names", list(itertools.combinations(["*", '"', "a,b", "{x}", "\\", "ñ 🍅"], 2)))
def test_no_name_of_a_department_says_more_than_itself(database: Database, tenant: TenantId, make_note, names) -> None:
    make_note("Secreto.", metadata={"visibility": "department", "department": names[0]})

    def count(departments: Sequence[str]) -> tuple[int]:
        with database.seen_by(departments).transaction(tenant) as connection:
            return connection.execute("select count(*) from notes").fetchone()

    assert count([names[0]]) == (1,)
    assert count([names[1]]) == (0,)
