"""Word statistics and causal graph count only what an audience may read."""

from collections.abc import Callable, Sequence

import pytest
from filling import TENANT, Filled, index_stale, store_note
from read_by_some import AUDIENCES, seen_by
from read_by_some import notes as notes  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.configuration.schema import GraphRag, configure
from rag_core.graph.rules import RuleExtractor
from rag_core.indexing.graph import update_graph
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Filters
from rag_core.retrieval.graph_paths import search_graph
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.batches import register_batches
from rag_core.storage.database import Database
from rag_core.storage.facets import fetch_path_evidence
from rag_core.storage.graph import fetch_stem_weights
from rag_core.storage.rerankers import fetch_candidate_texts
from rag_core.storage.search import search_fulltext


class TestStatistics:
    """Unseen notes change neither a score nor an order: all is as in a tenant that has the seen notes only."""

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
    def beginning(self, request: pytest.FixtureRequest, template: str, filled: Filled) -> str:
        return filled("seen_and_hidden", self.fill) if "both" in request.fixturenames else template

    @pytest.fixture
    def both(self) -> None:
        """The seen notes in both tenants, the hidden ones in the first; the test's database begins with them."""

    @classmethod
    def fill(cls, url: str) -> None:
        with open_engine(read_settings(database_url=url)) as engine:
            for owner in (TENANT, cls.OTHER):
                for number, (language, text) in enumerate(cls.SEEN):
                    store_note(engine.database, owner, text, external_id=f"v{number}", language=language)
            for number, (language, text) in enumerate(cls.HIDDEN):
                store_note(
                    engine.database,
                    TENANT,
                    text,
                    external_id=f"h{number}",
                    language=language,
                    metadata=AUDIENCES["private"],
                )
            index_stale(engine, TENANT)
            index_stale(engine, cls.OTHER)

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
        seen = search_fulltext(database.seen_by([]), tenant, query, exact_scan_chunks=few, **same).ranking
        alone = search_fulltext(database, self.OTHER, query, **same).ranking
        whole = search_fulltext(database, tenant, query, **same).ranking

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
        whole = search_fulltext(limited, tenant, "peral manzano huerto", **same).ranking

        within = search_fulltext(
            limited, tenant, "peral manzano huerto", filters=Filters(languages=("es",)), **same
        ).ranking

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
        exact = search_fulltext(database, tenant, "tren", limit=60, timeout_ms=20_000).ranking
        monkeypatch.setattr("rag_core.storage.seen.SAMPLED_CHUNKS", 30)

        sampled = search_fulltext(database.seen_by([]), tenant, "tren", limit=60, timeout_ms=20_000).ranking

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
