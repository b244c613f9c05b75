import dataclasses

import numpy as np
import pytest

from rag_core.reranking.features import FEATURES
from rag_core.reranking.fitting import (
    JudgedList,
    fit,
)
from rag_core.reranking.weights import shipped_weights
from tests.benchmarks.fit_worth import difference_interval, order_by, out_of_fold_orders, quality


def judged(rows: dict[str, list[float]], *, relevant: set[int], unit: str = "q", family: str = "") -> JudgedList:
    """A list whose features are 0 but for the columns given; its notes are numbered."""
    count = len(next(iter(rows.values())))
    features = np.zeros((count, len(FEATURES)))
    for name, values in rows.items():
        features[:, FEATURES.index(name)] = values
    return JudgedList(
        query="q", notes=tuple(range(count)), features=features, relevant=frozenset(relevant), unit=unit, family=family
    )


def lists(count: int, *, useful: str, useless: str) -> list[JudgedList]:
    """Queries whose right candidate has most of one feature, while another is noise."""
    noise = np.random.default_rng(1)
    return [
        judged({useful: [0.1, 0.9, 0.2], useless: noise.random(3).tolist()}, relevant={1}, unit=str(at))
        for at in range(count)
    ]


def weight_of(weights, name: str) -> float:
    return weights.coefficients[FEATURES.index(name)]


def test_a_feature_that_tells_right_from_wrong_gets_the_weight() -> None:
    weights = fit(lists(60, useful="sentence", useless="grams"), version="1", fitted_on={})

    assert weight_of(weights, "sentence") > 5 * weight_of(weights, "grams")
    assert weight_of(weights, "title") == 0.0


def test_no_weight_is_negative_even_when_a_feature_misleads() -> None:
    weights = fit([judged({"phrases": [0.9, 0.1]}, relevant={1})] * 40, version="1", fitted_on={})

    assert min(weights.coefficients) == 0.0


def test_scores_are_calibrated_to_how_often_a_candidate_is_right() -> None:
    examples = [judged({"exact": [1.0, 1.0, 0.0, 0.0]}, relevant={at % 2}, unit=str(at)) for at in range(100)]

    weights = fit(examples, version="1", fitted_on={})

    likely, _, unlikely, _ = 1 / (1 + np.exp(-weights.logits(examples[0].features)))
    assert likely == pytest.approx(0.5, abs=0.02)
    assert unlikely < 0.02


def test_few_queries_stay_near_the_prior_and_many_leave_it() -> None:
    prior = dataclasses.replace(shipped_weights(), coefficients=tuple(0.0 for _ in FEATURES))
    one = lists(1, useful="sentence", useless="grams")
    many = lists(400, useful="sentence", useless="grams")

    moved = [weight_of(fit(examples, prior=prior, version="1", fitted_on={}), "sentence") for examples in (one, many)]

    assert 0 < moved[0] < moved[1]


def test_every_family_counts_the_same_however_many_queries_it_has() -> None:
    large = [judged({"exact": [0.0, 1.0]}, relevant={1}, family="large")] * 300
    small = [judged({"grams": [0.0, 1.0]}, relevant={1}, family="small")] * 3

    weights = fit([*large, *small], version="1", fitted_on={})

    assert weight_of(weights, "exact") == pytest.approx(weight_of(weights, "grams"), rel=0.3)


def test_nothing_can_be_learnt_where_nothing_or_everything_is_right() -> None:
    examples = [judged({"exact": [0.0, 1.0]}, relevant=set()), judged({"exact": [0.0, 1.0]}, relevant={0, 1})]

    with pytest.raises(ValueError, match="nothing can be learnt"):
        fit(examples, version="1", fitted_on={})


def test_a_list_is_ordered_by_weights_that_never_saw_its_unit() -> None:
    examples = [judged({"exact": [0.0, 1.0]}, relevant={1}, unit=f"article {at % 7}") for at in range(21)]
    seen: list[set[str]] = []

    def fit_fold(given):
        seen.append({item.unit for item in given})
        return fit(given, version="1", fitted_on={})

    orders = out_of_fold_orders(examples, fit_fold=fit_fold, folds=3)

    assert orders == [[1, 0]] * 21
    units = {item.unit for item in examples}
    held_out = [units - given for given in seen]
    assert set().union(*held_out) == units
    assert sum(len(part) for part in held_out) == len(units)


def test_a_tie_keeps_the_order_of_the_search() -> None:
    assert order_by(shipped_weights(), judged({"exact": [0.5, 0.5, 0.5]}, relevant={0})) == [0, 1, 2]


def test_quality_counts_a_note_once_at_its_best_chunk() -> None:
    item = dataclasses.replace(
        judged({"exact": [0.0, 0.0, 0.0]}, relevant=set()), notes=("a", "a", "b"), relevant=frozenset({"b"})
    )

    found = quality([item], [[0, 1, 2]])

    assert found.reciprocal_rank.tolist() == [0.5]
    assert found.ndcg_at_10.tolist() == pytest.approx([0.63093], abs=1e-5)


def test_a_relevant_note_that_was_not_found_counts_as_a_miss() -> None:
    item = judged({"exact": [0.0]}, relevant={7})

    assert quality([item], [[0]]).ndcg_at_10.tolist() == [0.0]


def test_the_interval_of_a_difference_holds_its_mean_and_is_0_without_one() -> None:
    before, after = np.zeros(200), np.tile([0.0, 1.0], 100)

    mean, low, high = difference_interval(before, after, units=[str(at) for at in range(200)])

    assert mean == 0.5
    assert 0.42 < low < 0.46
    assert 0.54 < high < 0.58
    assert difference_interval(before, before, units=["a"] * 200) == (0.0, 0.0, 0.0)


def test_queries_of_one_unit_are_drawn_together_so_that_the_interval_is_wider() -> None:
    before, after = np.zeros(200), np.repeat([0.0, 1.0], 100)

    _, low, high = difference_interval(before, after, units=["a"] * 100 + ["b"] * 100)

    assert (low, high) == (0.0, 1.0)
