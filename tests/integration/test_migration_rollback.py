"""Rolling a migration back, wholly or in part."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from migrating import STATES, broken_promises, long_text, not_found, numbers, rows, run
from migrating import legacy as legacy  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.errors import ConflictError
from rag_core.graph.rules import RuleExtractor
from rag_core.indexing import publishing
from rag_core.indexing.automatic import find_work
from rag_core.indexing.graph import update_graph
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.migration import control
from rag_core.model.embedding import input_hash
from rag_core.model.note import NoteId, TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import pending_batches
from rag_core.storage.notes import delete_notes

TEXTS = """
select note_id, external_id, source, title, content, content_hash, created_at, updated_at from notes order by 1
"""


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
                "where n.external_id = 'bufanda' and e.kind = 'contextual'",
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
