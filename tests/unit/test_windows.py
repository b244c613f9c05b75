from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from rag_core.model.note import ChunkId, NoteId
from rag_core.retrieval.windows import Match, fill_windows, join_windows, within

FIRST_NOTE, SECOND_NOTE = NoteId(UUID(int=1)), NoteId(UUID(int=2))


def match(number: int, span: tuple[int, int], window: tuple[int, int], note: NoteId = FIRST_NOTE) -> Match:
    chunk_id = ChunkId(UUID(int=1_000 * note.int + number))
    return Match(chunk_id=chunk_id, note_id=note, chunk_index=number, span=span, window=window)


def test_overlapping_windows_of_one_note_become_their_union() -> None:
    first, second = match(1, (100, 200), (80, 220)), match(0, (20, 110), (0, 130))

    [window] = join_windows([first, second], limit=5, max_tokens=1000)

    assert window.best is first
    assert window.span == (0, 220)
    assert window.matched == ((20, 110), (100, 200))


def test_windows_of_different_notes_are_never_joined() -> None:
    first, second = match(1, (0, 50), (0, 60)), match(1, (0, 50), (0, 60), SECOND_NOTE)

    windows = join_windows([first, second], limit=5, max_tokens=1000)

    assert [window.best for window in windows] == [first, second]


def test_windows_that_only_touch_stay_apart() -> None:
    first, second = match(0, (0, 50), (0, 50)), match(1, (50, 90), (50, 90))

    assert len(join_windows([first, second], limit=5, max_tokens=1000)) == 2


def test_a_union_longer_than_allowed_is_not_made() -> None:
    first, second = match(0, (0, 300), (0, 350)), match(1, (250, 600), (200, 650))

    windows = join_windows([first, second], limit=5, max_tokens=100)

    assert [window.span for window in windows] == [(0, 350), (200, 650)]


def test_a_joined_match_frees_its_place_for_the_next() -> None:
    matches = [
        match(0, (0, 50), (0, 80)),
        match(1, (40, 90), (20, 120)),
        match(0, (0, 50), (0, 80), SECOND_NOTE),
    ]

    windows = join_windows(matches, limit=2, max_tokens=1000)

    assert [window.best.note_id for window in windows] == [FIRST_NOTE, SECOND_NOTE]


def test_a_match_below_the_limit_still_joins_a_window_above() -> None:
    matches = [match(0, (0, 50), (0, 80)), match(9, (500, 600), (480, 620)), match(1, (40, 90), (20, 120))]

    [window] = join_windows(matches, limit=1, max_tokens=1000)

    assert window.matched == ((0, 50), (40, 90))


def test_bounds_are_counted_from_the_window() -> None:
    assert within((29, 86), (20, 100)) == (9, 66)


def test_what_is_looked_at_below_leaves_the_windows_that_are_served_as_they_are() -> None:
    served = [match(0, (0, 50), (0, 80)), match(0, (0, 50), (0, 80), SECOND_NOTE), match(9, (500, 600), (480, 620))]
    below = [match(1, (40, 75), (20, 120)), match(5, (300, 350), (280, 370), SECOND_NOTE)]

    shown = fill_windows(served, served=3, limit=2, depth=None, max_tokens=1000)
    deeper = fill_windows([*served, *below], served=3, limit=2, depth=5, max_tokens=1000)

    assert [window.span for window in shown] == [(0, 80), (0, 80)]
    assert deeper[:2] == shown
    assert [window.best for window in deeper[2:]] == [served[2], below[1]]


def test_where_windows_are_joined_the_next_match_takes_the_free_place() -> None:
    joined = [match(0, (0, 50), (0, 80)), match(1, (40, 90), (20, 120))]
    below = [match(2, (80, 115), (60, 150)), match(0, (0, 50), (0, 80), SECOND_NOTE), match(9, (500, 600), (480, 620))]

    windows = fill_windows([*joined, *below], served=2, limit=2, depth=None, max_tokens=1000)

    assert [window.best for window in windows] == [joined[0], below[1]]
    assert windows[0].span == (0, 120)


def test_what_takes_a_free_place_is_the_same_at_any_depth() -> None:
    matches = [match(0, (0, 50), (0, 80)), match(1, (40, 90), (20, 120))]
    matches += [match(0, (0, 50), (0, 80), NoteId(UUID(int=number))) for number in range(3, 9)]

    shown = fill_windows(matches, served=2, limit=4, depth=None, max_tokens=1000)

    for depth in (1, 3, 6, 20):
        assert fill_windows(matches, served=2, limit=4, depth=depth, max_tokens=1000)[:4] == shown
    counts = [len(fill_windows(matches, served=2, limit=4, depth=depth, max_tokens=1000)) for depth in (1, 6, 20)]
    assert counts == [4, 5, 7]


def test_a_match_below_that_is_not_all_in_a_window_above_takes_the_free_place() -> None:
    matches = [match(0, (0, 400), (0, 800)), match(1, (900, 1200), (700, 1300)), match(2, (5000, 5400), (4900, 5500))]

    windows = fill_windows(matches, served=1, limit=2, depth=None, max_tokens=400)

    assert [(window.best, window.span) for window in windows] == [(matches[0], (0, 800)), (matches[1], (700, 1300))]


def test_a_match_that_is_looked_at_and_not_all_in_a_window_above_has_its_own() -> None:
    matches = [match(0, (0, 50), (0, 80)), match(1, (40, 90), (20, 120))]

    windows = fill_windows(matches, served=1, limit=1, depth=2, max_tokens=1000)

    assert [(window.best, window.span) for window in windows] == [(matches[0], (0, 80)), (matches[1], (20, 120))]


@given(data=st.data(), served=st.integers(0, 8), limit=st.integers(1, 6), max_tokens=st.integers(1, 60))
def test_no_match_that_is_looked_at_is_lost(data: st.DataObject, served: int, limit: int, max_tokens: int) -> None:
    starts = data.draw(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 3), st.integers(0, 3)), max_size=8))
    matches = [
        match(number, (10 * at, 10 * at + 30), (max(0, 10 * (at - left)), 10 * (at + right) + 30))
        for number, (at, left, right) in enumerate(starts)
    ]

    shown = fill_windows(matches, served=served, limit=limit, depth=len(matches), max_tokens=max_tokens)

    for found in matches:
        assert any(window.span[0] <= found.span[0] and found.span[1] <= window.span[1] for window in shown)
