"""Which queries are kept together between choosing and judging."""

from hypothesis import given
from hypothesis import strategies as st

from rag_core.evaluation.tuning.units import connected_units


def test_a_chain_of_shared_notes_makes_one_unit() -> None:
    first, second, third, other = connected_units([["a", "b"], ["b", "c"], ["c"], ["d"]])

    assert first == second == third
    assert other != first


def test_a_query_that_links_two_units_makes_them_one_whenever_it_comes() -> None:
    first, second, link = connected_units([["a"], ["z"], ["z", "a"]])

    assert first == second == link


def test_no_queries_have_no_units() -> None:
    assert connected_units([]) == []


@given(st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=3), max_size=12))
def test_no_note_is_in_two_units(relevant: list[list[int]]) -> None:
    units = connected_units(relevant)

    of_note: dict[int, set[str]] = {}
    for unit, notes in zip(units, relevant, strict=True):
        for note in notes:
            of_note.setdefault(note, set()).add(unit)
    assert all(len(found) == 1 for found in of_note.values())


@given(st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=3), min_size=1, max_size=12))
def test_what_shares_no_note_is_not_thrown_together(relevant: list[list[int]]) -> None:
    units = connected_units(relevant)

    for unit in set(units):
        members = [set(notes) for own, notes in zip(units, relevant, strict=True) if own == unit]
        reached = members[0]
        for _ in members:
            reached = reached.union(*(notes for notes in members if notes & reached))
        assert all(notes <= reached for notes in members)
