"""Properties of the metrics whatever was asked and found (properties 25 to 28)."""

from fractions import Fraction

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_core.model.ranking_metrics import (
    average_precision,
    hit_rate_at,
    ndcg_at,
    precision_at,
    precision_ceiling_at,
    r_precision,
    recall_at,
    reciprocal_rank,
)
from rag_core.model.statistics import mean, percentile

NOTES = st.sampled_from([f"nota-{letter}" for letter in "abcdefghijklmnñopqrstuvwxyz"])
RANKINGS = st.lists(NOTES, max_size=25)
RELEVANT = st.sets(NOTES, min_size=1, max_size=6)
QUERIES = st.lists(st.tuples(RANKINGS, RELEVANT), min_size=1, max_size=12)
DEPTHS = st.sampled_from([1, 3, 5, 10])
LATENCIES_MS = st.lists(st.floats(min_value=0, allow_nan=False, allow_infinity=False), min_size=1, max_size=300)


def first_places(ranking: list[str]) -> list[str]:
    """The ranking with each note at its first place only, found the slow way."""
    return [note for place, note in enumerate(ranking) if note not in ranking[:place]]


@pytest.mark.property(25)
@given(queries=QUERIES, k=DEPTHS)
def test_the_hit_rate_is_the_share_of_queries_with_a_relevant_note_in_the_first_k(queries, k) -> None:
    hits = sum(1 for ranking, relevant in queries if relevant & set(first_places(ranking)[:k]))

    rate = mean(hit_rate_at(ranking, relevant, k) for ranking, relevant in queries)

    assert rate == hits / len(queries)


@pytest.mark.property(25)
@given(ranking=RANKINGS, relevant=RELEVANT)
def test_a_deeper_look_never_loses_a_hit(ranking, relevant) -> None:
    rates = [hit_rate_at(ranking, relevant, k) for k in (1, 3, 5, 10)]

    assert rates == sorted(rates)


@pytest.mark.property(26)
@given(queries=QUERIES)
def test_the_mrr_is_the_mean_of_one_over_the_first_relevant_rank(queries) -> None:
    expected = Fraction(0)
    for ranking, relevant in queries:
        ranks = [rank for rank, note in enumerate(first_places(ranking), 1) if note in relevant]
        expected += Fraction(1, ranks[0]) if ranks else 0

    mrr = mean(reciprocal_rank(ranking, relevant) for ranking, relevant in queries)

    assert mrr == pytest.approx(float(expected / len(queries)), abs=1e-12)


@pytest.mark.property(27)
@given(latencies=LATENCIES_MS)
def test_percentiles_ascend_and_are_latencies_that_were_measured(latencies) -> None:
    p50, p95, p99 = (percentile(latencies, p) for p in (0.50, 0.95, 0.99))

    assert p50 <= p95 <= p99
    assert {p50, p95, p99} <= set(latencies)


@pytest.mark.property(27)
@given(latencies=LATENCIES_MS, p=st.sampled_from([0.5, 0.95, 0.99]))
def test_at_least_the_share_p_of_the_latencies_is_no_greater_than_its_percentile(latencies, p) -> None:
    value = percentile(latencies, p)

    share = Fraction(str(p))
    assert sum(latency <= value for latency in latencies) >= share * len(latencies)
    assert sum(latency < value for latency in latencies) < share * len(latencies)


@pytest.mark.property(28)
@given(queries=QUERIES, k=st.integers(1, 25))
def test_every_metric_and_every_mean_of_it_lies_between_zero_and_one(queries, k) -> None:
    metrics = [
        lambda ranking, relevant: hit_rate_at(ranking, relevant, k),
        lambda ranking, relevant: ndcg_at(ranking, relevant, k),
        lambda ranking, relevant: recall_at(ranking, relevant, k),
        lambda ranking, relevant: precision_at(ranking, relevant, k),
        reciprocal_rank,
        r_precision,
        average_precision,
    ]

    for metric in metrics:
        values = [metric(ranking, relevant) for ranking, relevant in queries]
        assert all(0 <= value <= 1 for value in [*values, mean(values)])


@pytest.mark.property(28)
@given(relevant=RELEVANT, rest=RANKINGS, k=st.integers(1, 25))
def test_the_relevant_notes_first_is_the_best_ranking_there_is(relevant, rest, k) -> None:
    perfect = [*relevant, *(note for note in rest if note not in relevant)]

    assert ndcg_at(perfect, relevant, k) == 1
    assert reciprocal_rank(perfect, relevant) == 1
    assert average_precision(perfect, relevant) == 1
    assert precision_at(perfect, relevant, k) == precision_ceiling_at(relevant, k)


GRADES = st.dictionaries(NOTES, st.integers(min_value=1, max_value=3), min_size=1, max_size=6)


@given(ranking=RANKINGS, grades=GRADES, k=st.integers(min_value=1, max_value=25))
def test_graded_metrics_are_those_of_an_independent_implementation(ranking, grades, k) -> None:
    unique = first_places(ranking)
    qrels = [ir_measures.Qrel("q", note, grade) for note, grade in grades.items()]
    ranked = [ir_measures.ScoredDoc("q", note, -float(rank)) for rank, note in enumerate(unique or ["nadie"])]
    measures = [
        ir_measures.nDCG @ k,
        ir_measures.AP @ k,
        ir_measures.P @ k,
        ir_measures.R @ k,
        ir_measures.Success @ k,
        ir_measures.RR,
    ]
    theirs = ir_measures.calc_aggregate(measures, qrels, ranked)

    ours = [
        ndcg_at(ranking, grades, k, grades=grades),
        average_precision(ranking, grades, k),
        precision_at(ranking, grades, k),
        recall_at(ranking, grades, k),
        hit_rate_at(ranking, grades, k),
        reciprocal_rank(ranking, grades),
    ]

    assert ours == [pytest.approx(theirs[measure], abs=1e-9) for measure in measures]


@given(ranking=RANKINGS, grades=GRADES)
def test_the_best_ranking_has_an_ndcg_of_one_and_no_other_has_more(ranking, grades) -> None:
    best = sorted(grades, key=grades.__getitem__, reverse=True)

    assert ndcg_at(best, grades, 10, grades=grades) == pytest.approx(1)
    assert 0 <= ndcg_at(ranking, grades, 10, grades=grades) <= 1 + 1e-12
