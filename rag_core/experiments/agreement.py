"""Agreement of two rankings, without a judgement on which is better. No I/O."""

from collections.abc import Hashable, Sequence

PERSISTENCE = 0.9
"""A reader goes from one rank to the next with this probability: the first ten ranks have 86 % of the weight."""


def rank_biased_overlap(one: Sequence[Hashable], other: Sequence[Hashable], *, p: float = PERSISTENCE) -> float:
    """Extrapolated rank-biased overlap of two rankings, in [0, 1].

    RBO_ext = (1 - p)/p · (Σ_{d=1..l} X_d/d · p^d + Σ_{d=s+1..l} X_s·(d - s)/(s·d) · p^d) + ((X_l - X_s)/l + X_s/s) · p^l,
    where X_d is how many items the first d of both have in common, and s <= l are the rankings' lengths. The agreement seen is
    taken to go on below. Two empty rankings agree (1), one that is empty agrees with no other (0).

    Raises:
        ValueError: p is not within (0, 1), or a ranking repeats an item.
    Source: Webber, Moffat & Zobel, A Similarity Measure for Indefinite Rankings, TOIS 28(4), 2010, equation 32.
    """
    if not 0 < p < 1 or any(len(set(ranking)) != len(ranking) for ranking in (one, other)):
        raise ValueError(f"p is {p}, expected within (0, 1); and a ranking names each item once")
    short, long = sorted((one, other), key=len)
    if not short:
        return float(not long)
    common = _common_by_depth(short, long)
    s, last = len(short), len(long)
    total = sum(common[d] / d * p**d for d in range(1, last + 1))
    total += sum(common[s] * (d - s) / (s * d) * p**d for d in range(s + 1, last + 1))
    beyond = ((common[last] - common[s]) / last + common[s] / s) * p**last
    return min(1.0, max(0.0, (1 - p) / p * total + beyond))


def _common_by_depth(short: Sequence[Hashable], long: Sequence[Hashable]) -> list[int]:
    """Count the items that the first d of both share, for d from 0; beyond its end the shorter one adds none."""
    seen: tuple[set[Hashable], set[Hashable]] = (set(), set())
    counts = [0]
    for depth in range(len(long)):
        seen[1].add(long[depth])
        if depth < len(short):
            seen[0].add(short[depth])
        counts.append(len(seen[0] & seen[1]))
    return counts


def overlap_at(one: Sequence[Hashable], other: Sequence[Hashable], k: int) -> float | None:
    """Items that the first k of both have in common / items of the longer of the two beginnings; None when both are empty.

    Raises:
        ValueError: k is below 1.
    """
    if k < 1:
        raise ValueError(f"k is {k}; expected at least 1")
    first, second = set(one[:k]), set(other[:k])
    longest = max(len(first), len(second))
    return len(first & second) / longest if longest else None
