"""Going back to the model before, and retiring one."""

import pytest
from builders import make_new_note
from promoting import BILLS, OTHER, RIVER, add, backfilled, find

from rag_core.errors import ModelStateError
from rag_core.indexing.one_note import store_and_index
from rag_core.model_change.backfill import begin_backfill, fill_model, settle_model
from rag_core.model_change.promotion import promote
from rag_core.model_change.retirement import retire
from rag_core.runtime.engine import Engine, with_model
from rag_core.storage.batches import stale_batches
from rag_core.storage.database import Database
from rag_core.storage.models import (
    count_vectors_by_tenant,
    find_model,
)
from rag_core.storage.vector_index import ensure_vector_index


def state(database: Database, name: str) -> str:
    with database.owner() as connection:
        return find_model(connection, name).model.state


def long_ago(database: Database) -> None:
    """Move the last promotion two minutes back."""
    with database.owner() as connection:
        connection.execute("update brain.embedding_models set promoted_at = now() - interval '2 minutes'")


class TestGoingBack:
    def test_the_former_model_is_ready_and_promoted_at_once(self, engine, tenant, make_note, index_notes) -> None:
        make_note(RIVER, external_id="casa")
        index_notes()
        backfilled(engine)
        promote(engine, OTHER)
        former = state(engine.database, "hashing")

        report = promote(engine, "hashing")

        assert former == "ready"
        assert report.caught_up.embedded == 0
        assert (state(engine.database, "hashing"), state(engine.database, OTHER)) == ("active", "ready")
        assert find(engine, tenant, "casa junto al río").hits[0].external_id == "casa"
        assert stale_batches(engine.database, tenant, fingerprint=engine.pipeline.fingerprint) == []

    def test_a_note_written_in_between_is_found_by_the_former_model_too(self, engine, tenant) -> None:
        model = backfilled(engine)
        promote(engine, OTHER)
        store_and_index(engine.database, tenant, make_new_note(BILLS, "nueva"), with_model(engine, model).pipeline)

        promote(engine, "hashing")

        assert find(engine, tenant, "facturas de marzo").hits[0].external_id == "nueva"


class TestRetirement:
    @pytest.fixture
    def former(self, engine, tenant, make_note, index_notes) -> Engine:
        """The engine of the embedded model, which was replaced two minutes ago."""
        make_note(RIVER, external_id="a")
        index_notes()
        backfilled(engine)
        promote(engine, OTHER)
        long_ago(engine.database)
        return engine

    def test_it_leaves_nothing_of_the_model(self, engine, tenant, former, make_note) -> None:
        ensure_vector_index(engine.database, engine.model, exact_scan_chunks=0)
        make_note(BILLS, external_id="a")  # its former chunks' vectors are cached

        report = retire(engine.database, "hashing", sleep=lambda _seconds: None)

        with engine.database.owner() as connection:
            counts = count_vectors_by_tenant(connection, engine.model.id)
            index = connection.execute(
                "select count(*) from pg_class where relname = 'embeddings_hnsw_1_contextual'"
            ).fetchone()
            cached = connection.execute(
                "select count(*) from brain.embedding_cache where public.vector_dims(vector) = 768"
            ).fetchone()
        assert report.had_index
        assert report.cached == 2
        assert {(count.standard, count.contextual) for count in counts.values()} == {(0, 0)}
        assert (index, cached) == ((0,), (0,))
        assert state(engine.database, "hashing") == "retired"

    def test_the_active_model_cannot_be_retired(self, engine) -> None:
        with pytest.raises(ModelStateError, match="hashing is active; promote another model first"):
            retire(engine.database, "hashing", sleep=lambda _seconds: None)

    def test_the_former_model_cannot_be_retired_within_a_minute(self, engine) -> None:
        backfilled(engine)
        promote(engine, OTHER)

        with pytest.raises(ModelStateError, match="searches by hashing may still be under way; try again in"):
            retire(engine.database, "hashing", sleep=lambda _seconds: None)

        assert state(engine.database, "hashing") == "ready"

    def test_a_candidate_that_never_served_can_be_retired_at_any_time(self, engine) -> None:
        backfilled(engine)
        promote(engine, OTHER)
        add(engine.database, "hashing-64", 64)

        retire(engine.database, "hashing-64", sleep=lambda _seconds: None)

        assert state(engine.database, "hashing-64") == "retired"

    def test_cached_vectors_of_the_same_length_stay_while_another_model_may_need_them(
        self, engine, tenant, former, make_note
    ) -> None:
        add(engine.database, "hashing-too", 768)
        make_note(BILLS, external_id="a")

        report = retire(engine.database, "hashing", sleep=lambda _seconds: None)

        assert report.cached == 0

    def test_a_retirement_that_was_broken_off_is_ended_by_the_next(self, engine, former) -> None:
        def kill(_seconds: float) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            retire(engine.database, "hashing", sleep=kill)
        report = retire(engine.database, "hashing", sleep=kill)

        assert report.vectors == 2

    def test_the_model_cannot_be_taken_into_work_while_it_is_removed(self, engine, former) -> None:
        def promote_back(_seconds: float) -> None:
            begin_backfill(engine.database, "hashing")
            promote(engine, "hashing", is_waiting=True)

        with pytest.raises(ModelStateError, match="the vectors of hashing are being removed; try again when"):
            retire(engine.database, "hashing", sleep=promote_back)

        assert state(engine.database, "hashing") == "retired"
        assert begin_backfill(engine.database, "hashing").state == "backfilling"

    def test_a_search_that_holds_on_to_the_model_says_that_it_lacks_meaning(
        self, engine, tenant, former, make_note
    ) -> None:
        retire(engine.database, "hashing", sleep=lambda _seconds: None)
        engine.watch.active(is_urgent=True)

        found = find(engine, tenant, "casa junto al río", strategy="hybrid")

        assert found.is_degraded
        assert found.warnings == ("Búsqueda semántica no disponible, usando búsqueda por palabras clave",)

    def test_it_can_be_backfilled_anew(self, engine, tenant, former) -> None:
        retire(engine.database, "hashing", sleep=lambda _seconds: None)
        model = begin_backfill(engine.database, "hashing")
        fill_model(engine.database, model, with_model(engine, model).embedder)

        assert settle_model(engine.database, model).state == "ready"
