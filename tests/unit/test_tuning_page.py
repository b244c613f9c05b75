"""The page of a tuning: its verdict and its chart go by the tuning's own threshold of p."""

from typing import Any

from rag_core.api.pages.evaluation.views.work import WorkReport, tuning_report


def report(p_value: float, *, mrr: float = 0.01) -> WorkReport:
    """Of a tuning that gained 0.03 nDCG@10 with this p; proposed where p is below 0.02 and MRR did not fall."""
    metrics: dict[str, Any] = {
        name: {
            "served": 0.7,
            "tuned": 0.7 + gain,
            "difference": gain,
            "interval": [gain / 2, 2 * gain],
            "p_value": p_value,
        }
        for name, gain in (("ndcg_at_10", 0.03), ("mrr", mrr))
    }
    change = {"keys": ["topK.retrieval"], "served": [20], "tuned": [30], "folds": 5}
    return tuning_report(
        {
            "set": "default",
            "queries": 60,
            "folds": 5,
            "configurations_tried": 9,
            "seconds": 1.0,
            "is_out_of_time": False,
            "strategy": "hybrid",
            "embedding_model": "hashing@1",
            "changes": [change],
            "reranker": None,
            "metrics": metrics,
            "categories": [],
            "is_worth_proposing": p_value < 0.02 and mrr >= 0,
            "number": 1,
        },
        None,
    )


def test_a_gain_whose_p_the_tuning_does_not_accept_may_be_chance() -> None:
    found = report(0.03)

    assert found.verdict == "La mejora de +0,0300 en nDCG@10 no es significativa (p = 0,03)"
    assert "interval unclear" in str(found.charts[0].drawing)
    assert "interval better" not in str(found.charts[0].drawing)


def test_a_gain_that_is_proposed_is_green() -> None:
    found = report(0.015)

    assert found.kind == "better"
    assert "interval better" in str(found.charts[0].drawing)


def test_a_gain_with_a_lower_mrr_says_so() -> None:
    assert report(0.015, mrr=-0.01).verdict == "nDCG@10 mejora, pero MRR empeora"
