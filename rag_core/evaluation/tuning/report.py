"""Result of a tuning: the held-out figures, by metric and by category, and whether they justify a change. No I/O."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rag_core.configuration.schema import RetrievalConfig
from rag_core.configuration.served import ServedConfiguration, model_key
from rag_core.evaluation.comparison.significance import PairedResult, paired_test
from rag_core.evaluation.tuning.cross_validation import Choice, Validation
from rag_core.evaluation.tuning.record import Recording
from rag_core.evaluation.tuning.replay import Vector
from rag_core.evaluation.tuning.space import KNOBS, SERVED, Space
from rag_core.reranking.fitting import FOLDS

METRICS = {"ndcg_at_10": "nDCG@10", "mrr": "MRR"}
SIGNIFICANCE = 0.02
"""Of p, two-sided. Folds that choose alike are not independent: of 400 tunings on pure chance 4.5 % had a better p below 0.05, where
2.5 % should, and 2.3 % one below 0.02."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """A metric on queries that nothing was chosen on: means as served and as tuned, and the test of their difference."""

    metric: str
    served: float
    tuned: float
    test: PairedResult


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryOutcome:
    """The queries of a category, held out: mean nDCG@10 as served and as tuned, and how many gained and lost."""

    category: str
    queries: int
    served: float
    tuned: float
    gained: int
    lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A knob that the choice turns, from what is served, and how many of the folds turned it to the same."""

    knob: str
    keys: tuple[str, ...]
    served: tuple[Any, ...]
    tuned: tuple[Any, ...]
    folds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """A tuning with its evidence; ``number`` is that of the configuration proposed, None when none was.

    ``config`` is the choice on all queries, ``strategy`` what was measured. The figures are of choosing, not of this choice: each
    query's are those of a choice made without it.
    """

    set_name: str
    queries: int
    left_out: int
    tried: int
    seconds: float
    is_out_of_time: bool
    strategy: str
    embedding_model: str
    served: ServedConfiguration
    choice: Choice
    config: RetrievalConfig
    changes: tuple[Change, ...]
    fitted_folds: int
    metrics: tuple[HeldOut, ...]
    categories: tuple[CategoryOutcome, ...]
    number: int | None = None

    @property
    def objection(self) -> str | None:
        """Reason for proposing nothing; None when the choice is significantly better held out, and its MRR not lower."""
        ndcg, mrr = self.metrics
        if self.choice.is_served:
            return "nothing that was tried is better than what is served by more than chance on these queries"
        if ndcg.test.difference <= 0:
            return "on queries that it was not chosen on, the choice is no better than what is served"
        if ndcg.test.p_value >= SIGNIFICANCE:
            return (
                f"on queries that it was not chosen on, the gain of {ndcg.test.difference:+.4f} in nDCG@10 may be chance "
                f"(p {ndcg.test.p_value:.3f}); more queries would tell"
            )
        if mrr.test.difference < 0:
            return (
                f"nDCG@10 is higher on queries that it was not chosen on, but MRR is lower ({mrr.test.difference:+.4f})"
            )
        return None

    def to_json(self) -> dict[str, Any]:
        """The tuning as it is printed and kept as a configuration's evidence."""
        weights = self.choice.weights
        return {
            "set": self.set_name,
            "queries": self.queries,
            "left_out": self.left_out,
            "folds": FOLDS,
            "configurations_tried": self.tried,
            "seconds": round(self.seconds, 1),
            "is_out_of_time": self.is_out_of_time,
            "strategy": self.strategy,
            "embedding_model": self.embedding_model,
            "served": self.served.number,
            "changes": [asdict(change) for change in self.changes],
            "reranker": None if weights is None else weights.version,
            "reranker_fitted_in_folds": self.fitted_folds,
            "metrics": {item.metric: _metric_to_json(item) for item in self.metrics},
            "categories": [asdict(outcome) for outcome in self.categories],
            "is_worth_proposing": self.objection is None,
            "objection": self.objection,
            "number": self.number,
        }


def summarise(
    validation: Validation,
    space: Space,
    recording: Recording,
    *,
    set_name: str,
    served: ServedConfiguration,
    is_out_of_time: bool,
    seconds: float,
) -> Tuning:
    """The validation in figures and words."""
    before, after = validation.served, validation.tuned
    categories = [recorded.golden.category for recorded in recording.queries]
    return Tuning(
        set_name=set_name,
        queries=len(recording.queries),
        left_out=recording.left_out,
        tried=validation.tried,
        seconds=seconds,
        is_out_of_time=is_out_of_time,
        strategy=space.base.strategy,
        embedding_model=model_key(recording.model),
        served=served,
        choice=validation.choice,
        config=Space(base=served.config, model=space.model, parts=space.parts).config(validation.choice.point),
        changes=_changes(validation, space),
        fitted_folds=sum(choice.weights is not None for choice in validation.folds),
        metrics=(
            held_out("ndcg_at_10", before.ndcg_at_10, after.ndcg_at_10),
            held_out("mrr", before.reciprocal_rank, after.reciprocal_rank),
        ),
        categories=outcomes(categories, before.ndcg_at_10, after.ndcg_at_10),
    )


def held_out(metric: str, served: Vector, tuned: Vector) -> HeldOut:
    """The means of a metric and the paired test of their difference."""
    test = paired_test(served.tolist(), tuned.tolist())
    return HeldOut(metric=metric, served=float(served.mean()), tuned=float(tuned.mean()), test=test)


def outcomes(categories: Sequence[str], served: Vector, tuned: Vector) -> tuple[CategoryOutcome, ...]:
    """Gain or loss of each category, in alphabetical order."""
    found = []
    for category in sorted(set(categories)):
        rows = np.array([other == category for other in categories])
        gains = tuned[rows] - served[rows]
        found.append(
            CategoryOutcome(
                category=category,
                queries=int(rows.sum()),
                served=float(served[rows].mean()),
                tuned=float(tuned[rows].mean()),
                gained=int((gains > 0).sum()),
                lost=int((gains < 0).sum()),
            )
        )
    return tuple(found)


def _changes(validation: Validation, space: Space) -> tuple[Change, ...]:
    turned = dict(validation.choice.point)
    return tuple(
        Change(
            knob=knob.name,
            keys=knob.keys,
            served=space.standing(knob, SERVED),
            tuned=turned[knob.name],
            folds=sum((knob.name, turned[knob.name]) in choice.point for choice in validation.folds),
        )
        for knob in KNOBS
        if knob.name in turned
    )


def _metric_to_json(item: HeldOut) -> dict[str, Any]:
    return {
        "served": item.served,
        "tuned": item.tuned,
        "difference": item.test.difference,
        "interval": list(item.test.interval),
        "p_value": item.test.p_value,
    }
