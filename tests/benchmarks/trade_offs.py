"""Trade-off of a score between answerable questions and others. Pure.

A score is judged over all thresholds: what share of the one kind is still answered, what share of the other is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint:
    """A threshold, and what becomes of both kinds of question with it: shares in [0, 1], None of none."""

    threshold: float
    answered: float | None
    refused: float | None


def roc_auc(answerable: Sequence[float], unanswerable: Sequence[float]) -> float | None:
    """P(score of an answerable question > score of an unanswerable one), ties for half; None where one kind is missing.

    Source: Mann & Whitney, 1947; Hanley & McNeil, The meaning and use of the area under a ROC curve, 1982.
    """
    if not len(answerable) or not len(unanswerable):
        return None
    others = np.sort(np.asarray(unanswerable, dtype=float))
    below = np.searchsorted(others, answerable, side="left")
    upto = np.searchsorted(others, answerable, side="right")
    return float((below + upto).mean() / 2 / len(others))


def trade_off(
    answerable: Sequence[float], unanswerable: Sequence[float], *, thresholds: Sequence[float]
) -> list[OperatingPoint]:
    """Shares of both kinds at each threshold; a score that reaches it is answered."""
    return [
        OperatingPoint(
            threshold=threshold,
            answered=_share_reaching(answerable, threshold),
            refused=None if (reaching := _share_reaching(unanswerable, threshold)) is None else 1 - reaching,
        )
        for threshold in thresholds
    ]


def risk_coverage(scores: Sequence[float], is_right: Sequence[bool]) -> list[tuple[float, float]]:
    """(coverage, risk) after each distinct score, best first: the share answered, and the share of that which is wrong.

    Questions of one score are answered together, so their order among themselves changes nothing. No questions give [].

    Raises:
        ValueError: not as many scores as verdicts.
    Source: El-Yaniv & Wiener, On the foundations of noise-free selective classification, JMLR 2010.
    """
    if len(scores) != len(is_right):
        raise ValueError(f"{len(scores)} scores but {len(is_right)} verdicts")
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    ordered, wrong = np.asarray(scores, dtype=float)[order], ~np.asarray(is_right, dtype=bool)[order]
    answered = np.arange(1, len(ordered) + 1)
    is_last = np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)]
    risks = np.cumsum(wrong) / answered
    return [
        (float(count / len(ordered)), float(risk))
        for count, risk in zip(answered[is_last], risks[is_last], strict=True)
    ]


def cheapest(points: Sequence[OperatingPoint], *, refusal_cost: float) -> OperatingPoint:
    """The point with the least refusal_cost · (1 - answered) + (1 - refused): an unanswerable question let through costs 1.

    Raises:
        ValueError: no point has both shares.
    """
    whole = [(point, point.answered, point.refused) for point in points]
    priced = [
        (refusal_cost * (1 - answered) + 1 - refused, point)
        for point, answered, refused in whole
        if answered is not None and refused is not None
    ]
    if not priced:
        raise ValueError("no point has both kinds of question")
    return min(priced, key=lambda item: item[0])[1]


def _share_reaching(scores: Sequence[float], threshold: float) -> float | None:
    return float(np.mean(np.asarray(scores, dtype=float) >= threshold)) if len(scores) else None
