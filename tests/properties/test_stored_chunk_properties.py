"""Properties of the chunks in the database once notes are indexed (properties 6 to 12, 19, 20 and 40)."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.corpora import (
    Corpus,
    StoredChunk,
    chunks_by_note,
    fetched,
    indexed,
    new_tenant,
    note_lists,
    note_texts,
    parsed,
    pipeline_of,
    small_sizes,
    stored,
)

from rag_core.chunking import count_tokens, estimate_tokens
from rag_core.chunking.graphemes import is_cluster_boundary
from rag_core.configuration.schema import Chunking
from rag_core.embedding.context import template_summary
from rag_core.indexing.one_note import store_and_index
from rag_core.storage.notes import delete_notes, fetch_note

pytestmark = pytest.mark.slow

EXAMPLES = settings(max_examples=100)
VECTORS = """
select c.content, c.context, s.vector::text, x.vector::text
from chunks c
join embeddings s on s.chunk_id = c.chunk_id and s.kind = 'standard'
join embeddings x on x.chunk_id = c.chunk_id and x.kind = 'contextual'
"""


def indexed_notes(library: list[Corpus]) -> Iterator[tuple[Corpus, str, list[StoredChunk]]]:
    """Every indexed note of the library: its corpus, its text, its chunks; more than a hundred of them."""
    found = [(corpus, note.content, chunks) for corpus in library for note, chunks in corpus.indexed]
    assert len(found) > 100
    return iter(found)


def text_of(engine, tenant, note_id) -> str:
    return fetched(engine, tenant, "select content from notes where note_id = %s", note_id)[0][0]


@pytest.mark.property(6)
@EXAMPLES
@given(notes=note_lists(), sizes=small_sizes(), data=st.data())
def test_every_chunk_is_part_of_a_note_that_is_there_after_edits_and_deletions_too(engine, notes, sizes, data) -> None:
    tenant = new_tenant()
    known = stored(engine, tenant, notes)
    indexed(engine, tenant, sizes=sizes)
    edited = data.draw(st.sampled_from(notes))
    gone = data.draw(st.sampled_from(list(known)))

    stored(engine, tenant, [parsed(data.draw(note_texts()), edited.external_id)])
    with engine.database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [gone])

    live = chunks_by_note(engine, tenant)
    assert set(live) == set(known) - {gone}
    for note_id, chunks in live.items():
        text = text_of(engine, tenant, note_id)
        assert all(chunk.content and text[chunk.start : chunk.end] == chunk.content for chunk in chunks)


@pytest.mark.property(7)
def test_the_chunks_of_a_note_are_numbered_from_zero_without_gaps(library) -> None:
    for _, _, chunks in indexed_notes(library):
        assert [chunk.index for chunk in chunks] == list(range(len(chunks)))


@pytest.mark.property(8)
def test_a_stored_chunk_is_the_slice_of_its_note_that_its_bounds_say(library) -> None:
    for _, text, chunks in indexed_notes(library):
        for chunk in chunks:
            assert 0 <= chunk.start < chunk.end <= len(text)
            assert text[chunk.start : chunk.end] == chunk.content


@pytest.mark.property(9)
@EXAMPLES
@given(notes=note_lists(), sizes=st.just(Chunking()) | small_sizes(), is_by_itself=st.booleans())
def test_every_note_that_was_indexed_has_a_chunk(engine, notes, sizes, is_by_itself) -> None:
    tenant = new_tenant()

    if is_by_itself:
        for note in notes:
            store_and_index(engine.database, tenant, note, pipeline_of(engine, sizes))
    else:
        stored(engine, tenant, notes)
        indexed(engine, tenant, sizes=sizes)

    live = chunks_by_note(engine, tenant)
    assert len(live) == len(notes)
    assert {chunk.method for chunks in live.values() for chunk in chunks} == {"sentence"}


@pytest.mark.property(10)
def test_no_stored_chunk_has_more_tokens_than_the_limit(library) -> None:
    for corpus, _, chunks in indexed_notes(library):
        assert all(count_tokens(chunk.content) == chunk.tokens <= corpus.sizes.max_chunk_size for chunk in chunks)


@pytest.mark.property(11)
def test_stored_neighbours_share_a_little_text_and_no_more_than_allowed(library) -> None:
    for corpus, text, chunks in indexed_notes(library):
        for before, after in pairwise(chunks):
            shared = before.end - after.start
            assert estimate_tokens(max(0, shared)) <= corpus.sizes.overlap_size
            if shared == 0:
                word = last_word_start(text, before.start, before.end)
                assert word is None or not fits(word, before.end, after.end, corpus.sizes)


def last_word_start(text: str, start: int, end: int) -> int | None:
    """Where the last word of ``text[start:end]`` begins, if it is not the first."""
    last = start + len(text[start:end].rstrip()) - 1
    return next((at for at in range(last, start, -1) if text[at - 1].isspace() and is_cluster_boundary(text, at)), None)


def fits(start: int, shared_end: int, end: int, sizes: Chunking) -> bool:
    """Test whether the next chunk could have started there."""
    return estimate_tokens(shared_end - start) <= sizes.overlap_size and estimate_tokens(end - start) <= (
        sizes.max_chunk_size
    )


@pytest.mark.property(12)
def test_stored_chunks_end_where_sentences_end_unless_one_is_too_long(library) -> None:
    for corpus, text, chunks in indexed_notes(library):
        sentences = list(pairwise([*corpus.sentence_starts[chunks[0].note_id], len(text)]))
        ends = {end for _, end in sentences}
        too_long = [span for span in sentences if estimate_tokens(span[1] - span[0]) > corpus.sizes.max_chunk_size]
        for chunk in chunks:
            assert chunk.end in ends or any(start < chunk.end < end for start, end in too_long)


@pytest.mark.property(19)
def test_every_stored_chunk_has_the_vector_of_its_text_and_that_of_its_text_in_context(engine, library) -> None:
    for corpus in library:
        rows = fetched(engine, corpus.tenant, VECTORS)
        standard = engine.embedder.embed([content for content, *_ in rows], role="document")
        contextual = engine.embedder.embed([f"{context}\n\n{text}" for text, context, *_ in rows], role="document")

        assert len(rows) == sum(len(chunks) for _, chunks in corpus.indexed)
        for (_, _, one, other), alone, in_context in zip(rows, standard, contextual, strict=True):
            assert as_vector(one) == pytest.approx(alone, abs=1e-5)
            assert as_vector(other) == pytest.approx(in_context, abs=1e-5)


def as_vector(stored_vector: str) -> np.ndarray:
    return np.fromstring(stored_vector.strip("[]"), sep=",")


@pytest.mark.property(20)
def test_the_stored_context_of_a_chunk_tells_what_its_note_is_about_and_which_part_it_is(library) -> None:
    for corpus in library:
        for note, chunks in corpus.indexed:
            summary = template_summary(note.title, note.content)
            for number, chunk in enumerate(chunks, 1):
                assert summary in chunk.context
                rest = chunk.context.replace(summary, "")
                assert f" {number} de {len(chunks)} " in rest
                is_inner = 1 < number < len(chunks)
                assert ("intermedia" in rest) == is_inner
                assert ("inicial" in rest) == (number == 1 < len(chunks))
                assert ("final" in rest) == (number == len(chunks) > 1)


@pytest.mark.property(40)
@EXAMPLES
@given(
    text=note_texts(),
    later=st.none() | note_texts(),
    sizes=small_sizes(),
    created_at=st.none() | st.sampled_from(("2024-02-29", "2025-03-30T02:30:00", "1999-12-31T23:59:59.999999+00:00")),
)
def test_a_note_keeps_its_id_and_its_date_however_often_it_is_indexed(engine, text, later, sizes, created_at) -> None:
    tenant = new_tenant()
    (note_id,) = stored(engine, tenant, [parsed(text, "n1", created_at=created_at)])
    before = note_of(engine, tenant, note_id)

    indexed(engine, tenant)
    if later is not None:
        stored(engine, tenant, [parsed(later, "n1")])
    indexed(engine, tenant, sizes=sizes)

    after = note_of(engine, tenant, note_id)
    assert fetched(engine, tenant, "select count(*) from notes") == [(1,)]
    assert (after.id, after.created_at, after.external_id) == (note_id, before.created_at, "n1")
    assert set(chunks_by_note(engine, tenant)) == {note_id}


def note_of(engine, tenant, note_id):
    with engine.database.transaction(tenant) as connection:
        return fetch_note(connection, tenant, note_id)
