"""Text of a candidate for a model, and the conversion of raw scores to numbers in [0, 1]. Pure."""

import math
import sys
from collections.abc import Iterable, Sequence
from reprlib import repr as shown
from typing import Any

from rag_core.reranking import Candidate

MAX_LOGIT = 40.0
"""Beyond it a sigmoid is 0 or 1 in double precision."""


def passage_text(candidate: Candidate) -> str:
    """The title on a line of its own, then the chunk's own text, not its window's."""
    return f"{candidate.title}\n{candidate.content}" if candidate.title else candidate.content


def is_finite_number(value: Any) -> bool:
    """True for an int or a float, but no bool, that a finite float can hold: JSON has integers of any length."""
    return type(value) in {int, float} and -sys.float_info.max <= value <= sys.float_info.max


def scores_in_order(given: Iterable[tuple[Any, Any]], expected: range) -> list[float]:
    """Scores by the order of their numbers, which come as pairs of a number and a score.

    Raises:
        ValueError: a number is not expected, stands twice or is missing, or a score is no finite number.
    """
    scores: dict[int, float] = {}
    for number, score in given:
        if type(number) is not int or number not in expected or number in scores:
            raise ValueError(f"the number {shown(number)}, which is out of range or stands twice")
        if not is_finite_number(score):
            raise ValueError(f"{shown(score)} as the score of {number}, which is not a finite number")
        scores[number] = float(score)
    if len(scores) != len(expected):
        raise ValueError(f"{len(scores)} scores for {len(expected)} passages")
    return [scores[number] for number in expected]


def sigmoid(logit: float) -> float:
    """1 / (1 + e^-x) in (0, 1), for any finite number."""
    return 1 / (1 + math.exp(-max(-MAX_LOGIT, min(MAX_LOGIT, logit))))


def as_probabilities(scores: Sequence[float]) -> list[float]:
    """Scores as they are when all lie in [0, 1]; otherwise they are logits, and each gets one sigmoid.

    One scale for all: a model with a single label may give either, and a second sigmoid would squeeze probabilities into
    0.50 to 0.73.

    Raises:
        ValueError: a score is not finite.
    """
    if not all(math.isfinite(score) for score in scores):
        raise ValueError("a score is not a finite number")
    if all(0 <= score <= 1 for score in scores):
        return list(scores)
    return [sigmoid(score) for score in scores]
