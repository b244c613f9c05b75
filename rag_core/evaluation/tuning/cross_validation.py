"""Cross-validation of the choice of a configuration: chosen on four fifths of the queries, judged on the other fifth. No I/O.

Every fold explores and chooses for itself, so that the queries it is judged on have no part in its choice. Queries that
share a note are in one fold.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rag_core.configuration.schema import RetrievalConfig
from rag_core.evaluation.tuning.replay import Figures, Replay, Vector
from rag_core.evaluation.tuning.search import explore, simplest_good
from rag_core.evaluation.tuning.space import Point, Space
from rag_core.reranking.fitting import FOLDS, JudgedList, fit, folds_of
from rag_core.reranking.weights import Weights

MIN_INFORMATIVE = 15
"""With fewer notes that are found among others by a query about them no weights are fitted."""

HasTime = Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Choice of a fold: a point, and the re-ranker's weights where fitted ones are better than those that are served."""

    point: Point
    weights: Weights | None = None

    @property
    def is_served(self) -> bool:
        """True when it is served already."""
        return not self.point and self.weights is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """Per query what is served and what was chosen without it, the choice of each fold, and the choice on all queries."""

    served: Figures
    tuned: Figures
    folds: tuple[Choice, ...]
    choice: Choice
    tried: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A recording to be ranked by the points of a space; ``fitted_from`` are the weights that a fit stays close to, None for no fit.

    The figures of a point are worked out once for all queries; whoever chooses reads only those of the queries it may see.
    """

    replay: Replay
    space: Space
    weights: Weights
    fitted_from: Weights | None
    _figures: dict[Point, Figures] = field(default_factory=dict)

    def figures(self, point: Point) -> Figures:
        """Figures of a point with the weights that are served, by query."""
        found = self._figures.get(point)
        if found is None:
            config = self.space.config(point)
            found = self._figures[point] = self.replay.figures(config, weights=self.weights)
        return found

    @property
    def tried(self) -> int:
        """Number of points measured."""
        return len(self._figures)

    def choose(self, seen: Sequence[int], *, has_time: HasTime) -> Choice:
        """The best choice for the queries at these positions, by no others."""
        places = np.array(seen, dtype=np.intp)

        def worth(point: Point) -> Vector:
            return self.figures(point).ndcg_at_10[places]

        point = simplest_good(explore(self.space, worth, has_time=has_time))
        return self._with_weights(point, list(seen))

    def worth(self, choice: Choice, places: Sequence[int]) -> Figures:
        """Figures of a choice for the queries at these positions."""
        if choice.weights is not None:
            config = self.space.config(choice.point)
            return self.replay.figures(config, weights=choice.weights, only=places)
        return at_places(self.figures(choice.point), places)

    def _with_weights(self, point: Point, seen: Sequence[int]) -> Choice:
        """The point with weights fitted on these queries, when out of fold they gain more than a standard error; else as it is.

        Where the point does without re-ranking, it is fitted weights against none.
        """
        reranking = self.space.with_reranking(point)
        if self.fitted_from is None or reranking is None:
            return Choice(point=point)
        config = self.space.config(reranking)
        lists = {at: item for at in seen if (item := self.replay.judged_list(at, config)) is not None}
        if len({item.unit for item in lists.values() if item.is_informative}) < MIN_INFORMATIVE:
            return Choice(point=point)
        gains = self._out_of_fold(lists, seen, config) - at_places(self.figures(point), seen).ndcg_at_10
        if gains.mean() <= gains.std(ddof=1) / np.sqrt(len(gains)):
            return Choice(point=point)
        return Choice(
            point=reranking, weights=fit([*lists.values()], prior=self.fitted_from, version="tuned", fitted_on={})
        )

    def _out_of_fold(self, lists: Mapping[int, JudgedList], seen: Sequence[int], config: RetrievalConfig) -> Vector:
        """nDCG@10 of each query with weights that were fitted without the queries of its fold."""
        units = [self.replay.recording.queries[at].unit for at in seen]
        fold_of, found = folds_of(units, FOLDS), np.zeros(len(seen))
        for fold in range(FOLDS):
            known = [lists[at] for at, unit in zip(seen, units, strict=True) if at in lists and fold_of[unit] != fold]
            places = [place for place, unit in enumerate(units) if fold_of[unit] == fold]
            weights = fit(known, prior=self.fitted_from, version="fold", fitted_on={})
            held_out = [seen[place] for place in places]
            found[places] = self.replay.figures(config, weights=weights, only=held_out).ndcg_at_10
        return found


def cross_validate(
    bench: Bench, *, shares: Callable[[int], HasTime], on_choice: Callable[[], None] = lambda: None
) -> Validation:
    """Choose on all folds but one and judge on that one, for each; then choose on all queries.

    ``shares(n)`` gives whoever chooses next a share of the time that is left, n to come; ``on_choice`` is called ``FOLDS + 1`` times.
    """
    units = [recorded.unit for recorded in bench.replay.recording.queries]
    fold_of = folds_of(units, FOLDS)
    tuned = Figures(ndcg_at_10=np.zeros(len(units)), reciprocal_rank=np.zeros(len(units)))
    choices: list[Choice] = []
    for fold in range(FOLDS):
        seen = [at for at, unit in enumerate(units) if fold_of[unit] != fold]
        held_out = [at for at, unit in enumerate(units) if fold_of[unit] == fold]
        choice = bench.choose(seen, has_time=shares(FOLDS + 1 - fold))
        worth = bench.worth(choice, held_out)
        tuned.ndcg_at_10[held_out], tuned.reciprocal_rank[held_out] = worth.ndcg_at_10, worth.reciprocal_rank
        choices.append(choice)
        on_choice()
    final = bench.choose(range(len(units)), has_time=shares(1))
    on_choice()
    return Validation(
        served=bench.figures(frozenset()), tuned=tuned, folds=tuple(choices), choice=final, tried=bench.tried
    )


def at_places(figures: Figures, places: Sequence[int]) -> Figures:
    """The figures of the queries at these positions."""
    chosen = np.array(places, dtype=np.intp)
    return Figures(ndcg_at_10=figures.ndcg_at_10[chosen], reciprocal_rank=figures.reciprocal_rank[chosen])
