"""Traces of a finished migration, and notes that are embedded whole."""

import dataclasses
from functools import partial
from uuid import UUID

import numpy as np
import pytest
from migrating import THINGS, broken_promises, found_by, not_found, numbers, rows, run
from migrating import legacy as legacy  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.errors import ConflictError, EmbeddingError, MigrationIncompleteError
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.staging import stage_notes
from rag_core.indexing.whole_notes import embed_whole_notes
from rag_core.migration import control
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine


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
