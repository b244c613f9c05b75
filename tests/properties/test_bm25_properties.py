"""The sum over packed lists is the formula's; none left out is as good as the best."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.storage.bm25 import Family, add_up, best, merge, pack, unpack

numbers = st.one_of(st.integers(1, 60), st.integers(1, 2**31 - 1))
chunks = st.dictionaries(numbers, st.integers(1, 2**24 - 1), min_size=1, max_size=12)
"""Lengths by number."""


def packed(length: int, number: int, frequency: int) -> int:
    return number << 32 | length << 8 | frequency


@st.composite
def families(draw: st.DrawFn) -> tuple[dict[int, int], list[Family]]:
    lengths = draw(chunks)
    made = []
    for _ in range(draw(st.integers(0, 4))):
        forms = st.dictionaries(st.sampled_from(sorted(lengths)), st.integers(1, 255))
        lists = draw(st.lists(st.tuples(st.floats(0.1, 1), forms), min_size=1, max_size=3))
        made.append(
            Family(
                weight=draw(st.floats(1e-3, 30)),
                average_length=draw(st.floats(0, 1e4)),
                lists=[
                    (weight, np.array([packed(lengths[at], at, tf) for at, tf in held.items()], dtype=np.int64))
                    for weight, held in lists
                ],
            )
        )
    return lengths, made


@given(families())
def test_a_score_is_the_sum_over_the_words_of_a_chunk(drawn) -> None:
    lengths, made = drawn
    wanted = {}
    for number, length in lengths.items():
        shares = []
        for family in made:
            tf = sum(weight * (int(p) & 255) for weight, held in family.lists for p in held if int(p) >> 32 == number)
            norm = 1.2 * (0.25 + 0.75 * length / max(family.average_length, 1))
            shares += [family.weight * tf / (tf + norm)] if tf else []
        if shares:
            wanted[number] = math.fsum(shares)

    found, scores = add_up(made)

    assert dict(zip(found.tolist(), scores.tolist(), strict=True)) == pytest.approx(wanted, abs=1e-9)


@given(st.lists(st.sampled_from([0.5, 1.0, 1.0 + 1e-13, 2.0, 3.5]), max_size=30), st.integers(1, 12))
def test_none_that_is_left_out_is_as_good_as_one_that_is_taken(drawn, count) -> None:
    scores = np.round(drawn, 14)

    taken = best(scores, count)

    left = np.delete(scores, taken)
    assert len(taken) >= min(count, len(scores))
    assert not len(left) or round(left.max(), 12) < round(np.sort(scores)[-count], 12)


@given(st.sets(st.integers(0, 2**63 - 1)), st.sets(st.integers(0, 2**63 - 1)))
def test_what_was_removed_is_in_no_list(kept, removed) -> None:
    blocks = [pack(np.array(sorted(part), dtype=np.int64)) for part in (kept | removed, removed)]

    assert set(merge(blocks[:1], blocks[1:]).tolist()) == kept - removed
    assert set(unpack(blocks).tolist()) == kept | removed
