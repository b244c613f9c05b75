"""Properties of reading through passages, however notes are cut."""

from uuid import UUID

from builders import make_hit
from hypothesis import given
from hypothesis import strategies as st

from rag_core.evaluation.runs.passages import PATIENCE, passage_of, read_through
from rag_core.model.note import ChunkId, NoteId, Span
from rag_core.model.retrieval import Hit

NOTE = NoteId(UUID(int=1))
CONTENT = "".join(chr(0x4E00 + place) for place in range(3000))  # no two places read the same


def hit(window: Span, best: Span, *others: Span) -> Hit:
    """A hit of the note; the spans are in the note."""
    start, end = window
    text = CONTENT[start:end]
    inside = [(one - start, other - start) for one, other in (best, *others)]
    return make_hit(
        chunk_id=ChunkId(UUID(int=2)),
        note_id=NOTE,
        content=CONTENT[best[0] : best[1]],
        expanded_content=text,
        bounds=inside[0],
        matched_spans=tuple(sorted(inside)),
    )


@st.composite
def spans_within(draw: st.DrawFn, low: int, high: int) -> Span:
    start = draw(st.integers(min_value=low, max_value=high - 1))
    return start, draw(st.integers(min_value=start + 1, max_value=high))


@st.composite
def hits(draw: st.DrawFn) -> Hit:
    window = draw(spans_within(0, len(CONTENT)))
    chunks = draw(st.lists(spans_within(*window), min_size=1, max_size=4))
    return hit(window, *chunks)


@given(found=hits())
def test_a_passage_gives_every_character_of_its_chunks_to_read_exactly_once(found) -> None:
    read = passage_of(found, CONTENT)

    ((*pieces,),) = read.places
    characters = [place for start, end in pieces for place in range(start, end)]
    offset = CONTENT.index(found.expanded_content)
    wanted = {offset + place for start, end in found.matched_spans for place in range(start, end)}
    assert len(characters) == len(set(characters)) == read.length
    assert set(characters) == wanted
    assert pieces[0] == (offset + found.bounds[0], offset + found.bounds[1])


@given(found=st.lists(hits(), max_size=6), span=spans_within(0, len(CONTENT)))
def test_it_is_worth_between_nothing_and_everything_and_agrees_with_the_rank(found, span) -> None:
    reading = read_through(found, {NOTE: [span]}, {NOTE: CONTENT})

    assert 0 <= reading.u_measure < 1
    if reading.first_passage_rank is None:
        assert reading.u_measure == 0
    else:
        least = sum(len(one.content) for one in found[: reading.first_passage_rank - 1])
        assert reading.u_measure <= 1 - least / PATIENCE or reading.u_measure == 0


@given(found=st.lists(hits(), min_size=1, max_size=6), before=hits(), span=spans_within(0, len(CONTENT)))
def test_a_passage_of_another_note_before_it_never_helps(found, before, span) -> None:
    stranger = Hit(**{name: getattr(before, name) for name in Hit.__slots__} | {"note_id": NoteId(UUID(int=7))})

    alone = read_through(found, {NOTE: [span]}, {NOTE: CONTENT})
    later = read_through([stranger, *found], {NOTE: [span]}, {NOTE: CONTENT})

    assert later.u_measure <= alone.u_measure
    assert (later.first_passage_rank is None) == (alone.first_passage_rank is None)
