"""Choosing among points: how far it goes, what it prefers, and what it makes of chance alone."""

from dataclasses import dataclass
from types import SimpleNamespace
from uuid import UUID
from zlib import crc32

import numpy as np
import pytest
from builders import make_embedding_model

from rag_core.configuration.schema import RetrievalConfig, configure
from rag_core.errors import InvalidInputError
from rag_core.evaluation.comparison.significance import paired_test
from rag_core.evaluation.tuning.cross_validation import Bench, cross_validate
from rag_core.evaluation.tuning.replay import Figures
from rag_core.evaluation.tuning.report import SIGNIFICANCE
from rag_core.evaluation.tuning.search import explore, simplest_good
from rag_core.evaluation.tuning.space import KNOBS, SERVED, Space, parse_parts
from rag_core.reranking.weights import shipped_weights

MODEL = make_embedding_model(dimensions=512, semantic_weight=0.25, fulltext_weight=0.75)
SPACE = Space(base=configure(strategy="hybrid"), model=MODEL)
BALANCE = next(knob for knob in KNOBS if knob.name == "balance")
THRESHOLD = next(knob for knob in KNOBS if knob.name == "threshold")


def recorded(number: int) -> SimpleNamespace:
    note = UUID(int=number)
    return SimpleNamespace(golden=SimpleNamespace(relevant_note_ids=(note,)), unit=str(note))


@dataclass(frozen=True, slots=True, kw_only=True)
class Imagined:
    """Figures that follow from the configuration without any search: ``gain`` for each whose semantic weight is 0.5, and noise."""

    queries: int
    seed: int
    gain: float = 0.0
    noise: float = 0.1

    @property
    def recording(self) -> SimpleNamespace:
        return SimpleNamespace(queries=[recorded(number) for number in range(self.queries)])

    def figures(self, config: RetrievalConfig, **_options: object) -> Figures:
        number = crc32(f"{self.seed} {config.model_dump_json()}".encode())
        ease = np.random.default_rng(self.seed).uniform(0.2, 0.8, self.queries)
        drawn = ease + np.random.default_rng(number).normal(0, self.noise, self.queries)
        worth = np.clip(drawn + self.gain * (config.hybrid_search.semantic_weight == 0.5), 0, 1)
        return Figures(ndcg_at_10=worth, reciprocal_rank=worth)


def bench(imagined: Imagined) -> Bench:
    return Bench(replay=imagined, space=SPACE, weights=shipped_weights(), fitted_from=None)  # type: ignore[arg-type]


def always(_parts: int):
    return lambda: True


def test_what_chance_alone_offers_is_seldom_taken_for_better() -> None:
    """Every configuration is as good as every other, so that a proposal is an error; 2.5 % may be.

    The space is small here, so that it is tried a hundred times in seconds; with all knobs 400 times gave 9 proposals.
    """
    space = Space(base=SPACE.base, model=MODEL, parts=("threshold",))
    proposals = 0
    for seed in range(100):
        one = Bench(replay=Imagined(queries=50, seed=seed), space=space, weights=shipped_weights(), fitted_from=None)  # type: ignore[arg-type]
        found = cross_validate(one, shares=always)
        test = paired_test(found.served.ndcg_at_10.tolist(), found.tuned.ndcg_at_10.tolist(), resamples=999)
        proposals += not found.choice.is_served and test.difference > 0 and test.p_value < SIGNIFICANCE

    assert proposals <= 7  # more than that in one of a hundred times, if the rate were 2.5 %


def test_the_same_choice_looks_better_than_it_is_on_the_queries_it_was_made_on() -> None:
    """Why the figures are held out: those of the chosen point itself are lifted by having been chosen."""
    lifted, honest = [], []
    for seed in range(8):
        one = bench(Imagined(queries=50, seed=seed, noise=0.2))
        found = cross_validate(one, shares=always)
        served = found.served.ndcg_at_10.mean()
        lifted.append(one.figures(found.choice.point).ndcg_at_10.mean() - served)
        honest.append(found.tuned.ndcg_at_10.mean() - served)

    assert np.mean(lifted) > 0.03
    assert np.mean(honest) < 0.02


def test_a_true_gain_is_found_on_held_out_queries() -> None:
    found = cross_validate(bench(Imagined(queries=60, seed=3, gain=0.15, noise=0.05)), shares=always)

    test = paired_test(found.served.ndcg_at_10.tolist(), found.tuned.ndcg_at_10.tolist())
    assert SPACE.config(found.choice.point).hybrid_search.semantic_weight == 0.5
    assert test.difference > 0.1
    assert test.p_value < 0.05


def test_folds_hold_every_query_once_and_queries_about_one_note_stay_together() -> None:
    imagined = Imagined(queries=40, seed=1)
    twins = SimpleNamespace(
        recording=SimpleNamespace(queries=[recorded(number // 4) for number in range(40)]),
        figures=imagined.figures,
    )
    seen: list[tuple[int, ...]] = []

    class Watched(Bench):
        def choose(self, places, *, has_time):
            seen.append(tuple(places))
            return Bench.choose(self, places, has_time=has_time)

    cross_validate(
        Watched(replay=twins, space=SPACE, weights=shipped_weights(), fitted_from=None),  # type: ignore[arg-type]
        shares=always,
    )

    *folds, whole = seen
    held_out = [set(range(40)) - set(places) for places in folds]
    assert sorted(at for fold in held_out for at in fold) == list(range(40))
    assert whole == tuple(range(40))
    for fold in held_out:
        assert {at // 4 for at in fold}.isdisjoint({at // 4 for at in set(range(40)) - fold})


def test_without_time_nothing_but_what_is_served_is_tried() -> None:
    tried = explore(SPACE, lambda _point: np.array([0.5, 0.5]), has_time=lambda: False)

    assert list(tried) == [SERVED]


def test_an_ascent_finds_two_knobs_that_help_together() -> None:
    def worth(point):
        config = SPACE.config(point).hybrid_search
        return np.full(10, 0.3 + 0.2 * (config.semantic_weight == 0.5) + 0.2 * (config.threshold == 0.3))

    tried = explore(SPACE, worth, has_time=lambda: True)

    best = simplest_good(tried)
    assert SPACE.override(best) == {"hybridSearch": {"semanticWeight": 0.5, "fulltextWeight": 0.5, "threshold": 0.3}}


def test_what_is_served_wins_a_tie() -> None:
    turned = SPACE.turned(SERVED, BALANCE, (0.5, 0.5))

    assert simplest_good({SERVED: np.array([0.4, 0.6]), turned: np.array([0.4, 0.6])}) == SERVED


def test_a_gain_within_a_standard_error_turns_no_knob() -> None:
    turned = SPACE.turned(SERVED, BALANCE, (0.5, 0.5))
    served = np.full(4, 0.5)

    assert simplest_good({SERVED: served, turned: np.array([0.8, 0.3, 0.6, 0.5])}) == SERVED  # 0.05, error 0.10
    assert simplest_good({SERVED: served, turned: np.array([0.8, 0.7, 0.6, 0.7])}) == turned  # 0.20, error 0.04


def test_a_knob_turned_for_no_more_than_noise_is_left_alone() -> None:
    one = SPACE.turned(SERVED, BALANCE, (0.5, 0.5))
    two = SPACE.turned(one, THRESHOLD, (0.3,))
    served = np.full(4, 0.5)
    better = np.array([0.8, 0.7, 0.6, 0.7])

    assert simplest_good({SERVED: served, one: better, two: np.array([0.82, 0.68, 0.62, 0.7])}) == one


def test_a_knob_at_what_is_served_is_not_turned() -> None:
    assert SPACE.turned(SERVED, BALANCE, (0.25, 0.75)) == SERVED
    assert SPACE.turned(SPACE.turned(SERVED, BALANCE, (0.5, 0.5)), BALANCE, (0.25, 0.75)) == SERVED


def test_candidates_are_never_fewer_than_are_shown_after_re_ranking() -> None:
    space = Space(base=configure({"topK": {"final": 20}}), model=MODEL, parts=("candidates",))

    depths = {space.config(point).top_k.retrieval for point in space.neighbours(SERVED, space.knobs[0])}

    assert depths == {30, 40, 50}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("fusion", ("fusion",)),
        (" reranking, threshold ,", ("threshold", "reranking")),
        ("fusion,threshold,candidates,reranking", ("fusion", "threshold", "candidates", "reranking")),
    ],
)
def test_parts_are_read_in_their_own_order(text, parts) -> None:
    assert parse_parts(text) == parts


@pytest.mark.parametrize("text", ["", ",", "fusion,chunking"])
def test_unknown_parts_are_refused_with_those_there_are(text) -> None:
    with pytest.raises(InvalidInputError, match="expected some of fusion, threshold, candidates, reranking"):
        parse_parts(text)
