"""Who sees a part of a tenant's notes: what of the others reaches them, by whatever way it could."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from psycopg import sql

from rag_core.configuration.schema import GraphRag, configure
from rag_core.errors import NotFoundError
from rag_core.graph.rules import RuleExtractor
from rag_core.indexing.graph import update_graph
from rag_core.model.note import NoteId, TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters
from rag_core.retrieval.graph_paths import search_graph
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches
from rag_core.storage.database import Database
from rag_core.storage.facets import fetch_facets, fetch_path_evidence
from rag_core.storage.graph import fetch_stem_weights
from rag_core.storage.notes import count_notes, fetch_note, find_notes, list_notes
from rag_core.storage.rerankers import fetch_candidate_texts
from rag_core.storage.search import search_fulltext, search_semantic

AUDIENCES = {
    "all": None,
    "sales": {"visibility": "department", "department": "Ventas"},
    "both": {"visibility": "department", "departments": ["ventas", "Compras"]},
    "private": {"visibility": "private"},
}
SEES: dict[str, tuple[Sequence[str] | None, set[str]]] = {
    "everything": (None, {"all", "sales", "both", "private"}),
    "no department": ([], {"all"}),
    "sales": (["VENTAS "], {"all", "sales", "both"}),
    "purchasing": (["compras"], {"all", "both"}),
    "both": (["ventas", "compras"], {"all", "sales", "both"}),
    "another": (["rrhh", "*", "{ventas}"], {"all"}),
}
EVERY_WAY = pytest.mark.parametrize(("departments", "expected"), SEES.values(), ids=SEES)

MakeNote = Callable[..., NoteId]


@pytest.fixture
def notes(make_note: MakeNote, index_notes) -> dict[str, NoteId]:
    """One note for each audience, all of them about the same."""
    made = {
        name: make_note(f"El tren a Cádiz llegó tarde, nota {name}.", external_id=name, source=name, metadata=metadata)
        for name, metadata in AUDIENCES.items()
    }
    index_notes()
    return made


def seen_by(engine: Engine, departments: Sequence[str] | None) -> Engine:
    return replace(engine, database=engine.database.seen_by(departments))


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
    """What searches find, whatever else is asked of them."""

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

        by_words = search_fulltext(limited, tenant, "el tren", **same)
        by_meaning = search_semantic(limited, tenant, vector, model=engine.model, kind="standard", **same)

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


class TestStatistics:
    """What unseen notes say changes neither a score nor an order: all is as in a tenant that has the seen notes only."""

    SEEN = (
        ("es", "El peral del huerto da fruta en otoño."),
        ("es", "El manzano del huerto da fruta en otoño, y mucha."),
        ("es", "La casa tiene tejado rojo y dos balcones."),
        ("de", "Das Haustier schläft, und der Arbeitszeitkonto genannte Hund bellt."),
        ("en", "The cat sleeps."),
    )
    HIDDEN = (
        *(("es", f"El manzano se vende por 45000 euros, apunte {number}.") for number in range(12)),
        ("en", "The cat is sold."),
        *(
            ("de", "Arbeits" + "".join(chr(97 + digit) for digit in divmod(number, 26)) + "aaaa")
            for number in range(150)
        ),
    )
    QUERIES = ("peral manzano", "manzano 45000 fruta", "Arbeit Haus", "the cat", "huerto casa 99999")
    OTHER = TenantId("lo_visto")

    @pytest.fixture
    def both(self, make_note, index_notes, tenant: TenantId) -> None:
        """The seen notes in both tenants, the hidden ones in the first."""
        for owner in (tenant, self.OTHER):
            for number, (language, text) in enumerate(self.SEEN):
                make_note(text, external_id=f"v{number}", language=language, owner=owner)
        for number, (language, text) in enumerate(self.HIDDEN):
            make_note(text, external_id=f"h{number}", language=language, metadata=AUDIENCES["private"])
        index_notes(tenant)
        index_notes(self.OTHER)

    @staticmethod
    def by_name(database: Database, tenant: TenantId, ranking) -> list[tuple[str, float]]:
        with database.transaction(tenant) as connection:
            rows = connection.execute("select chunk_id, external_id from chunks join notes using (note_id)").fetchall()
        names = dict(rows)
        return sorted(
            ((names[chunk], round(score, 9)) for chunk, score in ranking), key=lambda pair: (-pair[1], pair[0])
        )

    @pytest.mark.parametrize("query", QUERIES)
    @pytest.mark.parametrize("few", [len(SEEN) - 1, len(SEEN)], ids=["read through", "looked up"])
    def test_scores_by_words(self, database: Database, tenant: TenantId, both, query: str, few: int) -> None:
        same = {"limit": 50, "timeout_ms": 20_000}
        seen = search_fulltext(database.seen_by([]), tenant, query, exact_scan_chunks=few, **same)
        alone = search_fulltext(database, self.OTHER, query, **same)
        whole = search_fulltext(database, tenant, query, **same)

        assert self.by_name(database, tenant, seen) == self.by_name(database, self.OTHER, alone) != []
        assert self.by_name(database, tenant, whole) != self.by_name(database, self.OTHER, alone)

    def test_which_chunks_are_seen_is_read_from_an_index_alone(
        self, database: Database, tenant: TenantId, both
    ) -> None:
        with database.owner() as owner:
            owner.execute("vacuum analyze brain.chunks")
        with database.seen_by([]).transaction(tenant, local={"enable_seqscan": "off"}) as connection:
            plan = connection.execute("explain select chunk_id, language from chunks").fetchall()

        assert any("Index Only Scan using chunks_of_note on chunks" in row[0] for row in plan)

    def test_filters_change_no_score(self, database: Database, tenant: TenantId, both) -> None:
        limited, same = database.seen_by([]), {"limit": 50, "timeout_ms": 20_000}
        whole = search_fulltext(limited, tenant, "peral manzano huerto", **same)

        within = search_fulltext(limited, tenant, "peral manzano huerto", filters=Filters(languages=("es",)), **same)

        assert within == whole != []

    def test_what_a_reranker_knows_of_words(self, database: Database, tenant: TenantId, both) -> None:
        words = ["manzano", "45000", "huerto", "haustier", "cat", "99999", "el"]

        def known(database: Database, tenant: TenantId) -> object:
            return fetch_candidate_texts(database, tenant, [], words=words, timeout_ms=20_000)[1]

        assert known(database.seen_by([]), tenant) == known(database, self.OTHER) != known(database, tenant)

    def test_what_tells_an_entity_that_is_asked_for(self, database: Database, tenant: TenantId, both) -> None:
        def weights(database: Database, tenant: TenantId, *, sees_all: bool) -> dict[str, float]:
            with database.transaction(tenant) as connection:
                stems = ["manzan", "huert", "45000", "vend"]
                return fetch_stem_weights(connection, tenant, "es", stems, sees_all=sees_all)

        seen = weights(database.seen_by([]), tenant, sees_all=False)

        assert seen == weights(database, self.OTHER, sees_all=True) != weights(database, tenant, sees_all=True)
        assert set(seen) == {"manzan", "huert"}

    @pytest.mark.parametrize("strategy", ["fulltext", "hybrid", "hybrid+rerank"])
    @pytest.mark.parametrize("query", QUERIES)
    def test_the_best_result_and_its_scores(self, engine: Engine, tenant: TenantId, both, strategy, query) -> None:
        def best(engine: Engine, tenant: TenantId) -> list[tuple[str, float]]:
            config = configure({"strategy": strategy}, top_k=1)
            answer = retrieve(engine, tenant, query, config=config, timeout_ms=20_000)
            return [(hit.external_id, round(hit.score, 9)) for hit in answer.hits]

        assert best(seen_by(engine, []), tenant) == best(engine, self.OTHER)

    def test_the_average_length_of_many_chunks_is_nearly_right(
        self, database: Database, tenant: TenantId, make_note, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(60):
            make_note("palabra " * (1 + number % 7) + f"tren {number}")
        exact = search_fulltext(database, tenant, "tren", limit=60, timeout_ms=20_000)
        monkeypatch.setattr("rag_core.storage.seen.SAMPLED_CHUNKS", 30)

        sampled = search_fulltext(database.seen_by([]), tenant, "tren", limit=60, timeout_ms=20_000)

        assert dict(sampled) == pytest.approx(dict(exact), rel=0.15)


class TestCausalGraph:
    """Paths lead over notes that are seen, and entities are called what these call them."""

    SLEEP = "No dormí bien porque tomé café por la tarde."
    LATE = "Al día siguiente llegué tarde a la reunión por no haber dormido bien."

    @pytest.fixture
    def ask(self, engine: Engine, tenant: TenantId) -> Callable[..., list[tuple[str, ...]]]:
        def read_and_ask(question: str, departments: Sequence[str] | None) -> list[tuple[str, ...]]:
            register_batches(engine.database, tenant)
            with engine.database.owner() as connection:
                rows = connection.execute("select batch_key from brain.batches").fetchall()
            update_graph(engine.database, tenant, [row[0] for row in rows], extractor=RuleExtractor())
            hits = search_graph(
                engine.database.seen_by(departments),
                tenant,
                question,
                language="es",
                direction="causes",
                config=GraphRag(),
                limit=20,
                timeout_ms=20_000,
            )
            return [hit.path for hit in hits]

        return read_and_ask

    def test_a_link_that_only_an_unseen_note_tells_is_not_walked(self, make_note, ask) -> None:
        make_note(self.LATE)
        make_note(self.SLEEP, metadata={"visibility": "private"})
        question = "¿Por qué llegué tarde a la reunión?"

        whole, seen = ask(question, None), ask(question, [])

        assert len(whole) == 2
        assert len(seen) == 1
        assert not any("café" in name for path in seen for name in path)

    def test_what_only_unseen_notes_speak_of_is_not_asked_about(self, make_note, ask) -> None:
        make_note(self.SLEEP, metadata={"visibility": "private"})
        question = "¿Por qué no dormí bien?"

        assert (len(ask(question, None)), ask(question, [])) == (1, [])

    def test_an_entity_is_called_what_a_seen_note_calls_it(self, make_note, ask) -> None:
        make_note("NO DORMÍ BIEN porque tomé CAFÉ POR LA TARDE.", metadata={"visibility": "private"})
        question = "¿Por qué no dormí bien?"
        (whole,) = ask(question, None)
        make_note(self.SLEEP)

        (path,) = set(ask(question, []))

        assert any("CAFÉ" in name for name in whole)
        assert any("café" in name for name in path)
        assert not any("CAFÉ" in name or "DORMÍ" in name for name in path)

    def test_the_note_behind_a_step_is_one_that_is_seen(self, engine, tenant, make_note, ask) -> None:
        secret = make_note(self.SLEEP, metadata={"visibility": "private"})
        ask("¿Por qué no dormí bien?", None)
        with engine.database.transaction(tenant) as connection:
            rows = connection.execute("select source_id::text, target_id::text from relations").fetchall()

        whole = fetch_path_evidence(engine.database, tenant, rows, timeout_ms=5_000)
        seen = fetch_path_evidence(engine.database.seen_by([]), tenant, rows, timeout_ms=5_000)

        assert (set(whole.values()), seen) == ({secret}, {})


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
