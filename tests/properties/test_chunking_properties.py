"""Properties of every text cut into sentences and chunks, whatever is in it."""

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import spanish_text

from rag_core.chunking import (
    ChunkSpan,
    chunk_spans,
    count_tokens,
    estimate_tokens,
    sentence_spans,
    window_bounds,
)
from rag_core.chunking.graphemes import is_cluster_boundary
from rag_core.model.note import Span

EXAMPLES = 100
languages = st.sampled_from(("es", "de", "en"))
texts = st.one_of(spanish_text(), spanish_text(), st.text(max_size=60))
filled_texts = texts.filter(bool)


@dataclass(frozen=True)
class Limits:
    max_tokens: int
    overlap_tokens: int
    min_tokens: int


@st.composite
def limits(draw: st.DrawFn) -> Limits:
    """Small ones, so that a short text makes many chunks; a third of them as tight as can be."""
    max_tokens = draw(st.one_of(st.integers(1, 8), st.integers(8, 40), st.integers(40, 200)))
    return Limits(
        max_tokens=max_tokens,
        overlap_tokens=draw(st.integers(0, max_tokens - 1)),
        min_tokens=draw(st.integers(0, max_tokens)),
    )


def chunked(text: str, within: Limits) -> list[ChunkSpan]:
    return chunk_spans(
        text,
        sentence_spans(text, "es"),
        max_tokens=within.max_tokens,
        overlap_tokens=within.overlap_tokens,
        min_tokens=within.min_tokens,
    )


def oversized(sentences: list[Span], within: Limits) -> list[Span]:
    return [(start, end) for start, end in sentences if estimate_tokens(end - start) > within.max_tokens]


@settings(max_examples=EXAMPLES)
@given(text=texts, language=languages)
def test_sentences_tile_the_text(text: str, language: str) -> None:
    spans = sentence_spans(text, language)

    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]


@settings(max_examples=EXAMPLES)
@given(text=texts, language=languages, line_end=st.sampled_from("\r\u2028\u2029"))
def test_line_ends_of_one_character_are_alike(text: str, language: str, line_end: str) -> None:
    text = text.replace("\r", " ")

    assert sentence_spans(text.replace("\n", line_end), language) == sentence_spans(text, language)


@settings(max_examples=EXAMPLES)
@given(text=filled_texts, language=languages)
def test_every_sentence_but_a_blank_text_starts_with_something_to_read(text: str, language: str) -> None:
    spans = sentence_spans(text, language)

    assert not any(text[start].isspace() for start, _ in spans[1:])
    assert len(spans) == 1 or all(text[start:end].strip() for start, end in spans)


@settings(max_examples=EXAMPLES)
@given(text=texts)
def test_no_sentence_starts_inside_a_grapheme_cluster(text: str) -> None:
    assert all(is_cluster_boundary(text, start) for start, _ in sentence_spans(text, "es"))


@pytest.mark.property(9)
@settings(max_examples=EXAMPLES)
@given(text=filled_texts, within=limits())
def test_every_filled_text_has_a_chunk(text: str, within: Limits) -> None:
    assert len(chunked(text, within)) >= 1


@pytest.mark.property(8)
@settings(max_examples=EXAMPLES)
@given(text=texts, within=limits())
def test_chunks_lie_in_the_text(text: str, within: Limits) -> None:
    assert all(0 <= chunk.start < chunk.end <= len(text) for chunk in chunked(text, within))


@settings(max_examples=EXAMPLES)
@given(text=filled_texts, within=limits())
def test_chunks_cover_the_text_in_order(text: str, within: Limits) -> None:
    chunks = chunked(text, within)

    assert (chunks[0].start, chunks[-1].end) == (0, len(text))
    assert all(before.start < after.start <= before.end < after.end for before, after in pairwise(chunks))


@pytest.mark.property(10)
@settings(max_examples=EXAMPLES)
@given(text=texts, within=limits())
def test_no_chunk_has_more_tokens_than_allowed(text: str, within: Limits) -> None:
    chunks = chunked(text, within)

    assert all(chunk.token_count <= within.max_tokens for chunk in chunks)
    assert [chunk.token_count for chunk in chunks] == [count_tokens(text[chunk.start : chunk.end]) for chunk in chunks]


@pytest.mark.property(11)
@settings(max_examples=EXAMPLES)
@given(text=texts, within=limits())
def test_neighbours_overlap_within_bounds_and_by_something_where_a_word_fits(text: str, within: Limits) -> None:
    for before, after in pairwise(chunked(text, within)):
        assert estimate_tokens(before.end - after.start) <= within.overlap_tokens
        if after.start == before.end:
            word = last_word_start(text, before)
            assert word is None or not fits(word, before, after, within)


@pytest.mark.property(11)
@settings(max_examples=EXAMPLES)
@given(text=texts, within=limits())
def test_the_overlap_starts_with_a_sentence_where_one_fits(text: str, within: Limits) -> None:
    starts = [start for start, _ in sentence_spans(text, "es")]

    for before, after in pairwise(chunked(text, within)):
        fitting = [start for start in starts if before.start < start < before.end]
        fitting = [start for start in fitting if fits(start, before, after, within)]
        assert not fitting or (after.start in starts and after.start <= fitting[0])


def last_word_start(text: str, chunk: ChunkSpan) -> int | None:
    end = chunk.start + len(text[chunk.start : chunk.end].rstrip())
    inner = range(end - 1, chunk.start, -1)
    return next((at for at in inner if text[at - 1].isspace() and is_cluster_boundary(text, at)), None)


def fits(start: int, before: ChunkSpan, after: ChunkSpan, within: Limits) -> bool:
    """Test whether ``after`` could have started there."""
    return (
        estimate_tokens(before.end - start) <= within.overlap_tokens
        and estimate_tokens(after.end - start) <= within.max_tokens
    )


@pytest.mark.property(12)
@settings(max_examples=EXAMPLES)
@given(text=texts, within=limits())
def test_chunks_end_with_a_sentence_unless_it_is_too_long_for_one(text: str, within: Limits) -> None:
    sentences = sentence_spans(text, "es")
    ends = {end for _, end in sentences}
    too_long = oversized(sentences, within)

    for chunk in chunked(text, within):
        assert chunk.end in ends or any(start < chunk.end < end for start, end in too_long)


@settings(max_examples=EXAMPLES)
@given(text=texts, within=limits())
def test_only_a_cluster_above_the_limit_is_parted(text: str, within: Limits) -> None:
    for chunk in chunked(text, within):
        for at in (chunk.start, chunk.end):
            assert is_cluster_boundary(text, at) or cluster_tokens(text, at) > within.max_tokens


def cluster_tokens(text: str, at: int) -> int:
    start = next(index for index in range(at, -1, -1) if is_cluster_boundary(text, index))
    end = next(index for index in range(at, len(text) + 1) if is_cluster_boundary(text, index))
    return estimate_tokens(end - start)


@settings(max_examples=EXAMPLES)
@given(text=texts, within=limits())
def test_the_same_text_gives_the_same_chunks(text: str, within: Limits) -> None:
    assert chunked(text, within) == chunked(text, within)


@settings(max_examples=EXAMPLES)
@given(data=st.data(), text=filled_texts, before=st.integers(0, 3), after=st.integers(0, 3))
def test_a_window_holds_its_span_and_stays_in_the_text(data: st.DataObject, text: str, before: int, after: int) -> None:
    sentences = sentence_spans(text, "es")
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))

    left, right = window_bounds([s for s, _ in sentences], len(text), (start, end), before=before, after=after)

    inside = [span for span in sentences if span[0] < end and span[1] > start]
    shown = [span for span in sentences if left <= span[0] and span[1] <= right]
    assert 0 <= left <= start < end <= right <= len(text)
    assert len(inside) <= len(shown) <= len(inside) + before + after
    assert (left, right) == (shown[0][0], shown[-1][1])
