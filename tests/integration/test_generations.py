"""Generations under what happens between their steps: edits, deletions, another pipeline, another writer."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from builders import make_new_note

from rag_core.indexing.one_note import store_and_index
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_note, stage_notes
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage import staging as store
from rag_core.storage import vector_index
from rag_core.storage.batches import register_batches
from rag_core.storage.notes import delete_notes, store_notes
from rag_core.storage.search import search_semantic

BATCHES = ["pruebas-000000"]


def other_pipeline(pipeline: Pipeline) -> Pipeline:
    sizes = pipeline.chunking.model_copy(update={"max_chunk_size": 64, "overlap_size": 10, "min_chunk_size": 16})
    return Pipeline(chunking=sizes, model=pipeline.model, embedder=pipeline.embedder)


def rows(engine: Engine, tenant: TenantId, statement: str) -> list[tuple]:
    with engine.database.transaction(tenant) as connection:
        return connection.execute(statement).fetchall()


def test_an_edit_between_staging_and_embedding_leaves_no_wrong_vector(engine, tenant, make_note, index_notes) -> None:
    first, second = "La casa azul está junto al río.", "Treinta y dos facturas sin pagar, todas de marzo."
    make_note(first, external_id="a")
    register_batches(engine.database, tenant)
    stage_notes(engine.database, tenant, BATCHES, engine.pipeline)
    make_note(second, external_id="a")
    embed_staged(engine.database, tenant, BATCHES, engine.pipeline)
    publish_staged(engine.database, tenant, BATCHES, engine.pipeline)

    make_note(first, external_id="a")
    index_notes()

    [(stored,)] = rows(engine, tenant, "select vector from embeddings where kind = 'standard'")
    expected = engine.embedder.embed([first], role="document")[0]
    assert float(np.dot(stored.to_numpy(), expected)) == pytest.approx(1, abs=1e-5)


def test_a_note_that_becomes_a_document_is_cut_anew(engine, tenant, index_notes) -> None:
    sections = (f"# Punto {number}\n\n{'Se acuerda pagar las facturas de marzo. ' * 8}" for number in (1, 2))
    note = make_new_note("\n\n".join(sections), external_id="a")
    with engine.database.transaction(tenant, has_copy=True) as connection:
        store_notes(connection, tenant, [note])
    index_notes()
    assert rows(engine, tenant, "select count(*) from chunks") == [(1,)]

    with engine.database.transaction(tenant, has_copy=True) as connection:
        store_notes(connection, tenant, [replace(note, kind="document")])
    index_notes()

    assert rows(engine, tenant, "select count(*) from chunks") == [(2,)]


def test_what_another_pipeline_staged_is_neither_embedded_nor_published(engine, tenant, make_note, index_notes) -> None:
    make_note("Una frase. " * 60, external_id="a")
    index_notes()
    stage_notes(engine.database, tenant, BATCHES, other_pipeline(engine.pipeline))
    make_note("Otra nota.", external_id="b")

    index_notes()

    assert rows(engine, tenant, "select distinct indexed_fingerprint from notes") == [(engine.pipeline.fingerprint,)]
    assert rows(engine, tenant, "select count(*) from staged_notes") == [(0,)]


def test_staging_again_replaces_the_generation_whole(engine, tenant, make_note) -> None:
    make_note("Una frase larga que se parte en varios trozos. " * 40, external_id="a")
    register_batches(engine.database, tenant)
    [found] = store.fetch_notes_to_stage(
        engine.database, tenant, BATCHES, engine.pipeline.fingerprint, after=_first(), is_full=False, limit=10
    )
    many = stage_note(found, other_pipeline(engine.pipeline), tenant)
    few = replace(stage_note(found, engine.pipeline, tenant), fingerprint=many.fingerprint)
    assert len(many.chunks) > len(few.chunks)

    store.write_staged(engine.database, tenant, [many])
    store.write_staged(engine.database, tenant, [few])

    assert rows(engine, tenant, "select count(*) from staged_chunks") == [(len(few.chunks),)]


def _first():
    from uuid import UUID

    return UUID(int=0)


def test_a_note_deleted_while_it_is_staged_is_passed_over(engine, tenant, make_note) -> None:
    gone = make_note("Se va a borrar.", external_id="a")
    make_note("Se queda.", external_id="b")
    register_batches(engine.database, tenant)
    found = store.fetch_notes_to_stage(
        engine.database, tenant, BATCHES, engine.pipeline.fingerprint, after=_first(), is_full=False, limit=10
    )
    staged = [stage_note(one, engine.pipeline, tenant) for one in found]
    with engine.database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [gone])

    store.write_staged(engine.database, tenant, staged)
    embed_staged(engine.database, tenant, BATCHES, engine.pipeline)
    report = publish_staged(engine.database, tenant, BATCHES, engine.pipeline)

    assert report.published == 1


def test_publication_leaves_no_cached_copy_of_what_is_live(engine, tenant, make_note, index_notes) -> None:
    make_note("Una nota.", external_id="a")

    index_notes()

    assert rows(engine, tenant, "select count(*) from embedding_cache") == [(0,)]


def test_a_vector_shared_with_another_note_survives_its_deletion(engine, tenant, make_note, index_notes) -> None:
    other = make_note("Exactamente lo mismo.", external_id="a")
    index_notes()
    make_note("Exactamente lo mismo.", external_id="b")
    index_notes()

    with engine.database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [other])

    assert rows(engine, tenant, "select count(*) from embeddings") == [(2,)]


def test_replacing_a_note_embeds_only_what_is_not_known(engine, tenant) -> None:
    class Counting:
        name, dimensions = engine.embedder.name, engine.embedder.dimensions
        texts: ClassVar[list[str]] = []

        def embed(self, texts, *, role):
            self.texts.extend(texts)
            return engine.embedder.embed(texts, role=role)

    counting = Counting()
    pipeline = Pipeline(chunking=engine.pipeline.chunking, model=engine.model, embedder=counting)
    text = "\n\n".join(f"Párrafo {n}. " + f"La historia número {n} sigue. " * 60 for n in range(5))
    store_and_index(engine.database, tenant, make_new_note(text, "a"), pipeline)
    first = len(counting.texts)

    store_and_index(engine.database, tenant, make_new_note(text, "a"), pipeline)
    assert len(counting.texts) == first

    store_and_index(engine.database, tenant, make_new_note(text + " Y fin.", "a"), pipeline)
    assert 0 < len(counting.texts) - first < first / 2


class TestVectorIndex:
    """Beyond a size the vectors are found through an HNSW index."""

    @pytest.fixture
    def many(self, engine, tenant, make_note, index_notes) -> None:
        for number in range(40):
            make_note(f"Nota {number}: el tren de las {number} llega a la estación {number * 7} con retraso.")
        make_note("El paraguas verde se quedó en el museo.", external_id="paraguas")
        index_notes()

    def found(self, engine, tenant, *, exact_scan_chunks: int, owner=None):
        vector = engine.embedder.embed(["paraguas verde museo"], role="query")[0]
        return search_semantic(
            engine.database,
            owner or tenant,
            vector,
            model=engine.model,
            searched="contextual",
            limit=10,
            timeout_ms=10_000,
            exact_scan_chunks=exact_scan_chunks,
        )

    def test_both_paths_find_the_same_best_first(self, engine, tenant, many) -> None:
        assert vector_index.ensure_vector_index(engine.database, engine.model, exact_scan_chunks=0)

        exact, indexed = (
            self.found(engine, tenant, exact_scan_chunks=10**6),
            self.found(engine, tenant, exact_scan_chunks=0),
        )

        # Of several chunks equally far at the last place either may be found; above it the order is the same.
        last = exact[-1][1]
        assert [hit for hit in indexed if hit[1] > last] == [hit for hit in exact if hit[1] > last]
        assert [score for _, score in indexed] == [score for _, score in exact]

    def test_a_small_tenant_gets_all_its_results_through_the_index(
        self, engine, tenant, make_note, index_notes, many
    ) -> None:
        other = TenantId("otra")
        for number in range(10):
            make_note(f"Apunte {number} sobre el huerto y sus tomates.", owner=other)
        index_notes(other)
        vector_index.ensure_vector_index(engine.database, engine.model, exact_scan_chunks=0)

        assert len(self.found(engine, tenant, exact_scan_chunks=0, owner=other)) == 10

    def test_it_is_made_once_and_not_before_it_pays(self, engine, tenant, many) -> None:
        assert not vector_index.ensure_vector_index(engine.database, engine.model)
        assert vector_index.ensure_vector_index(engine.database, engine.model, exact_scan_chunks=0)
        assert not vector_index.ensure_vector_index(engine.database, engine.model, exact_scan_chunks=0)

    def test_a_build_that_was_killed_is_begun_anew(self, engine, tenant, many) -> None:
        vector_index.ensure_vector_index(engine.database, engine.model, exact_scan_chunks=0)
        with engine.database.owner() as connection:
            connection.execute(
                "update pg_index set indisvalid = false where indexrelid = 'brain.embeddings_hnsw_1_contextual'::regclass"
            )

        assert vector_index.ensure_vector_index(engine.database, engine.model, exact_scan_chunks=0)
        assert self.found(engine, tenant, exact_scan_chunks=0)
