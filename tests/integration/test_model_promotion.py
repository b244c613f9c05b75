"""From one embedding model to another and back: what must be there, what readers find, what is left of the old one."""

import threading
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
from builders import make_new_note
from promoting import BILLS, OTHER, RIVER, add, backfilled, find

from rag_core.embedding.providers.hashing import HashingEmbedder
from rag_core.errors import EmbeddingError, ModelChangedError, ModelStateError, NotFoundError
from rag_core.indexing.one_note import store_and_index
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.embedding import EmbeddingModel
from rag_core.model_change.backfill import fill_model
from rag_core.model_change.promotion import promote
from rag_core.model_change.retirement import retire
from rag_core.runtime.engine import with_model
from rag_core.storage.batches import stale_batches
from rag_core.storage.database import Database
from rag_core.storage.models import (
    fetch_active_model,
    hold_model,
    promote_model,
)


def active(database: Database) -> EmbeddingModel:
    with database.owner() as connection:
        return fetch_active_model(connection)


class TestWhatMayBePromoted:
    def test_a_candidate_is_refused_with_the_command_that_finishes_it(self, engine) -> None:
        add(engine.database)

        with pytest.raises(ModelStateError, match=r"in state candidate; expected ready. .*promote hashing-1536 --wait"):
            promote(engine, OTHER)

        assert active(engine.database).name == "hashing"

    def test_a_candidate_is_finished_first_when_that_is_wanted(self, engine, tenant, make_note, index_notes) -> None:
        make_note(RIVER)
        index_notes()
        add(engine.database)

        report = promote(engine, OTHER, is_waiting=True)

        assert active(engine.database).name == OTHER
        assert report.caught_up.embedded == 2
        assert report.is_changed

    def test_a_retired_model_is_refused_even_then(self, engine) -> None:
        add(engine.database)
        retire(engine.database, OTHER, sleep=lambda _seconds: None)

        with pytest.raises(
            ModelStateError, match=r"retired and has no vectors; .*`brain models backfill hashing-1536`"
        ):
            promote(engine, OTHER, is_waiting=True)

    def test_an_unknown_model_is_named_with_those_there_are(self, engine) -> None:
        with pytest.raises(NotFoundError, match=r"no embedding model is called 'nada' \(there is: hashing\)"):
            promote(engine, "nada")

    def test_the_active_model_is_left_as_it_is(self, engine) -> None:
        report = promote(engine, "hashing")

        assert not report.is_changed
        assert report.rounds == 0

    def test_a_model_that_gives_nothing_for_a_chunk_is_refused_with_the_note(
        self, engine, tenant, make_note, index_notes, monkeypatch
    ) -> None:
        make_note(RIVER, external_id="casa")
        index_notes()
        add(engine.database)

        embed = HashingEmbedder.embed

        def refuse(self: HashingEmbedder, texts: Sequence[str], **more: Any) -> Any:
            if any("río" in text for text in texts):
                raise EmbeddingError("no vector for this.")
            return embed(self, texts, **more)

        monkeypatch.setattr("rag_core.embedding.providers.hashing.HashingEmbedder.embed", refuse)
        with pytest.raises(
            ModelStateError, match="no vector for 1 chunks, such as one of notas:casa: no vector for this"
        ):
            promote(engine, OTHER, is_waiting=True)

        assert active(engine.database).name == "hashing"


class TestTheMomentOfPromotion:
    def test_a_chunk_without_vectors_undoes_it(self, engine, tenant, make_note, index_notes) -> None:
        make_note(RIVER)
        index_notes()
        model = backfilled(engine)
        make_note(BILLS)

        promotion = promote_model(engine.database, model.id, instead_of=engine.model.id)

        assert not promotion.is_done
        assert promotion.missing == {tenant: 2}
        assert active(engine.database).name == "hashing"

    def test_another_promotion_in_between_undoes_it(self, engine) -> None:
        model = backfilled(engine)

        promotion = promote_model(engine.database, model.id, instead_of=model.id + 1)

        assert promotion.obstacle == "another model was promoted meanwhile"
        assert active(engine.database).name == "hashing"

    def test_another_model_than_the_one_that_is_meant_is_not_replaced(self, engine) -> None:
        model = backfilled(engine)

        with pytest.raises(ModelStateError, match="hashing was promoted meanwhile"):
            promote(engine, OTHER, instead_of=model.id + 1)

        assert active(engine.database).name == "hashing"

    def test_it_waits_for_a_publication_under_way_and_then_counts_its_chunks(
        self, engine, tenant, make_note, index_notes
    ) -> None:
        make_note(RIVER)
        index_notes()
        backfilled(engine)
        done = threading.Thread(target=promote, args=(engine, OTHER))

        with engine.database.transaction(tenant) as connection:
            assert hold_model(connection, engine.model) == "active"
            done.start()
            wait_for_lock(engine.database)
            during = active(engine.database).name
        done.join(timeout=60)

        assert during == "hashing"
        assert active(engine.database).name == OTHER

    def test_notes_keep_their_chunks_and_are_not_stale(self, engine, tenant, make_note, index_notes) -> None:
        make_note(RIVER)
        index_notes()
        model = backfilled(engine)
        with engine.database.transaction(tenant) as connection:
            before = connection.execute("select chunk_id, created_at from chunks").fetchall()

        report = promote(engine, OTHER)

        changed = with_model(engine, model).pipeline.fingerprint
        assert report.notes == 1
        assert stale_batches(engine.database, tenant, fingerprint=changed) == []
        with engine.database.transaction(tenant) as connection:
            assert connection.execute("select chunk_id, created_at from chunks").fetchall() == before

    def test_writers_do_not_wait_until_every_note_is_counted_as_the_new_pipelines(
        self, engine, tenant, make_note, index_notes
    ) -> None:
        busy = make_note(RIVER, external_id="ocupada")
        index_notes()
        model = backfilled(engine)
        done = threading.Thread(target=promote, args=(engine, OTHER))

        with engine.database.transaction(tenant) as connection:
            connection.execute("select from notes where note_id = %s for update", [busy])
            done.start()
            while active(engine.database).name == "hashing" and done.is_alive():
                threading.Event().wait(0.01)
            store_and_index(engine.database, tenant, make_new_note(BILLS, "nueva"), with_model(engine, model).pipeline)
        done.join(timeout=60)

        changed = with_model(engine, model).pipeline.fingerprint
        assert find(with_model(engine, model), tenant, "facturas de marzo").hits[0].external_id == "nueva"
        assert stale_batches(engine.database, tenant, fingerprint=changed) == []

    def test_a_note_it_was_killed_before_costs_no_vector_to_index_again(
        self, engine, tenant, make_note, index_notes, monkeypatch
    ) -> None:
        make_note(RIVER)
        index_notes()
        model = backfilled(engine)

        def kill(*_args: object) -> int:
            raise KeyboardInterrupt

        monkeypatch.setattr("rag_core.model_change.promotion.rename_fingerprints", kill)
        with pytest.raises(KeyboardInterrupt):
            promote(engine, OTHER)
        changed = with_model(engine, model).pipeline
        batches = stale_batches(engine.database, tenant, fingerprint=changed.fingerprint)
        stage_notes(engine.database, tenant, batches, changed)
        embedded = embed_staged(engine.database, tenant, batches, changed)
        published = publish_staged(engine.database, tenant, batches, changed)

        assert (embedded.embedded, published.published) == (0, 1)
        assert stale_batches(engine.database, tenant, fingerprint=changed.fingerprint) == []

    def test_a_note_that_was_stale_stays_so(self, engine, tenant, make_note, index_notes) -> None:
        make_note(RIVER, external_id="a")
        index_notes()
        with engine.database.owner() as connection:
            connection.execute("update brain.notes set indexed_fingerprint = 'long ago'")
        model = backfilled(engine)

        promote(engine, OTHER)

        changed = with_model(engine, model).pipeline.fingerprint
        assert stale_batches(engine.database, tenant, fingerprint=changed) == ["pruebas-000000"]

    def test_a_writer_with_the_former_model_is_told_and_stores_nothing(self, engine, tenant) -> None:
        backfilled(engine)
        promote(engine, OTHER)

        with pytest.raises(ModelChangedError):
            store_and_index(engine.database, tenant, make_new_note(RIVER, "a"), engine.pipeline)

        with engine.database.transaction(tenant) as connection:
            assert connection.execute("select count(*) from notes").fetchone() == (0,)


def wait_for_lock(database: Database) -> None:
    """Until somebody waits for an advisory lock."""
    with psycopg.connect(database.owner_conninfo, autocommit=True) as connection:
        while connection.execute(
            "select count(*) from pg_locks where locktype = 'advisory' and not granted"
        ).fetchone() == (0,):
            threading.Event().wait(0.01)


class TestWhatIsWrittenMeanwhile:
    @pytest.mark.parametrize("is_indexed", [True, False], ids=["indexed", "imported"])
    def test_a_note_written_after_the_backfill_is_found_by_meaning_after_the_promotion(
        self, engine, tenant, make_note, index_notes, is_indexed
    ) -> None:
        make_note(RIVER)
        index_notes()
        model = backfilled(engine)
        make_note(BILLS, external_id="nueva")
        if is_indexed:
            index_notes()

        promote(engine, OTHER)

        found = find(with_model(engine, model), tenant, "facturas de marzo")
        assert found.hits[0].external_id == "nueva"

    def test_what_a_few_chunks_lack_at_the_moment_of_promotion_is_made_up_for_then(
        self, engine, tenant, make_note, index_notes, monkeypatch
    ) -> None:
        make_note(RIVER)
        index_notes()
        model = backfilled(engine)

        def promote_late(database: Database, model_id: int, **more: Any) -> Any:
            make_note(BILLS, external_id="nueva")
            return promote_model(database, model_id, **more)

        monkeypatch.setattr("rag_core.model_change.promotion.promote_model", promote_late)
        report = promote(engine, OTHER)

        assert (report.rounds, report.caught_up.embedded) == (1, 1)
        assert find(with_model(engine, model), tenant, "facturas de marzo").hits[0].external_id == "nueva"

    def test_what_more_chunks_lack_is_made_up_for_in_another_round(
        self, engine, tenant, make_note, index_notes, monkeypatch
    ) -> None:
        model = backfilled(engine)
        monkeypatch.setattr("rag_core.storage.models.FEW_VECTORS", 1)
        made = iter([BILLS])

        def promote_late(database: Database, model_id: int, **more: Any) -> Any:
            for text in made:
                make_note(text, external_id="nueva")
            return promote_model(database, model_id, **more)

        monkeypatch.setattr("rag_core.model_change.promotion.promote_model", promote_late)
        report = promote(engine, OTHER)

        assert report.rounds == 2
        assert find(with_model(engine, model), tenant, "facturas de marzo").hits[0].external_id == "nueva"

    def test_writers_that_never_rest_are_named_and_nothing_changes(
        self, engine, tenant, make_note, monkeypatch
    ) -> None:
        backfilled(engine)

        def fill_late(*args: Any, **more: Any) -> Any:
            report = fill_model(*args, **more)
            make_note(BILLS)
            return report

        monkeypatch.setattr("rag_core.model_change.promotion.fill_model", fill_late)
        with pytest.raises(ModelStateError, match=r"not promoted in 10 attempts: vectors are missing \(2 of pruebas\)"):
            promote(engine, OTHER)

        assert active(engine.database).name == "hashing"
