"""From one embedding model to another and back: what must be there, what readers find, what is left of the old one."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from builders import make_new_note
from ollama_server import OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.configuration.schema import configure
from rag_core.embedding.active import ModelWatch
from rag_core.embedding.providers.hashing import HashingEmbedder
from rag_core.errors import EmbeddingError, ModelChangedError, ModelStateError, NotFoundError
from rag_core.indexing.one_note import store_and_index
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.embedding import EmbeddingModel, WantedModel
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.model_change.backfill import begin_backfill, fill_model, settle_model
from rag_core.model_change.promotion import promote
from rag_core.model_change.registration import register_model
from rag_core.model_change.retirement import retire
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine, open_engine, with_model
from rag_core.runtime.live_engine import LiveEngine
from rag_core.settings import Settings, read_settings
from rag_core.storage.batches import stale_batches
from rag_core.storage.database import Database
from rag_core.storage.models import (
    count_vectors_by_tenant,
    fetch_active_model,
    find_model,
    hold_model,
    promote_model,
)
from rag_core.storage.vector_index import ensure_vector_index

RIVER = "La casa azul está junto al río."
BILLS = "Treinta y dos facturas sin pagar, todas de marzo."
OTHER = "hashing-1536"


def add(database: Database, name: str = OTHER, dimensions: int = 1536) -> EmbeddingModel:
    wanted = WantedModel(name=name, provider="hashing", dimensions=dimensions)
    return register_model(database, wanted, settings=Settings(ollama_host="")).model


def backfilled(engine: Engine, name: str = OTHER, dimensions: int = 1536) -> EmbeddingModel:
    add(engine.database, name, dimensions)
    model = begin_backfill(engine.database, name)
    fill_model(engine, model)
    return settle_model(engine.database, model)


def active(database: Database) -> EmbeddingModel:
    with database.owner() as connection:
        return fetch_active_model(connection)


def state(database: Database, name: str) -> str:
    with database.owner() as connection:
        return find_model(connection, name).model.state


def long_ago(database: Database) -> None:
    """Move the last promotion two minutes back."""
    with database.owner() as connection:
        connection.execute("update brain.embedding_models set promoted_at = now() - interval '2 minutes'")


def find(engine: Engine, tenant: TenantId, query: str, *, strategy: str = "semantic") -> Retrieval:
    return retrieve(engine, tenant, query, config=configure(strategy=strategy), timeout_ms=10_000, use_cache=False)


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
        fill_model(engine, model)

        assert settle_model(engine.database, model).state == "ready"


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
            settings=Settings(ollama_host=ollama_server.url),
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
        engine.database, WantedModel(name="short", provider="ollama"), settings=Settings(ollama_host=ollama_server.url)
    )

    promote(served, "short", is_waiting=True)

    changed = with_model(served, registration.model)
    assert find(changed, tenant, "tejado con goteras").hits[0].external_id == "tejado"
    assert find(changed, tenant, "tomates del huerto").hits[0].external_id == "huerto"
