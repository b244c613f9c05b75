"""What holds of the chunks in the database once notes are indexed (properties 6 to 12, 19, 20 and 40)."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.corpora import (
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
from rag_core.configuration import Chunking
from rag_core.embedding.context import template_summary
from rag_core.indexing.one_note import store_and_index
from rag_core.storage.notes import delete_notes, fetch_note

EXAMPLES = settings(max_examples=100)
VECTORS = """
select c.content, c.context, s.vector::text, x.vector::text
from chunks c
left join embeddings s on s.chunk_id = c.chunk_id and s.tenant_id = c.tenant_id and s.kind = 'standard'
left join embeddings x on x.chunk_id = c.chunk_id and x.tenant_id = c.tenant_id and x.kind = 'contextual'
where c.tenant_id = %s
"""


def starts_of(engine, tenant) -> dict:
    return dict(fetched(engine, tenant, "select note_id, sentence_starts from notes"))


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
@EXAMPLES
@given(notes=note_lists(), sizes=small_sizes())
def test_the_chunks_of_a_note_are_numbered_from_zero_without_gaps(engine, notes, sizes) -> None:
    tenant = new_tenant()
    stored(engine, tenant, notes)

    indexed(engine, tenant, sizes=sizes)

    for chunks in chunks_by_note(engine, tenant).values():
        assert [chunk.index for chunk in chunks] == list(range(len(chunks)))


@pytest.mark.property(8)
@EXAMPLES
@given(notes=note_lists(), sizes=small_sizes())
def test_a_stored_chunk_is_the_slice_of_its_note_that_its_bounds_say(engine, notes, sizes) -> None:
    tenant = new_tenant()
    known = stored(engine, tenant, notes)

    indexed(engine, tenant, sizes=sizes)

    for note_id, chunks in chunks_by_note(engine, tenant).items():
        text = known[note_id].content
        assert text == text_of(engine, tenant, note_id)
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
@EXAMPLES
@given(notes=note_lists(), sizes=small_sizes())
def test_no_stored_chunk_has_more_tokens_than_the_limit(engine, notes, sizes) -> None:
    tenant = new_tenant()
    stored(engine, tenant, notes)

    indexed(engine, tenant, sizes=sizes)

    for chunks in chunks_by_note(engine, tenant).values():
        assert all(count_tokens(chunk.content) == chunk.tokens <= sizes.max_chunk_size for chunk in chunks)


@pytest.mark.property(11)
@EXAMPLES
@given(notes=note_lists(), sizes=small_sizes())
def test_stored_neighbours_share_a_little_text_and_no_more_than_allowed(engine, notes, sizes) -> None:
    tenant = new_tenant()
    known = stored(engine, tenant, notes)

    indexed(engine, tenant, sizes=sizes)

    for note_id, chunks in chunks_by_note(engine, tenant).items():
        for before, after in pairwise(chunks):
            shared = before.end - after.start
            assert estimate_tokens(max(0, shared)) <= sizes.overlap_size
            if shared == 0:
                word = last_word_start(known[note_id].content, before.start, before.end)
                assert word is None or not fits(word, before.end, after.end, sizes)


def last_word_start(text: str, start: int, end: int) -> int | None:
    """Where the last word of ``text[start:end]`` begins, if it is not the first."""
    last = start + len(text[start:end].rstrip()) - 1
    return next((at for at in range(last, start, -1) if text[at - 1].isspace() and is_cluster_boundary(text, at)), None)


def fits(start: int, shared_end: int, end: int, sizes: Chunking) -> bool:
    """Whether the next chunk could have started there."""
    return estimate_tokens(shared_end - start) <= sizes.overlap_size and estimate_tokens(end - start) <= (
        sizes.max_chunk_size
    )


@pytest.mark.property(12)
@EXAMPLES
@given(notes=note_lists(), sizes=small_sizes())
def test_stored_chunks_end_where_sentences_end_unless_one_is_too_long(engine, notes, sizes) -> None:
    tenant = new_tenant()
    known = stored(engine, tenant, notes)

    indexed(engine, tenant, sizes=sizes)

    starts_by_note = starts_of(engine, tenant)
    for note_id, chunks in chunks_by_note(engine, tenant).items():
        sentences = list(pairwise([*starts_by_note[note_id], len(known[note_id].content)]))
        ends = {end for _, end in sentences}
        too_long = [span for span in sentences if estimate_tokens(span[1] - span[0]) > sizes.max_chunk_size]
        for chunk in chunks:
            assert chunk.end in ends or any(start < chunk.end < end for start, end in too_long)


@pytest.mark.property(19)
@EXAMPLES
@given(notes=note_lists(), sizes=small_sizes())
def test_every_stored_chunk_has_the_vector_of_its_text_and_that_of_its_text_in_context(engine, notes, sizes) -> None:
    tenant = new_tenant()
    stored(engine, tenant, notes)

    indexed(engine, tenant, sizes=sizes)

    rows = fetched(engine, tenant, VECTORS, tenant)
    assert rows
    standard = engine.embedder.embed([content for content, *_ in rows], role="document")
    contextual = engine.embedder.embed([f"{context}\n\n{content}" for content, context, *_ in rows], role="document")
    for (_, _, one, other), alone, in_context in zip(rows, standard, contextual, strict=True):
        assert np.allclose(as_vector(one), alone, atol=1e-5)
        assert np.allclose(as_vector(other), in_context, atol=1e-5)


def as_vector(stored_vector: str) -> np.ndarray:
    return np.fromstring(stored_vector.strip("[]"), sep=",")


@pytest.mark.property(20)
@EXAMPLES
@given(notes=note_lists(), sizes=small_sizes())
def test_the_stored_context_of_a_chunk_tells_what_its_note_is_about_and_which_part_it_is(engine, notes, sizes) -> None:
    tenant = new_tenant()
    known = stored(engine, tenant, notes)

    indexed(engine, tenant, sizes=sizes)

    for note_id, chunks in chunks_by_note(engine, tenant).items():
        summary = template_summary(known[note_id].title, known[note_id].content)
        for number, chunk in enumerate(chunks, 1):
            assert chunk.context is not None
            assert summary in chunk.context
            rest = chunk.context.replace(summary, "")
            assert f" {number} de {len(chunks)}" in rest
            assert ("inicial" in rest, "final" in rest) == position_words(number, len(chunks))


def position_words(number: int, total: int) -> tuple[bool, bool]:
    """Whether the beginning and the end are named."""
    return (total > 1 and number == 1, total > 1 and number == total)


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
