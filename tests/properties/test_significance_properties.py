"""The paired test against an enumeration of all sign patterns in whole numbers, for the figures that evaluations have."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from decimal import Context
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_core.evaluation.comparison.significance import RESAMPLES, paired_test

EXAMPLES = settings(max_examples=150, deadline=None)
DIGITS = Context(prec=60)
TIE = Fraction(1, 10**50)
"""Sixty digits of a logarithm tell sums apart that are not equal; sums of fractions with denominators to 50 differ by 10⁻⁴³ or more."""

Pair = tuple[Fraction, Fraction]


def exact_p(pairs: Sequence[Pair]) -> tuple[float, float]:
    """Two-sided p and p of a sum as low or lower, over all sign patterns, without rounding."""
    gains = [after - before for before, after in pairs if after != before]
    scale = math.lcm(*(gain.denominator for gain in gains))
    sums = Counter({0: 1})
    for size in (int(gain * scale) for gain in gains):
        further: Counter[int] = Counter()
        for total, count in sums.items():
            further[total + size] += count
            further[total - size] += count
        sums = further
    observed, tie = int(sum(gains) * scale), int(TIE * scale)
    as_great = sum(count for total, count in sums.items() if abs(total) >= abs(observed) - tie)
    as_low = sum(count for total, count in sums.items() if total <= observed + tie)
    return as_great / 2 ** len(gains), as_low / 2 ** len(gains)


def reciprocal_rank(rank: int) -> Fraction:
    return Fraction(1, rank) if rank else Fraction(0)


def discount(rank: int) -> Fraction:
    """1 / log2(rank + 1) to sixty digits."""
    return Fraction(DIGITS.divide(DIGITS.ln(2), DIGITS.ln(rank + 1)))


def ndcg(ranks: frozenset[int], relevant: int) -> Fraction:
    found = sum((discount(rank) for rank in ranks), Fraction(0))
    return found / sum(discount(rank) for rank in range(1, relevant + 1))


@st.composite
def ndcgs(draw: st.DrawFn) -> Fraction:
    relevant = draw(st.integers(1, 3))
    return ndcg(draw(st.frozensets(st.integers(1, 10), max_size=relevant)), relevant)


def average(parts: list[int], whole: int) -> Fraction:
    return Fraction(sum(parts), whole * len(parts))


FIGURES = {
    "reciprocal ranks": (st.integers(0, 6) | st.integers(0, 50)).map(reciprocal_rank),
    "nDCG": ndcgs(),
    "averages": st.builds(average, st.lists(st.integers(0, 5), min_size=1, max_size=7), st.just(5)),
    "shares of a trail": st.builds(average, st.lists(st.integers(0, 10_000), min_size=1, max_size=3), st.just(10_000)),
}


@pytest.mark.parametrize("kind", FIGURES)
@EXAMPLES
@given(data=st.data())
def test_up_to_thirteen_pairs_have_the_p_of_all_sign_patterns(kind: str, data: st.DataObject) -> None:
    pairs = data.draw(st.lists(st.tuples(FIGURES[kind], FIGURES[kind]), min_size=1, max_size=13))

    found = paired_test([float(before) for before, _ in pairs], [float(after) for _, after in pairs])

    assert (found.p_value, found.p_worse) == exact_p(pairs)


@pytest.mark.parametrize("kind", FIGURES)
@EXAMPLES
@given(data=st.data())
def test_the_least_p_is_that_of_the_same_differences_all_lost(kind: str, data: st.DataObject) -> None:
    pairs = data.draw(st.lists(st.tuples(FIGURES[kind], FIGURES[kind]), min_size=1, max_size=13))

    found = paired_test([float(before) for before, _ in pairs], [float(after) for _, after in pairs])

    assert (found.least_p_value, found.least_p_worse) == exact_p([(max(pair), min(pair)) for pair in pairs])


@EXAMPLES
@given(
    pairs=st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), max_size=40),
    resamples=st.sampled_from((1, 50, 500)),
)
def test_no_p_is_below_the_least_one_possible(pairs: list[tuple[float, float]], resamples: int) -> None:
    found = paired_test([before for before, _ in pairs], [after for _, after in pairs], resamples=resamples)

    assert found.p_value >= found.least_p_value
    assert found.p_worse >= found.least_p_worse


@EXAMPLES
@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=30), data=st.data())
def test_another_last_bit_is_no_difference(values: list[float], data: st.DataObject) -> None:
    noisy = [
        data.draw(st.sampled_from((value, math.nextafter(value, 2), math.nextafter(value, -1)))) for value in values
    ]

    found = paired_test([1.0, *values], [1.0, *noisy], resamples=200)

    assert (found.difference, found.p_value, found.p_worse) == (0.0, 1.0, 1.0)


def drawn_pairs(pairs: int, seed: int) -> list[Pair]:
    """Reciprocal ranks of which many differences, and so many sums, are equal, all pairs differing."""
    draws = random.Random(seed)
    ranks = [draws.sample((1, 2, 3, 4, 6, 0), 2) for _ in range(pairs)]
    return [(reciprocal_rank(before), reciprocal_rank(after)) for before, after in ranks]


@pytest.mark.parametrize("pairs", range(14, 21))
@pytest.mark.parametrize("seed", range(5))
def test_sampled_sign_patterns_give_the_exact_p_but_for_the_draw(pairs: int, seed: int) -> None:
    drawn = drawn_pairs(pairs, seed)
    before, after = [float(pair[0]) for pair in drawn], [float(pair[1]) for pair in drawn]

    found, again = paired_test(before, after), paired_test(before, after)

    assert found == again
    for p, exact in zip((found.p_value, found.p_worse), exact_p(drawn), strict=True):
        # four standard errors, and the observed pattern that is counted among them
        assert abs(p - exact) <= 4 * math.sqrt(exact * (1 - exact) / RESAMPLES) + 1 / RESAMPLES


@pytest.mark.parametrize("pairs", [14, 16, 18])
def test_sums_that_cancel_out_tie_when_sampled(pairs: int) -> None:
    # a third lost thrice, one won
    third, none = Fraction(1, 3), Fraction(0)
    cancelled: list[Pair] = [(third, none), (third, none), (third, none), (none, Fraction(1))] * (pairs // 4 + 1)

    found = paired_test([float(before) for before, _ in cancelled], [float(after) for _, after in cancelled])

    assert (found.difference, found.p_value) == (0.0, 1.0)
    exact = exact_p(cancelled)[1]
    assert found.p_worse == pytest.approx(exact, abs=4 * math.sqrt(0.25 / RESAMPLES))
