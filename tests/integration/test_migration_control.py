"""Stopping, rolling back, resuming and finishing a migration: every note found at every moment, whole or chunked."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from rag_core.configuration.schema import configure
from rag_core.errors import ConflictError, EmbeddingError, MigrationIncompleteError, NotFoundError
from rag_core.graph.rules import RuleExtractor
from rag_core.indexing import publishing
from rag_core.indexing.automatic import find_work
from rag_core.indexing.graph import update_graph
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.indexing.whole_notes import embed_whole_notes
from rag_core.migration import control
from rag_core.migration.attach import LegacyNote, attach
from rag_core.model.embedding import input_hash
from rag_core.model.note import NoteId, TenantId
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine
from rag_core.storage import checks
from rag_core.storage.batches import pending_batches, register_batches, stale_batches
from rag_core.storage.notes import delete_notes

THINGS = [
    "paraguas",
    "bufanda",
    "tortuga",
    "zapatilla",
    "guitarra",
    "linterna",
    "mochila",
    "cometa",
    "espejo",
    "martillo",
]
NEWEST = datetime(2024, 5, 1, tzinfo=UTC)
STATES = "select legacy_state, count(*) from notes group by 1 order by 1"
TEXTS = """
select note_id, external_id, source, title, content, content_hash, created_at, updated_at from notes order by 1
"""


def rows(engine: Engine, statement: str, *parameters: object) -> list[tuple]:
    with engine.database.transaction(TenantId("pruebas")) as connection:
        return connection.execute(statement, parameters).fetchall()


def long_text(thing: str) -> str:
    return " ".join(f"El día {n} vi {thing} junto al río y la {thing} seguía allí, número {n * 13}." for n in range(60))


@pytest.fixture
def legacy(engine: Engine, tenant: TenantId) -> list[str]:
    """Ten long legacy notes, the newest first; those of even number bring a vector of their own."""
    own = engine.embedder.embed([f"lo mío: {thing}" for thing in THINGS], role="document")
    legacy_rows = [
        LegacyNote(
            place=f"fila {n}",
            id=thing,
            text=long_text(thing),
            created_at=(NEWEST - timedelta(days=n)).isoformat(),
            updated_at=(NEWEST - timedelta(hours=n)).isoformat(),
            embedding=own[n].tolist() if n % 2 == 0 else None,
        )
        for n, thing in enumerate(THINGS)
    ]
    attach(
        engine.database,
        tenant,
        legacy_rows,
        source="antiguas",
        model=engine.model,
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=1_000_000,
        language="es",
    )
    register_batches(engine.database, tenant)
    return THINGS


@pytest.fixture
def golden(engine: Engine, legacy, make_note) -> None:
    """A golden query whose relevant note is a legacy one."""
    with engine.database.transaction(TenantId("pruebas")) as connection:
        connection.execute("insert into golden_sets (tenant_id, name) values ('pruebas', 'default')")
        connection.execute(
            "insert into golden_queries (tenant_id, set_id, query, query_hash) "
            "select tenant_id, set_id, '¿Dónde vi la tortuga?', sha256('tortuga') from golden_sets"
        )
        connection.execute(
            "insert into golden_relevance (tenant_id, query_id, note_id) "
            "select q.tenant_id, q.query_id, n.note_id from golden_queries q, notes n where n.external_id = 'tortuga'"
        )


def run(engine: Engine, tenant: TenantId, keys: list[str] | None = None, pipeline: Pipeline | None = None):
    """Every stage over the given batches, or else over all of them."""
    pipeline = pipeline or engine.pipeline
    register_batches(engine.database, tenant)
    keys = keys or [row[0] for row in rows(engine, "select batch_key from batches order by sequence")]
    return (
        stage_notes(engine.database, tenant, keys, pipeline),
        embed_staged(engine.database, tenant, keys, pipeline),
        embed_whole_notes(engine.database, tenant, keys, pipeline),
        publish_staged(engine.database, tenant, keys, pipeline),
    )


def found_by(engine: Engine, tenant: TenantId, text: str, strategy: str) -> list[str]:
    config = configure({}, strategy=strategy)
    return [hit.external_id for hit in retrieve(engine, tenant, text, config=config, timeout_ms=30_000).hits]


def not_found(engine: Engine, tenant: TenantId, things: list[str], *, strategies=("semantic", "fulltext")) -> list[str]:
    """Notes that a search for them misses, by strategy."""
    return [
        f"{strategy}: {thing}"
        for strategy in strategies
        for thing in things
        if thing not in found_by(engine, tenant, f"¿Dónde vi {thing}?", strategy)
    ]


def broken_promises(engine: Engine, tenant: TenantId) -> list[str]:
    """What the invariants find wrong with the whole tenant."""
    database = engine.database
    by_batch = (
        checks.check_content_hashes,
        checks.check_chunk_bounds,
        checks.check_chunk_indices,
        checks.check_chunk_contents,
        checks.check_postings,
        checks.check_graph_evidence,
        checks.check_lost_notes,
        checks.check_staged_leftovers,
    )
    reports = [check(database, tenant, None) for check in by_batch]
    reports += [check(database, tenant) for check in (checks.check_statistics, checks.check_corpus_statistics)]
    reports.append(checks.check_vectors(database, tenant, None, model=engine.model))
    return [str(example) for report in reports for example in report.examples]


class TestTheMark:
    """What publication leaves on a note."""

    def test_a_published_legacy_note_is_migrated_with_the_moment(self, engine, tenant, legacy, make_note) -> None:
        make_note("Una nota de ahora.", external_id="nueva")

        run(engine, tenant)

        assert rows(engine, STATES) == [("migrated", 10), (None, 1)]
        assert rows(engine, "select count(*) from notes where chunked_at > now() - interval '1 minute'") == [(11,)]

    def test_an_edit_takes_the_moment_away_until_it_is_chunked_again(self, engine, tenant, make_note) -> None:
        make_note("Una nota de ahora.", external_id="nueva")
        run(engine, tenant)

        make_note("Una nota de después.", external_id="nueva")

        assert rows(engine, "select chunked_at from notes") == [(None,)]


class TestStop:
    """A partial rollback: what is chunked stays, what is pending waits, and everything else goes on."""

    def test_pending_notes_wait_and_new_ones_are_chunked(self, engine, tenant, legacy, make_note) -> None:
        counts = control.stop(engine.database, tenant, reason="mañana más")
        make_note("Una nota de ahora.", external_id="nueva")

        staged, _, _, published = run(engine, tenant)

        assert (counts.state, counts.pending, counts.migrated, counts.failed) == ("stopped", 10, 0, 0)
        assert (staged.notes, published.published) == (1, 1)
        assert rows(engine, STATES) == [("pending", 10), (None, 1)]
        assert rows(engine, "select state, reason from migrations") == [("stopped", "mañana más")]
        assert not_found(engine, tenant, legacy) == []

    def test_what_was_staged_before_does_not_go_live(self, engine, tenant, legacy) -> None:
        keys = pending_batches(engine.database, tenant)
        stage_notes(engine.database, tenant, keys, engine.pipeline)
        embed_staged(engine.database, tenant, keys, engine.pipeline)

        control.stop(engine.database, tenant)
        report = publish_staged(engine.database, tenant, keys, engine.pipeline)

        assert (report.published, report.left) == (0, 0)
        assert rows(engine, STATES) == [("pending", 10)]

    def test_it_takes_effect_at_the_next_page_of_a_run(self, engine, tenant, legacy, monkeypatch) -> None:
        monkeypatch.setattr(publishing, "PUBLISH_NOTES", 3)
        keys = pending_batches(engine.database, tenant)
        stage_notes(engine.database, tenant, keys, engine.pipeline)
        embed_staged(engine.database, tenant, keys, engine.pipeline)

        publish_staged(
            engine.database,
            tenant,
            keys,
            engine.pipeline,
            on_progress=lambda _notes: control.stop(engine.database, tenant),
        )

        assert rows(engine, STATES) == [("migrated", 3), ("pending", 7)]
        assert broken_promises(engine, tenant) == []

    def test_resuming_migrates_the_rest(self, engine, tenant, legacy) -> None:
        control.stop(engine.database, tenant)

        assert control.resume(engine.database, tenant).state == "running"
        run(engine, tenant)

        assert rows(engine, STATES) == [("migrated", 10)]

    def test_without_a_migration_there_is_nothing_to_stop(self, engine, tenant) -> None:
        assert control.fetch_state(engine.database, tenant) is None
        with pytest.raises(NotFoundError, match="no migration"):
            control.stop(engine.database, tenant)


class TestRollBack:
    """Every note whole again, at once, and nothing lost."""

    @pytest.fixture
    def migrated(self, engine, tenant, legacy, golden, make_note) -> list[str]:
        make_note(long_text("cangrejo"), external_id="cangrejo")
        run(engine, tenant)
        assert not_found(engine, tenant, [*legacy, "cangrejo"]) == []
        return [*legacy, "cangrejo"]

    def test_every_note_is_one_whole_chunk_and_nothing_of_the_chunks_is_left(self, engine, tenant, migrated) -> None:
        before = rows(engine, TEXTS)
        chunks = rows(engine, "select count(*) from chunks")[0][0]

        report = control.roll_back(engine.database, tenant, engine.pipeline, reason="peor que antes")

        assert (report.notes, report.chunks, report.without_vector, report.failed) == (11, chunks, 0, {})
        assert rows(engine, TEXTS) == before
        assert rows(engine, STATES) == [("pending", 10), (None, 1)]
        assert rows(engine, "select distinct chunk_id = note_id, chunking_method, context from chunks") == [
            (True, "whole_note", None)
        ]
        assert rows(engine, "select count(*) from chunks") == [(11,)]
        assert rows(engine, "select count(*) from embeddings") == [(22,)]
        assert rows(engine, "select count(distinct chunk_id) from postings") == [(11,)]
        assert rows(
            engine,
            "select count(*) from notes where num_nonnulls(indexed_fingerprint, sentence_starts, chunked_at) > 0",
        ) == [(0,)]
        assert rows(engine, "select state, reason from migrations") == [("rolled_back", "peor que antes")]
        assert broken_promises(engine, tenant) == []
        assert not_found(engine, tenant, migrated) == []

    def test_golden_references_stay(self, engine, tenant, migrated) -> None:
        control.roll_back(engine.database, tenant, engine.pipeline)

        assert rows(engine, "select external_id from golden_relevance join notes using (tenant_id, note_id)") == [
            ("tortuga",)
        ]

    def test_a_note_gets_its_own_vector_back(self, engine, tenant, migrated) -> None:
        control.roll_back(engine.database, tenant, engine.pipeline)

        own = engine.embedder.embed(["lo mío: paraguas"], role="document")[0]
        held = rows(
            engine,
            "select e.kind, vector, input_hash from embeddings e join notes n on n.note_id = e.chunk_id "
            "where external_id = 'paraguas' order by 1",
        )
        assert [kind for kind, _, _ in held] == ["contextual", "standard"]
        for _, vector, digest in held:
            np.testing.assert_allclose(numbers(vector), own, atol=1e-6)
            assert digest == input_hash(engine.model, long_text("paraguas"), role="document")

    def test_a_note_without_one_gets_the_mean_of_its_chunks(self, engine, tenant, migrated) -> None:
        chunks = [
            numbers(vector)
            for (vector,) in rows(
                engine,
                "select e.vector from embeddings e join chunks c using (tenant_id, chunk_id) join notes n using (note_id) "
                "where n.external_id = 'bufanda' and e.kind = 'standard'",
            )
        ]
        assert len(chunks) > 1
        mean = np.mean(chunks, axis=0)

        control.roll_back(engine.database, tenant, engine.pipeline)

        held = rows(
            engine,
            "select vector, input_hash from embeddings e join notes n on n.note_id = e.chunk_id "
            "where external_id = 'bufanda'",
        )
        assert len(held) == 2
        for vector, digest in held:
            np.testing.assert_allclose(numbers(vector), mean / np.linalg.norm(mean), atol=1e-5)
            assert digest != input_hash(engine.model, long_text("bufanda"), role="document")

    @pytest.mark.parametrize("killed_at", [1, 2, 3])
    def test_after_a_kill_the_same_call_goes_on_and_every_note_is_found_in_between(
        self, engine, tenant, migrated, monkeypatch, killed_at
    ) -> None:
        monkeypatch.setattr(control, "ROLL_BACK_NOTES", 4)
        pages = []

        def kill(notes: int) -> None:
            pages.append(notes)
            if len(pages) == killed_at:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            control.roll_back(engine.database, tenant, engine.pipeline, on_progress=kill)

        whole = rows(engine, "select count(*) from chunks where chunking_method = 'whole_note'")
        assert whole == [(min(11, 4 * killed_at),)]
        assert not_found(engine, tenant, migrated) == []
        assert broken_promises(engine, tenant) == []
        assert run(engine, tenant)[0].notes == 0

        report = control.roll_back(engine.database, tenant, engine.pipeline)

        assert report.notes == 11 - whole[0][0]
        assert rows(engine, STATES) == [("pending", 10), (None, 1)]
        assert not_found(engine, tenant, migrated) == []

    def test_a_second_call_does_nothing(self, engine, tenant, migrated) -> None:
        control.roll_back(engine.database, tenant, engine.pipeline, reason="la primera")
        before = rows(engine, "select chunk_id, xmin::text from chunks order by 1")

        report = control.roll_back(engine.database, tenant, engine.pipeline, reason="la segunda")

        assert (report.notes, report.chunks) == (0, 0)
        assert rows(engine, "select chunk_id, xmin::text from chunks order by 1") == before

    def test_a_note_that_cannot_be_made_whole_is_told_and_keeps_no_other(self, engine, tenant, migrated) -> None:
        with engine.database.owner() as connection:
            connection.execute(
                "create function brain.planted() returns trigger language plpgsql as $$ begin "
                "if new.chunking_method = 'whole_note' and new.content like '%tortuga%' then raise 'esta no'; end if; "
                "return new; end $$"
            )
            connection.execute(
                "create trigger planted before insert on brain.chunks for each row execute function brain.planted()"
            )

        report = control.roll_back(engine.database, tenant, engine.pipeline)

        [(tortuga,)] = rows(engine, "select note_id from notes where external_id = 'tortuga'")
        assert report.notes == 10
        assert list(report.failed) == [tortuga]
        assert "esta no" in report.failed[tortuga]
        assert not_found(engine, tenant, migrated) == []

    def test_nothing_is_chunked_afterwards_and_new_notes_get_a_vector_of_the_whole(
        self, engine, tenant, migrated, make_note
    ) -> None:
        control.roll_back(engine.database, tenant, engine.pipeline)
        make_note(long_text("saltamontes"), external_id="saltamontes")

        staged, embedded, whole, published = run(engine, tenant)

        assert (staged.notes, embedded.embedded, published.published) == (0, 0, 0)
        assert (whole.embedded, whole.reused, whole.failed) == (1, 0, 0)
        assert not_found(engine, tenant, [*migrated, "saltamontes"]) == []
        assert run(engine, tenant)[2].embedded == 0

    def test_automatic_runs_take_new_notes_only_as_long_as_they_lack_their_vector(
        self, engine, tenant, migrated, make_note
    ) -> None:
        control.roll_back(engine.database, tenant, engine.pipeline)
        assert wanted(engine, tenant) == []

        make_note(long_text("saltamontes"), external_id="saltamontes")

        assert len(wanted(engine, tenant)) == 1
        run(engine, tenant, wanted(engine, tenant))
        assert wanted(engine, tenant) == []

    def test_migrating_again_embeds_nothing_anew(self, engine, tenant, migrated) -> None:
        before = rows(engine, "select chunk_id, content from chunks order by 1")
        control.roll_back(engine.database, tenant, engine.pipeline)
        control.resume(engine.database, tenant)

        _, embedded, whole, published = run(engine, tenant)

        assert (embedded.embedded, whole.embedded, published.published) == (0, 0, 11)
        assert rows(engine, "select chunk_id, content from chunks order by 1") == before
        assert rows(engine, STATES) == [("migrated", 10), (None, 1)]
        assert broken_promises(engine, tenant) == []

    def test_a_publication_beside_it_leaves_nothing_chunked(self, engine, tenant, legacy, monkeypatch) -> None:
        monkeypatch.setattr(publishing, "PUBLISH_NOTES", 1)
        keys = pending_batches(engine.database, tenant)
        stage_notes(engine.database, tenant, keys, engine.pipeline)
        embed_staged(engine.database, tenant, keys, engine.pipeline)

        with ThreadPoolExecutor(2) as threads:
            publishing_all = threads.submit(publish_staged, engine.database, tenant, keys, engine.pipeline)
            rolling_back = threads.submit(control.roll_back, engine.database, tenant, engine.pipeline)
            published, report = publishing_all.result(timeout=60), rolling_back.result(timeout=60)

        assert published.failed == 0
        assert report.notes == published.published
        assert rows(engine, STATES) == [("pending", 10)]
        assert broken_promises(engine, tenant) == []

    def test_one_that_was_resumed_meanwhile_says_so(self, engine, tenant, migrated, monkeypatch) -> None:
        monkeypatch.setattr(control, "ROLL_BACK_NOTES", 4)

        with pytest.raises(ConflictError, match="running again"):
            control.roll_back(
                engine.database,
                tenant,
                engine.pipeline,
                on_progress=lambda _notes: control.resume(engine.database, tenant),
            )

        assert not_found(engine, tenant, migrated) == []

    def test_a_note_whose_date_is_changed_meanwhile_is_made_whole_too(
        self, engine, tenant, migrated, monkeypatch
    ) -> None:
        monkeypatch.setattr(control, "ROLL_BACK_NOTES", 1)
        statement = "update notes set created_at = now() + interval '1 day' where indexed_fingerprint is not null"

        report = control.roll_back(
            engine.database, tenant, engine.pipeline, on_progress=lambda _notes: execute(engine, tenant, statement)
        )

        assert report.notes == 11
        assert rows(engine, "select count(*) from notes where indexed_fingerprint is not null") == [(0,)]

    def test_an_edited_legacy_note_waits_for_the_migration_again_too(self, engine, tenant, migrated, make_note) -> None:
        make_note("Ahora es otra cosa.", external_id="tortuga", source="antiguas")

        control.roll_back(engine.database, tenant, engine.pipeline)

        assert rows(engine, STATES) == [("pending", 10), (None, 1)]

    def test_deleting_a_note_takes_it_from_the_ledger(self, engine, tenant, migrated) -> None:
        [(tortuga,)] = rows(engine, "select note_id from notes where external_id = 'tortuga'")

        with engine.database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [NoteId(tortuga)])

        assert rows(engine, "select count(*) from legacy_notes") == [(9,)]


def execute(engine: Engine, tenant: TenantId, statement: str) -> None:
    with engine.database.transaction(tenant) as connection:
        connection.execute(statement)


def wanted(engine: Engine, tenant: TenantId) -> list[str]:
    """Batches of which an automatic run would take more than the graph."""
    extractor = RuleExtractor()
    batches = [row[0] for row in rows(engine, "select batch_key from batches")]
    update_graph(engine.database, tenant, batches, extractor=extractor)
    fingerprint = engine.pipeline.fingerprint
    return find_work(engine.database, tenant, fingerprint=fingerprint, extractor=extractor).wanted


def numbers(vector) -> np.ndarray:
    return np.asarray(vector.to_numpy() if hasattr(vector, "to_numpy") else vector, dtype=np.float64)


class TestWholeNotes:
    """Vectors for notes that are found whole."""

    def test_pending_notes_that_brought_none_get_one_while_the_migration_is_stopped(
        self, engine, tenant, legacy
    ) -> None:
        control.stop(engine.database, tenant)

        whole = run(engine, tenant)[2]

        assert whole.embedded == 5
        assert rows(engine, "select count(*) from embeddings") == [(20,)]
        assert not_found(engine, tenant, legacy) == []

    def test_notes_about_to_be_chunked_get_none(self, engine, tenant, legacy, make_note) -> None:
        make_note("Una nota de ahora.", external_id="nueva")
        keys = [row[0] for row in rows(engine, "select batch_key from batches")]
        stage_notes(engine.database, tenant, keys, engine.pipeline)

        report = embed_whole_notes(engine.database, tenant, keys, engine.pipeline)

        assert (report.embedded, report.reused) == (0, 0)

    def test_the_vector_of_a_text_beyond_the_context_is_the_mean_of_its_chunks(self, engine, tenant, legacy) -> None:
        control.stop(engine.database, tenant)
        with engine.database.owner() as connection:
            connection.execute("update brain.embedding_models set context_tokens = 600 where state = 'active'")
        narrow = Pipeline(
            chunking=engine.pipeline.chunking,
            model=dataclasses.replace(engine.model, context_tokens=600),
            embedder=engine.embedder,
        )

        whole = run(engine, tenant, pipeline=narrow)[2]
        control.resume(engine.database, tenant)
        [(held,)] = rows(
            engine,
            "select vector from embeddings e join notes n on n.note_id = e.chunk_id "
            "where external_id = 'bufanda' and e.kind = 'standard'",
        )
        embedded = run(engine, tenant, pipeline=narrow)[1]

        chunks = [
            numbers(vector)
            for (vector,) in rows(
                engine,
                "select e.vector from embeddings e join chunks c using (tenant_id, chunk_id) join notes n using (note_id) "
                "where n.external_id = 'bufanda' and e.kind = 'standard'",
            )
        ]
        mean = np.mean(chunks, axis=0)
        assert len(chunks) > 1
        np.testing.assert_allclose(numbers(held), mean / np.linalg.norm(mean), atol=1e-5)
        assert whole.embedded == 5 * len(chunks)
        assert embedded.reused >= whole.embedded  # its pieces are its chunks

    def test_a_note_that_is_refused_is_recorded_and_forgotten_once_it_succeeds(
        self, engine, tenant, make_note, legacy
    ) -> None:
        class Refusing:
            name, dimensions = engine.embedder.name, engine.embedder.dimensions

            def embed(self, texts, *, role):
                if any("veneno" in text for text in texts):
                    raise EmbeddingError("no puedo")
                return engine.embedder.embed(texts, role=role)

        control.roll_back(engine.database, tenant, engine.pipeline)
        make_note("El veneno está en el botiquín.", external_id="veneno")
        refusing = Pipeline(chunking=engine.pipeline.chunking, model=engine.model, embedder=Refusing())

        whole = run(engine, tenant, pipeline=refusing)[2]

        assert (whole.embedded, whole.failed) == (5, 1)
        assert rows(engine, "select external_id, stage, reason from migration_failures") == [
            ("veneno", "embedding", "no puedo")
        ]
        assert found_by(engine, tenant, "veneno", "fulltext") == ["veneno"]
        assert run(engine, tenant)[2].embedded == 1
        assert rows(engine, "select count(*) from migration_failures") == [(0,)]


class TestFinish:
    """The end of a migration, and what stands in its way."""

    @pytest.fixture
    def migrated(self, engine, tenant, legacy) -> None:
        run(engine, tenant)

    def measure(
        self, engine: Engine, hit_rate: float = 0.9, *, is_regression: bool = False, when: str = "now()"
    ) -> UUID:
        with engine.database.transaction(TenantId("pruebas")) as connection:
            row = connection.execute(
                f"""
                insert into evaluation_runs (
                    tenant_id, set_name, set_version, config_hash, config, models, pipeline_fingerprint, hit_rate_at_1,
                    hit_rate_at_3, hit_rate_at_5, hit_rate_at_10, mrr, ndcg_at_10, recall_at_20, latency_p50_ms,
                    latency_p95_ms, latency_p99_ms, total_queries, degraded_queries, failed_queries, comparison, created_at
                ) values (
                    'pruebas', 'default', 1, 'c', '{{}}', '{{}}', 'p', 0.5, 0.6, 0.7, %s, 0.6, 0.6, 0.9, 1, 2, 3, 20, 0, 0,
                    jsonb_build_object('is_regression', %s), {when}
                )
                returning run_id
                """,
                [hit_rate, is_regression],
            ).fetchone()
        assert row is not None
        run_id: UUID = row[0]
        return run_id

    def refusal(self, engine: Engine, tenant: TenantId, evaluation: UUID | None) -> tuple[str, ...]:
        with pytest.raises(MigrationIncompleteError) as caught:
            control.finish(engine.database, tenant, evaluation=evaluation)
        assert control.fetch_state(engine.database, tenant) == "running"
        return caught.value.reasons

    def test_it_ends_and_drops_what_only_a_rollback_needs(self, engine, tenant, migrated) -> None:
        evaluation = self.measure(engine, 0.85)
        assert rows(engine, "select count(*) from embedding_cache") == [(5,)]

        report = control.finish(engine.database, tenant, evaluation=evaluation)

        assert (report.migrated, report.hit_rate_at_10, report.dropped_vectors) == (10, 0.85, 5)
        assert rows(engine, "select count(*) from embedding_cache") == [(0,)]
        assert rows(engine, "select state, finished_at is not null from migrations") == [("finished", True)]
        assert broken_promises(engine, tenant) == []

    def test_it_lists_everything_that_is_left_to_do(self, engine, tenant, legacy) -> None:
        with engine.database.transaction(tenant) as connection:
            connection.execute(
                "insert into migration_failures (tenant_id, source, external_id, stage, reason) "
                "values ('pruebas', 'antiguas', 'rota', 'attachment', 'sin texto')"
            )
            connection.execute("delete from notes where external_id = 'tortuga'")

        assert self.refusal(engine, tenant, None) == (
            "9 notes are pending; run `brain migration run`",
            (
                "1 note or row failed and `brain migration status` lists them; `brain migration retry` has notes tried again, a row "
                "that could not be attached is mended or removed where it is, and attached again, or left out for good with "
                "`brain migration finish --accept-rejected`"
            ),
            "1 attached note is gone, and nobody deleted them; attach the table again",
            "retrieval was not measured; import a golden set with `brain golden import`, and finish again",
        )

    def test_rows_that_were_refused_for_good_can_be_left_out(self, engine, tenant, migrated) -> None:
        evaluation = self.measure(engine)
        with engine.database.transaction(tenant) as connection:
            connection.execute(
                "insert into migration_failures (tenant_id, source, external_id, stage, reason) "
                "values ('pruebas', 'antiguas', 'rota', 'attachment', 'sin texto')"
            )

        report = control.finish(engine.database, tenant, evaluation=evaluation, accepts_rejected=True)

        assert report.accepted == ("antiguas:rota",)
        assert rows(engine, "select count(*) from migration_failures") == [(0,)]

    def test_an_evaluation_of_something_else_is_no_proof(self, engine, tenant, migrated) -> None:
        evaluation = self.measure(engine, 0.5)
        self.measure(engine, 1.0)

        [reason] = self.refusal(engine, tenant, evaluation)

        assert reason.startswith("the hit rate at 10 is 0.500")

    def test_it_says_by_how_much_retrieval_falls_short(self, engine, tenant, migrated) -> None:
        evaluation = self.measure(engine, 0.8)

        [reason] = self.refusal(engine, tenant, evaluation)

        assert reason.startswith("the hit rate at 10 is 0.800, 0.050 short of 0.85")

    def test_a_regression_or_an_old_measurement_is_not_good_enough(self, engine, tenant, migrated) -> None:
        evaluation = self.measure(engine, 0.9, is_regression=True, when="now() - interval '1 hour'")

        old, regression = self.refusal(engine, tenant, evaluation)

        assert "older than the last migrated note" in old
        assert "significant regression" in regression

    def test_it_can_be_rolled_back_even_then(self, engine, tenant, migrated) -> None:
        control.finish(engine.database, tenant, evaluation=self.measure(engine))

        report = control.roll_back(engine.database, tenant, engine.pipeline)

        assert (report.notes, report.without_vector) == (10, 0)
        assert not_found(engine, tenant, THINGS) == []

    def test_it_is_finished_once(self, engine, tenant, migrated) -> None:
        evaluation = self.measure(engine)
        control.finish(engine.database, tenant, evaluation=evaluation)

        for again in (partial(control.finish, evaluation=evaluation), control.stop, control.resume):
            with pytest.raises(ConflictError):
                again(engine.database, tenant)


def test_what_is_migrated_is_not_stale_and_what_is_pending_is_left_to_the_migration(engine, tenant, legacy) -> None:
    fingerprint = engine.pipeline.fingerprint

    assert stale_batches(engine.database, tenant, fingerprint=fingerprint) == []
    run(engine, tenant)

    assert stale_batches(engine.database, tenant, fingerprint=fingerprint) == []
    assert pending_batches(engine.database, tenant) == []
