"""One note stored by the API while a migration is under way, stopped or rolled back."""

import uuid
from dataclasses import replace

import pytest
from attached_notes import ask, attach_texts, put_state
from builders import make_new_note

from rag_core.errors import EmbeddingError
from rag_core.indexing import one_note
from rag_core.indexing.one_note import store_and_index
from rag_core.indexing.pipeline import Pipeline
from rag_core.model.note import note_id_for

LIVE = """
select c.chunking_method, c.chunk_id = n.note_id,
    (select array_agg(kind order by kind) from embeddings e where e.chunk_id = c.chunk_id)
from notes n join chunks c using (tenant_id, note_id) where n.external_id = %s order by c.chunk_index
"""
WHOLE = [("whole_note", True, ["contextual", "standard"])]


def broken(pipeline: Pipeline) -> Pipeline:
    class BrokenEmbedder:
        name, dimensions = "broken", 768

        def embed(self, texts, *, role):
            raise EmbeddingError("nobody answers")

    return Pipeline(chunking=pipeline.chunking, model=pipeline.model, embedder=BrokenEmbedder())


def test_a_legacy_note_that_is_edited_keeps_its_uuid_and_is_migrated_by_it(engine, tenant) -> None:
    name = str(uuid.uuid4())
    attach_texts(engine, tenant, {name: "Como era."})

    stored = store_and_index(
        engine.database, tenant, make_new_note("Como es.", name, source="legacy"), engine.pipeline, expected="known"
    )

    assert stored.note_id == uuid.UUID(name)
    assert ask(engine, tenant, "select legacy_state, chunked_at is not null from notes") == [("migrated", True)]
    assert ask(engine, tenant, LIVE, name) == [("sentence", False, ["contextual", "standard"])]


def test_after_a_rollback_a_note_is_stored_whole_with_its_own_vector(engine, tenant) -> None:
    put_state(engine, tenant, "rolled_back")

    stored = store_and_index(engine.database, tenant, make_new_note("Vino Lucía. " * 300), engine.pipeline)

    assert stored.is_embedded
    assert stored.note_id == note_id_for(tenant, "notas", "n1")
    assert ask(engine, tenant, LIVE, "n1") == WHOLE
    assert ask(engine, tenant, "select indexed_fingerprint, chunked_at from notes") == [(None, None)]


def test_after_a_rollback_an_edit_has_the_vector_of_its_new_text(engine, tenant) -> None:
    put_state(engine, tenant, "rolled_back")
    store_and_index(engine.database, tenant, make_new_note("Vino Lucía."), engine.pipeline)
    before = ask(engine, tenant, "select distinct input_hash from embeddings")

    store_and_index(engine.database, tenant, make_new_note("Vino Rosa."), engine.pipeline, expected="known")

    assert ask(engine, tenant, LIVE, "n1") == WHOLE
    assert ask(engine, tenant, "select distinct input_hash from embeddings") != before


def test_after_a_rollback_the_same_note_again_costs_no_embedding(engine, tenant) -> None:
    put_state(engine, tenant, "rolled_back")
    store_and_index(engine.database, tenant, make_new_note("Vino Lucía."), engine.pipeline)

    again = store_and_index(engine.database, tenant, make_new_note("Vino Lucía."), broken(engine.pipeline))

    assert again.is_embedded
    assert ask(engine, tenant, LIVE, "n1") == WHOLE


def test_after_a_rollback_a_note_is_kept_when_the_provider_fails(engine, tenant) -> None:
    put_state(engine, tenant, "rolled_back")

    stored = store_and_index(engine.database, tenant, make_new_note("Vino Lucía."), broken(engine.pipeline))

    assert not stored.is_embedded
    assert ask(engine, tenant, LIVE, "n1") == [("whole_note", True, None)]


def test_while_it_is_stopped_pending_notes_stay_whole_and_new_ones_are_chunked(engine, tenant) -> None:
    attach_texts(engine, tenant, {"a": "Como era."})
    put_state(engine, tenant, "stopped")

    store_and_index(
        engine.database, tenant, make_new_note("Como es.", "a", source="legacy"), engine.pipeline, expected="known"
    )
    store_and_index(engine.database, tenant, make_new_note("Una nueva.", "b"), engine.pipeline)

    assert ask(engine, tenant, LIVE, "a") == WHOLE
    assert ask(engine, tenant, "select legacy_state from notes where external_id = 'a'") == [("pending",)]
    assert ask(engine, tenant, LIVE, "b") == [("sentence", False, ["contextual", "standard"])]


@pytest.mark.parametrize(
    ("before", "after", "method"), [("running", "rolled_back", "whole_note"), ("rolled_back", "running", "sentence")]
)
def test_a_rollback_between_embedding_and_storing_is_noticed(
    engine, tenant, monkeypatch, before, after, method
) -> None:
    put_state(engine, tenant, before)
    real = one_note._store
    calls = []

    def meanwhile(*arguments, **options):
        calls.append(arguments[3].stays_whole)
        if len(calls) == 1:
            embedder = engine.pipeline.embedder
            pipeline = replace_embedder(engine.pipeline, lambda: put_state(engine, tenant, after), embedder)
            return real(*arguments[:4], pipeline, **options)
        return real(*arguments, **options)

    monkeypatch.setattr(one_note, "_store", meanwhile)

    store_and_index(engine.database, tenant, make_new_note("Vino Lucía."), engine.pipeline)

    assert len(calls) == 2
    assert {row[0] for row in ask(engine, tenant, LIVE, "n1")} == {method}


def replace_embedder(pipeline: Pipeline, before, embedder) -> Pipeline:
    class Telling:
        name, dimensions = embedder.name, embedder.dimensions

        def embed(self, texts, *, role):
            before()
            return embedder.embed(texts, role=role)

    return replace(pipeline, embedder=Telling())
