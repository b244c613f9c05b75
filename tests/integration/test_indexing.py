from dataclasses import replace

import pytest
from builders import make_new_note
from hypothesis import HealthCheck, given, settings
from properties.strategies import spanish_text

from rag_core.errors import EmbeddingError
from rag_core.indexing.one_note import store_and_index
from rag_core.indexing.pipeline import Pipeline
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches, stale_batches
from rag_core.storage.database import Database
from rag_core.storage.notes import delete_notes, store_notes

LONG = "  ".join(
    f"El tren {n} me llevó a Cádiz 🚂 y allí perdí la bufanda de mi prima, aunque la señora de la estación número {n} me la devolvió."
    for n in range(40)
)
HELD = """
select n.external_id, c.chunk_index, substring(n.content from c.start_char + 1 for c.end_char - c.start_char) = c.content,
    c.end_char <= char_length(n.content), c.chunking_method,
    (select count(*) from embeddings e where e.chunk_id = c.chunk_id)
from notes n left join chunks c using (tenant_id, note_id) order by n.external_id, c.chunk_index
"""


def rows(database: Database, tenant: TenantId, statement: str, *parameters: object) -> list[tuple]:
    with database.transaction(tenant) as connection:
        return connection.execute(statement, parameters).fetchall()


class BrokenEmbedder:
    name, dimensions = "broken", 768

    def embed(self, texts, *, role):
        raise EmbeddingError("nobody answers")


def broken(pipeline: Pipeline) -> Pipeline:
    return Pipeline(chunking=pipeline.chunking, model=pipeline.model, embedder=BrokenEmbedder())


@pytest.mark.property(6)
@pytest.mark.property(8)
def test_every_chunk_is_a_slice_of_its_note_with_both_vectors(engine, tenant, make_note, index_notes) -> None:
    make_note(LONG)
    make_note("Una nota corta con un emoji 🍅 y nada más.")

    index_notes()

    held = rows(engine.database, tenant, HELD)
    assert len(held) > 3
    assert all(row[2:] == (True, True, "sentence", 2) for row in held)


@pytest.mark.property(7)
@pytest.mark.property(9)
@pytest.mark.property(19)
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spanish_text())
def test_any_note_is_indexed_whole(engine, tenant, text) -> None:
    if not text.strip() or "\0" in text:
        return

    store_and_index(engine.database, tenant, make_new_note(text), engine.pipeline)

    held = rows(engine.database, tenant, HELD)
    assert [row[1] for row in held] == list(range(len(held)))
    assert all(row[2:] == (True, True, "sentence", 2) for row in held)


@pytest.mark.parametrize(
    "text", ["a" + " " * 9000 + "b", "\n" * 5000 + "hola", "🍅", "?!…", "\u00a0x\u200b", "x" * 20_000]
)
def test_odd_notes_are_indexed_too(engine, tenant, text) -> None:
    stored = store_and_index(engine.database, tenant, make_new_note(text), engine.pipeline)

    assert stored.is_embedded
    held = rows(engine.database, tenant, HELD)
    assert [row[1] for row in held] == list(range(len(held)))
    assert all(row[2:] == (True, True, "sentence", 2) for row in held)


def test_a_note_is_found_by_its_words_before_it_is_indexed(engine, tenant, make_note) -> None:
    note = make_note("El paraguas verde quedó en el museo.")

    assert rows(engine.database, tenant, "select chunk_id from postings where lexeme = 'paragu'") == [(note,)]


def test_indexing_again_does_nothing(engine, tenant, make_note, index_notes) -> None:
    make_note(LONG)
    index_notes()

    report = index_notes()

    assert (report.embedded, report.reused) == (0, 0)


def test_an_edit_embeds_only_the_chunks_whose_text_changed(engine, tenant, make_note, index_notes) -> None:
    make_note(LONG, external_id="largo")
    first = index_notes()

    make_note(LONG.replace("número 39", "número 99"), external_id="largo")
    second = index_notes()

    assert 0 < second.embedded <= 4
    assert second.embedded + second.reused == first.embedded


def test_undoing_an_edit_embeds_nothing(engine, tenant, make_note, index_notes) -> None:
    make_note("El primer texto.", external_id="a")
    index_notes()
    make_note("El segundo texto.", external_id="a")
    index_notes()

    make_note("El primer texto.", external_id="a")

    assert index_notes().embedded == 0


def test_the_same_text_in_two_notes_is_embedded_once(engine, tenant, make_note, index_notes) -> None:
    make_note("Exactamente el mismo texto.")
    make_note("Exactamente el mismo texto.")

    assert index_notes().embedded == 2  # standard and contextual


def test_chunk_ids_are_the_same_after_a_rebuild(engine, tenant, make_note, index_notes) -> None:
    note = make_note(LONG, external_id="a")
    index_notes()
    before = rows(engine.database, tenant, "select chunk_id from chunks order by 1")
    with engine.database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [note])

    make_note(LONG, external_id="a")
    index_notes()

    assert rows(engine.database, tenant, "select chunk_id from chunks order by 1") == before


def test_deleting_a_note_leaves_nothing(engine, tenant, make_note, index_notes) -> None:
    note = make_note(LONG, external_id="a")
    index_notes()
    make_note(LONG.replace("Cádiz", "Soria"), external_id="a")

    with engine.database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [note])

    for table in ("notes", "chunks", "embeddings", "embedding_cache", "postings", "staged_notes", "staged_chunks"):
        assert rows(engine.database, tenant, f"select count(*) from {table}") == [(0,)], table
    assert rows(engine.database, tenant, "select coalesce(sum(documents), 0) from corpus_statistics") == [(0,)]


def test_while_a_new_generation_is_staged_readers_see_the_old_one(engine, tenant, make_note, index_notes) -> None:
    make_note(LONG)
    index_notes()
    before = rows(engine.database, tenant, "select chunk_id from chunks order by 1")
    smaller = Pipeline(
        chunking=engine.pipeline.chunking.model_copy(update={"max_chunk_size": 128}),
        model=engine.pipeline.model,
        embedder=engine.embedder,
    )
    keys = stale_batches(engine.database, tenant, fingerprint=smaller.fingerprint)

    stage_notes(engine.database, tenant, keys, smaller)
    embed_staged(engine.database, tenant, keys, smaller)
    assert rows(engine.database, tenant, "select chunk_id from chunks order by 1") == before
    publish_staged(engine.database, tenant, keys, smaller)

    assert len(rows(engine.database, tenant, "select chunk_id from chunks")) > len(before)
    assert rows(engine.database, tenant, "select count(*) from staged_chunks") == [(0,)]


def test_notes_without_all_their_vectors_are_not_published(engine, tenant, make_note) -> None:
    make_note("Una nota que no se puede incrustar.")
    register_batches(engine.database, tenant)
    keys = stale_batches(engine.database, tenant, fingerprint=engine.pipeline.fingerprint)
    stage_notes(engine.database, tenant, keys, engine.pipeline)

    with pytest.raises(EmbeddingError):
        embed_staged(engine.database, tenant, keys, broken(engine.pipeline))
    report = publish_staged(engine.database, tenant, keys, engine.pipeline)

    assert (report.published, report.left) == (0, 1)
    assert rows(engine.database, tenant, "select chunking_method from chunks") == [("whole_note",)]


def test_a_note_edited_after_staging_is_not_published_from_the_old_text(engine, tenant, make_note) -> None:
    make_note("El texto de antes.", external_id="a")
    register_batches(engine.database, tenant)
    keys = stale_batches(engine.database, tenant, fingerprint=engine.pipeline.fingerprint)
    stage_notes(engine.database, tenant, keys, engine.pipeline)
    embed_staged(engine.database, tenant, keys, engine.pipeline)

    make_note("El texto de ahora.", external_id="a")
    report = publish_staged(engine.database, tenant, keys, engine.pipeline)

    assert report.published == 0
    assert rows(engine.database, tenant, "select content from chunks") == [("El texto de ahora.",)]


def test_a_single_note_is_indexed_in_the_transaction_that_stores_it(engine, tenant) -> None:
    stored = store_and_index(engine.database, tenant, make_new_note(LONG), engine.pipeline)

    assert stored.is_embedded
    held = rows(engine.database, tenant, HELD)
    assert all(row[4:] == ("sentence", 2) for row in held)
    register_batches(engine.database, tenant)
    assert stale_batches(engine.database, tenant, fingerprint=engine.pipeline.fingerprint) == []


def test_a_single_note_is_kept_when_the_provider_fails_and_embedded_later(engine, tenant, index_notes) -> None:
    stored = store_and_index(engine.database, tenant, make_new_note("Sin vector por ahora."), broken(engine.pipeline))

    assert not stored.is_embedded
    assert rows(engine.database, tenant, "select chunking_method from chunks") == [("whole_note",)]
    assert index_notes().embedded == 2


def test_batches_hold_a_hundred_notes_newest_first_and_keep_them(engine, tenant) -> None:
    def store(first: int, count: int) -> None:
        notes = [replace(make_new_note("hola", f"{n:04d}"), created_at=None) for n in range(first, first + count)]
        with engine.database.transaction(tenant, has_copy=True) as connection:
            store_notes(connection, tenant, notes)
        with engine.database.transaction(tenant) as connection:
            connection.execute(
                "update notes set created_at = timestamptz '2025-01-01' + external_id::int * interval '1 day'"
            )

    store(0, 150)
    first = register_batches(engine.database, tenant)
    before = dict(rows(engine.database, tenant, "select external_id, batch_key from notes"))
    store(150, 120)
    second = register_batches(engine.database, tenant)
    after = dict(rows(engine.database, tenant, "select external_id, batch_key from notes"))

    assert first == ["pruebas-000000", "pruebas-000001"]
    assert {before[f"{n:04d}"] for n in range(50, 150)} == {"pruebas-000000"}
    assert second == ["pruebas-000002"]
    assert all(after[name] == key for name, key in before.items())
    assert sorted(list(after.values()).count(key) for key in set(after.values())) == [70, 100, 100]
    assert register_batches(engine.database, tenant) == []


def test_a_failure_in_the_middle_of_publication_leaves_the_old_state_whole(
    engine: Engine, tenant, make_note, index_notes
) -> None:
    make_note(LONG, external_id="a")
    index_notes()
    before = rows(engine.database, tenant, "select chunk_id, content from chunks order by 1")
    with engine.database.owner() as connection:
        connection.execute(
            "create function brain.fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$"
        )
        connection.execute(
            "create trigger planted before insert on brain.embeddings for each row execute function brain.fail()"
        )

    smaller = Pipeline(
        chunking=engine.pipeline.chunking.model_copy(update={"max_chunk_size": 128}),
        model=engine.pipeline.model,
        embedder=engine.embedder,
    )
    keys = stale_batches(engine.database, tenant, fingerprint=smaller.fingerprint)
    stage_notes(engine.database, tenant, keys, smaller)
    embed_staged(engine.database, tenant, keys, smaller)
    report = publish_staged(engine.database, tenant, keys, smaller)

    assert (report.published, report.failed) == (0, 1)
    assert rows(engine.database, tenant, "select chunk_id, content from chunks order by 1") == before
