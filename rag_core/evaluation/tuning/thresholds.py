"""An embedding model's similarity threshold, from how similar what is right and what is not are to golden queries. No I/O.

A threshold may cost next to nothing of what is right: the highest one that keeps ``KEPT`` of the relevant notes that a search by
vector finds, chosen on some folds and proven on the others.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rag_core.configuration.schema import RetrievalConfig, configure
from rag_core.errors import InvalidInputError
from rag_core.evaluation.comparison.significance import PairedResult, paired_test
from rag_core.evaluation.tuning.replay import Figures, Replay
from rag_core.model.note import NoteId
from rag_core.reranking.fitting import FOLDS, folds_of
from rag_core.reranking.weights import Weights
from rag_core.retrieval.ranking import leg_depth

KEPT = 0.99
"""The share of the relevant notes found that a threshold must leave."""
TARGETS = (KEPT, 0.995, 1.0)
"""Shares of relevant notes that the choosing folds must keep, tried in turn until the other folds keep ``KEPT``."""
STEP = 0.01
SIGNIFICANCE = 0.05
MIN_RELEVANT = 30
TABLE = tuple(round(0.05 * step, 2) for step in range(1, 20))


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarities:
    """By query how similar the relevant notes and the others are that a search by vector finds, each note at its best chunk."""

    relevant: tuple[tuple[float, ...], ...]
    others: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdRow:
    """Effect of a threshold: shares of relevant notes kept and of others dropped, and nDCG@10 by meaning alone and as served."""

    threshold: float
    kept: float
    dropped: float
    ndcg_semantic: float
    ndcg_served: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutThreshold:
    """Held-out result of choosing for a target, and the threshold it gives on all queries.

    ``by_fold`` are the folds' own thresholds; the tests compare with no threshold at all.
    """

    target: float
    threshold: float
    by_fold: tuple[float, ...]
    kept: float
    dropped: float
    semantic: PairedResult
    served: PairedResult

    @property
    def is_borne_out(self) -> bool:
        """True when the held-out folds lose no more than they may, and nDCG@10 is not significantly lower."""
        has_lost = any(test.p_worse < SIGNIFICANCE and test.difference < 0 for test in (self.semantic, self.served))
        return self.kept >= KEPT and not has_lost


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Result of a calibration; ``threshold`` is None where no threshold drops anything without losing too much."""

    queries: int
    left_out: int
    relevant: int
    others: int
    threshold: float | None
    attempts: tuple[HeldOutThreshold, ...]
    table: tuple[ThresholdRow, ...]

    def to_json(self) -> dict[str, Any]:
        """The calibration as it is printed."""
        return {
            "queries": self.queries,
            "left_out": self.left_out,
            "relevant_found": self.relevant,
            "others_found": self.others,
            "folds": FOLDS,
            "threshold": self.threshold,
            "attempts": [_attempt_to_json(attempt) for attempt in self.attempts],
            "table": [asdict(row) for row in self.table],
        }


def calibrate(replay: Replay, config: RetrievalConfig, *, weights: Weights) -> Calibration:
    """The highest threshold that is borne out on held-out folds, with what every threshold would do.

    ``config`` is what is served; its own threshold is put aside.

    Raises:
        InvalidInputError: fewer than ``MIN_RELEVANT`` relevant notes are found by vector.
    """
    measure = _Measure(replay=replay, config=config, weights=weights)
    found = similarities(replay, config)
    relevant, others = sum(map(len, found.relevant)), sum(map(len, found.others))
    if relevant < MIN_RELEVANT:
        raise InvalidInputError(
            f"a search by vector finds {relevant} relevant notes for {len(found.relevant)} queries; calibrating needs at least "
            f"{MIN_RELEVANT}. Add golden queries, or run brain index"
        )
    attempts: list[HeldOutThreshold] = []
    for target in TARGETS:
        attempts.append(_attempt(found, target, replay, measure))
        if attempts[-1].is_borne_out:
            break
    best = attempts[-1]
    return Calibration(
        queries=len(found.relevant),
        left_out=replay.recording.left_out,
        relevant=relevant,
        others=others,
        threshold=best.threshold if best.is_borne_out and best.threshold > 0 else None,
        attempts=tuple(attempts),
        table=tuple(_row(found, threshold, measure) for threshold in sorted({*TABLE, best.threshold} - {0.0})),
    )


def similarities(replay: Replay, config: RetrievalConfig) -> Similarities:
    """Similarities of the notes that the vectors of the queries found, as deep as is served."""
    depth, texts = leg_depth(config), replay.recording.texts
    relevant: list[tuple[float, ...]] = []
    others: list[tuple[float, ...]] = []
    for recorded in replay.recording.queries:
        best: dict[NoteId, float] = {}
        for chunk, similarity in recorded.rankings.get("semantic", [])[:depth]:
            if chunk in texts:
                best.setdefault(texts[chunk].note_id, similarity)
        wanted = set(recorded.golden.relevant_note_ids)
        relevant.append(tuple(score for note, score in best.items() if note in wanted))
        others.append(tuple(score for note, score in best.items() if note not in wanted))
    return Similarities(relevant=tuple(relevant), others=tuple(others))


def highest_keeping(relevant: Sequence[float], share: float) -> float:
    """The highest multiple of ``STEP`` that at least this share of the similarities reaches; without any, 0.

    At most ⌊(1 - share) · n⌋ may be below it. Never negative.
    """
    if not relevant:
        return 0.0
    may_lose = math.floor((1 - share) * len(relevant) + 1e-9)
    limit = sorted(relevant)[may_lose]
    return max(0.0, round(math.floor(limit / STEP + 1e-9) * STEP, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measure:
    """Figures by threshold, by meaning alone and as served."""

    replay: Replay
    config: RetrievalConfig
    weights: Weights

    def figures(self, threshold: float, strategy: str | None, places: Sequence[int] | None = None) -> Figures:
        override: dict[str, Any] = {"hybridSearch": {"threshold": threshold}}
        override |= {"strategy": strategy} if strategy else {}
        return self.replay.figures(configure(override, base=self.config), weights=self.weights, only=places)


def _attempt(found: Similarities, target: float, replay: Replay, measure: _Measure) -> HeldOutThreshold:
    units = [recorded.unit for recorded in replay.recording.queries]
    fold_of = folds_of(units, FOLDS)
    folds = [[at for at, unit in enumerate(units) if fold_of[unit] == fold] for fold in range(FOLDS)]
    by_fold = [highest_keeping(_those(found.relevant, units, fold_of, fold), target) for fold in range(FOLDS)]
    threshold_of = {at: by_fold[fold] for fold, places in enumerate(folds) for at in places}
    return HeldOutThreshold(
        target=target,
        threshold=highest_keeping([score for scores in found.relevant for score in scores], target),
        by_fold=tuple(by_fold),
        kept=_share_reaching(found.relevant, threshold_of),
        dropped=1 - _share_reaching(found.others, threshold_of),
        semantic=_compared(measure, folds, by_fold, "semantic"),
        served=_compared(measure, folds, by_fold, None),
    )


def _those(
    scores: Sequence[Sequence[float]], units: Sequence[str], fold_of: Mapping[str, int], fold: int
) -> list[float]:
    """The scores of the queries outside of a fold."""
    return [score for unit, found in zip(units, scores, strict=True) if fold_of[unit] != fold for score in found]


def _share_reaching(scores: Sequence[Sequence[float]], threshold_of: Mapping[int, float]) -> float:
    """The share of all scores that reach their query's threshold; 1 where there is none."""
    reached = [score >= threshold_of[at] for at, found in enumerate(scores) for score in found]
    return sum(reached) / len(reached) if reached else 1.0


def _compared(
    measure: _Measure, folds: Sequence[Sequence[int]], by_fold: Sequence[float], strategy: str | None
) -> PairedResult:
    """Every query with the threshold that was chosen without it, against none."""
    before = measure.figures(0.0, strategy).ndcg_at_10
    after = np.zeros(len(before))
    for places, threshold in zip(folds, by_fold, strict=True):
        after[list(places)] = measure.figures(threshold, strategy, places).ndcg_at_10
    return paired_test(before.tolist(), after.tolist())


def _row(found: Similarities, threshold: float, measure: _Measure) -> ThresholdRow:
    everywhere = dict.fromkeys(range(len(found.relevant)), threshold)
    return ThresholdRow(
        threshold=threshold,
        kept=_share_reaching(found.relevant, everywhere),
        dropped=1 - _share_reaching(found.others, everywhere),
        ndcg_semantic=float(measure.figures(threshold, "semantic").ndcg_at_10.mean()),
        ndcg_served=float(measure.figures(threshold, None).ndcg_at_10.mean()),
    )


def _attempt_to_json(attempt: HeldOutThreshold) -> dict[str, Any]:
    return {
        "target": attempt.target,
        "threshold": attempt.threshold,
        "by_fold": list(attempt.by_fold),
        "kept_held_out": attempt.kept,
        "dropped_held_out": attempt.dropped,
        "ndcg_at_10_semantic": _test_to_json(attempt.semantic),
        "ndcg_at_10_served": _test_to_json(attempt.served),
        "is_borne_out": attempt.is_borne_out,
    }


def _test_to_json(test: PairedResult) -> dict[str, Any]:
    return {"difference": test.difference, "interval": list(test.interval), "p_worse": test.p_worse}
