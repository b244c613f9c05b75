"""Metrics of one ranking against the set of relevant items, and their aggregation over queries. No I/O.

Relevance is binary, except where grades are given. A ranking is best first; an item that stands in it twice counts at
its first place only, so a note found by three of its chunks takes one rank. Without relevant items a metric is undefined:
None, which ``mean`` leaves out.
"""

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any


def hit_rate_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """1 if a relevant item is among the first k, else 0; the mean over queries is the hit rate at k.

    Raises:
        ValueError: k is below 1.
    """
    _check_depth(k)
    return float(any(_gains(ranking, relevant)[:k])) if relevant else None


def first_relevant_rank(ranking: Sequence[Hashable], relevant: Collection[Hashable]) -> int | None:
    """The rank of the first relevant item, counted from 1; None if there is none."""
    return next((rank for rank, is_hit in enumerate(_gains(ranking, relevant), 1) if is_hit), None)


def reciprocal_rank(ranking: Sequence[Hashable], relevant: Collection[Hashable]) -> float | None:
    """1 / rank of the first relevant item, 0 if there is none: in [0, 1]; the mean over queries is the MRR.

    Source: Voorhees, The TREC-8 Question Answering Track Report, 1999.
    """
    if not relevant:
        return None
    rank = first_relevant_rank(ranking, relevant)
    return 0.0 if rank is None else 1 / rank


def ndcg_at(
    ranking: Sequence[Hashable],
    relevant: Collection[Hashable],
    k: int,
    *,
    grades: Mapping[Any, int] = MappingProxyType({}),
) -> float | None:
    """DCG / ideal DCG over the first k, with DCG = Σ grade / log2(rank + 1) over the relevant ones; in [0, 1].

    Gains are linear, as trec_eval computes them; a relevant item without a grade has 1.

    Raises:
        ValueError: k is below 1.
    Source: Järvelin & Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002.
    """
    _check_depth(k)
    if not relevant:
        return None
    gain = {item: grades.get(item, 1) for item in relevant}
    ideal = sorted(gain.values(), reverse=True)
    return _discounted([gain.get(item, 0) for item in dict.fromkeys(ranking)][:k]) / _discounted(ideal[:k])


def recall_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Relevant items among the first k / all relevant items, in [0, 1].

    Raises:
        ValueError: k is below 1.
    """
    _check_depth(k)
    return sum(_gains(ranking, relevant)[:k]) / len(set(relevant)) if relevant else None


def all_found_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """1 if every relevant item is among the first k, else 0: the mean is the accuracy of questions that need them all.

    Raises:
        ValueError: k is below 1.
    """
    recall = recall_at(ranking, relevant, k)
    return None if recall is None else float(recall == 1)


def precision_at(ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Relevant items among the first k / k, in [0, ``precision_ceiling_at``]; a shorter ranking too.

    Raises:
        ValueError: k is below 1.
    """
    _check_depth(k)
    return sum(_gains(ranking, relevant)[:k]) / k if relevant else None


def precision_ceiling_at(relevant: Collection[Hashable], k: int) -> float | None:
    """The best precision at k there can be, min(k, relevant items) / k: 0.2 at 5 with one relevant item.

    Raises:
        ValueError: k is below 1.
    """
    _check_depth(k)
    return min(k, len(set(relevant))) / k if relevant else None


def r_precision(ranking: Sequence[Hashable], relevant: Collection[Hashable]) -> float | None:
    """Precision at R, the number of relevant items: in [0, 1] however few they are.

    Source: Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, section 8.4.
    """
    return precision_at(ranking, relevant, len(set(relevant))) if relevant else None


def average_precision(
    ranking: Sequence[Hashable], relevant: Collection[Hashable], k: int | None = None
) -> float | None:
    """Σ precision at each relevant rank, the first k at most / all relevant items, in [0, 1]; its mean is the MAP.

    Raises:
        ValueError: k is below 1.
    Source: Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, section 8.4.
    """
    if k is not None:
        _check_depth(k)
    if not relevant:
        return None
    ranks = [rank for rank, is_hit in enumerate(_gains(ranking, relevant)[:k], 1) if is_hit]
    return math.fsum(found / rank for found, rank in enumerate(ranks, 1)) / len(set(relevant))


def _gains(ranking: Sequence[Hashable], relevant: Collection[Hashable]) -> list[bool]:
    wanted = set(relevant)
    return [item in wanted for item in dict.fromkeys(ranking)]


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1) if gain)


def _check_depth(k: int) -> None:
    if k < 1:
        raise ValueError(f"k is {k}; expected at least 1")
