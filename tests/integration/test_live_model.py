"""Engines that are open while another model is promoted, and models of any length."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from builders import make_new_note
from ollama_server import OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest
from promoting import BILLS, OTHER, RIVER, add, backfilled, find

from rag_core.embedding.active import ModelWatch
from rag_core.errors import ModelChangedError
from rag_core.indexing.one_note import store_and_index
from rag_core.model.embedding import WantedModel
from rag_core.model_change.promotion import promote
from rag_core.model_change.registration import register_model
from rag_core.runtime.engine import open_engine, with_model
from rag_core.runtime.live_engine import LiveEngine
from rag_core.settings import read_settings
from rag_core.storage.models import find_model
from rag_core.storage.vector_index import ensure_vector_index


class TestALiveEngine:
    @pytest.fixture
    def live(self, engine) -> tuple[LiveEngine, Callable[[], None]]:
        """A live engine that looks at once, and how to let a second pass for it."""
        moment = [0.0]

        def pass_a_second() -> None:
            moment[0] += 1.0

        watched = replace(engine, watch=ModelWatch(engine.database, engine.model, clock=lambda: moment[0]))
        pass_a_second()
        return LiveEngine(watched), pass_a_second

    def test_a_promotion_is_noticed_when_a_second_has_passed(self, engine, live) -> None:
        running, pass_a_second = live
        backfilled(engine)
        before = running.current()
        promote(engine, OTHER)
        same = running.current()
        pass_a_second()

        after = running.current()

        assert [held.model.name for held in (before, same, after)] == ["hashing", "hashing", OTHER]
        assert after.query_embedder.dimensions == 1536
        assert after.caches is before.caches
        assert running.at_hand is after

    def test_another_model_of_the_same_id_is_noticed_and_writes_nothing_as_the_former(
        self, engine, tenant, live
    ) -> None:
        running, pass_a_second = live
        before = running.current()
        with engine.database.owner() as connection:  # as a restore leaves it
            connection.execute("update brain.embedding_models set name = 'hashing-128', dimensions = 128")
        pass_a_second()

        after = running.current()

        assert (after.model.id, after.model.name) == (before.model.id, "hashing-128")
        assert running.renewed().model.dimensions == 128
        with pytest.raises(ModelChangedError, match="a backup was restored meanwhile"):
            store_and_index(engine.database, tenant, make_new_note(RIVER, "a"), before.pipeline)

    def test_a_model_registered_since_the_last_look_is_not_taken_for_a_retired_one(self, engine) -> None:
        watch = ModelWatch(engine.database, engine.model, clock=lambda: 0.0)
        watch.active(is_urgent=True)
        backfilled(engine)
        with engine.database.owner() as connection:
            registered = find_model(connection, OTHER).model

        assert not watch.is_retired(registered)

    def test_a_writer_need_not_wait(self, engine, live) -> None:
        running, _ = live
        running.current()
        backfilled(engine)
        promote(engine, OTHER)

        assert running.renewed().model.name == OTHER

    def test_a_database_that_does_not_answer_leaves_it_as_it_is(self, engine, live) -> None:
        running, _ = live
        backfilled(engine)
        promote(engine, OTHER)
        engine.database.pool.close()

        assert running.current().model.name == "hashing"

    def test_a_model_this_program_cannot_build_is_not_taken(self, engine, live, monkeypatch) -> None:
        running, _ = live
        backfilled(engine)
        promote(engine, OTHER)
        monkeypatch.setattr("rag_core.embedding.providers.hashing.HASHING_VERSION", "2")

        assert running.current().model.name == "hashing"

    def test_a_model_on_a_server_is_loaded_before_requests_get_it(
        self, engine, live, ollama_server: OllamaServer
    ) -> None:
        ollama_server.serve("nomic-embed-text", dimensions=16)
        running, _ = live
        settings = engine.settings.model_copy(update={"ollama_host": ollama_server.url})
        served = replace(running.at_hand, settings=settings)
        running = LiveEngine(served)
        register_model(
            engine.database,
            WantedModel(name="nomic-embed-text", provider="ollama"),
            settings=read_settings(ollama_host=ollama_server.url),
        )
        promote(served, "nomic-embed-text", is_waiting=True)
        ollama_server.misbehave("stall", seconds=1, times=1)
        before = len(ollama_server.bodies("/api/embed"))

        during = running.current()
        while running.at_hand is during:
            threading.Event().wait(0.01)

        assert during.model.name == "hashing"
        assert running.at_hand.model.name == "nomic-embed-text"
        assert len(ollama_server.bodies("/api/embed")) == before + 1

    def test_an_engine_can_be_opened_with_a_model_that_is_not_active(self, engine, database_url) -> None:
        add(engine.database)

        with open_engine(read_settings(database_url=database_url), model_name=OTHER) as opened:
            assert opened.model.name == OTHER
            assert opened.watch.active().name == "hashing"


@pytest.mark.parametrize("dimensions", [64, 1536, 4096])
def test_a_model_of_any_length_can_be_served(engine, tenant, make_note, index_notes, dimensions) -> None:
    make_note(RIVER, external_id="casa")
    make_note(BILLS)
    index_notes()
    model = backfilled(engine, "other", dimensions)
    ensure_vector_index(engine.database, model, exact_scan_chunks=0)

    promote(engine, "other")

    found = find(with_model(engine, model), tenant, "la casa del río")
    assert found.hits[0].external_id == "casa"


def test_a_note_and_chunks_longer_than_the_models_context_are_found_by_it(
    engine, tenant, make_note, index_notes, ollama_server: OllamaServer
) -> None:
    ollama_server.serve("short", dimensions=32, context_tokens=50)
    served = replace(engine, settings=engine.settings.model_copy(update={"ollama_host": ollama_server.url}))
    make_note("El huerto da tomates. " * 120, external_id="huerto")
    index_notes()
    make_note("El tejado tiene goteras. " * 120, external_id="tejado")
    registration = register_model(
        engine.database,
        WantedModel(name="short", provider="ollama"),
        settings=read_settings(ollama_host=ollama_server.url),
    )

    promote(served, "short", is_waiting=True)

    changed = with_model(served, registration.model)
    assert find(changed, tenant, "tejado con goteras").hits[0].external_id == "tejado"
    assert find(changed, tenant, "tomates del huerto").hits[0].external_id == "huerto"
