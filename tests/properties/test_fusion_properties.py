from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_core.model.note import ChunkId
from rag_core.retrieval.fusion import highest_rrf_score, reciprocal_rank_fusion, relative_score_fusion

chunk_ids = st.integers(min_value=1, max_value=30).map(lambda n: ChunkId(UUID(int=n)))
rankings = st.lists(chunk_ids, unique=True, max_size=15)
weights = st.floats(min_value=0.01, max_value=1)


def scored(ids: list[ChunkId], top: float) -> list[tuple[ChunkId, float]]:
    return [(chunk, top / rank) for rank, chunk in enumerate(ids, 1)]


@pytest.mark.property(2)
@settings(max_examples=200)
@given(rankings, rankings, weights, weights, st.integers(min_value=1, max_value=200))
def test_rrf_is_the_sum_over_the_lists_that_hold_the_chunk(a, b, weight_a, weight_b, k) -> None:
    fused = dict(reciprocal_rank_fusion([a, b], weights=[weight_a, weight_b], k=k))

    assert set(fused) == set(a) | set(b)
    for chunk, score in fused.items():
        expected = 0.0
        if chunk in a:
            expected += weight_a / (k + a.index(chunk) + 1)
        if chunk in b:
            expected += weight_b / (k + b.index(chunk) + 1)
        assert score == pytest.approx(expected, rel=1e-12)


@pytest.mark.property(1)
@settings(max_examples=200)
@given(rankings, rankings, weights, weights, st.floats(min_value=1e-6, max_value=1e6))
def test_public_scores_are_in_the_unit_interval(a, b, weight_a, weight_b, top) -> None:
    highest = highest_rrf_score([weight_a, weight_b])
    by_rank = reciprocal_rank_fusion([a, b], weights=[weight_a, weight_b])
    by_score = relative_score_fusion([scored(a, 0.9), scored(b, top)], weights=[weight_a, weight_b])

    assert all(0 < score / highest <= 1 + 1e-12 for _, score in by_rank)
    assert all(0 <= score <= 1 + 1e-12 for _, score in by_score)


@pytest.mark.property(3)
@settings(max_examples=200)
@given(rankings, rankings, weights, weights)
def test_fused_results_are_ordered_and_ties_break_by_id(a, b, weight_a, weight_b) -> None:
    for fused in (
        reciprocal_rank_fusion([a, b], weights=[weight_a, weight_b]),
        relative_score_fusion([scored(a, 1.0), scored(b, 9.0)], weights=[weight_a, weight_b]),
    ):
        assert fused == sorted(fused, key=lambda item: (-item[1], item[0]))


@pytest.mark.property(4)
@settings(max_examples=200)
@given(rankings, rankings, weights, weights)
def test_fusion_loses_nothing_that_a_leg_found(a, b, weight_a, weight_b) -> None:
    for fused in (
        reciprocal_rank_fusion([a, b], weights=[weight_a, weight_b]),
        relative_score_fusion([scored(a, 1.0), scored(b, 9.0)], weights=[weight_a, weight_b]),
    ):
        assert {chunk for chunk, _ in fused} == set(a) | set(b)
