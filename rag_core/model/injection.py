"""Findings of hidden instructions in a text."""

from dataclasses import dataclass

from rag_core.model.note import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionScan:
    """Result of a scan: how likely a text tries to command a model, in [0, 1], and its sentences that do; () for harmless text.

    ``spans`` are of the text, in its order, apart from each other; ``scores`` are theirs, each at least ``WARN_SCORE``. ``score`` is
    the highest of any sentence's, below ``WARN_SCORE`` where there are no spans.
    """

    score: float
    spans: tuple[Span, ...]
    scores: tuple[float, ...] = ()
