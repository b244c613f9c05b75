"""Retrieval with a re-ranker: what it changes, and what it leaves."""

from dataclasses import replace

import pytest
from rerank_server import RerankServer, rerank_server
from retrievals import find

from rag_core.configuration.schema import configure
from rag_core.errors import RerankingError
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

__all__ = ["rerank_server"]


def test_reranking_keeps_what_the_scores_were_before(engine, tenant, make_note, index_notes) -> None:
    make_note("El perro ladra.")
    index_notes()

    (hit,) = (found := find(engine, tenant, "perro", strategy="hybrid+rerank")).hits

    assert found.strategy == "hybrid+rerank"
    assert found.warnings == ()
    assert hit.score == hit.rerank_score
    assert hit.original_score == 1.0


class CatsFirst:
    """A re-ranker that gives probabilities: 0.9 to a passage about a cat, 0.2 to any other."""

    def __init__(self, name: str) -> None:
        self.name = name

    def score(self, query, candidates, *, statistics, timeout_seconds, cancellation=None) -> list[float]:
        return [0.9 if "gato" in candidate.content else 0.2 for candidate in candidates]


@pytest.mark.parametrize(
    ("name", "expected"), [("http:planted@1", {"g": True, "p": False}), ("embedded@1", {"g": None, "p": None})]
)
def test_a_calibrated_reranker_says_which_results_reach_the_threshold(
    engine, tenant, make_note, index_notes, monkeypatch, name, expected
) -> None:
    make_note("El perro ladra.", external_id="p")
    make_note("El gato y el perro duermen.", external_id="g")
    index_notes()
    monkeypatch.setattr(Engine, "reranker", lambda *_: CatsFirst(name))

    found = find(engine, tenant, "perro", strategy="hybrid+rerank")

    assert {hit.external_id: hit.is_above_threshold for hit in found.hits} == expected


def test_results_below_the_score_threshold_are_left_out_whatever_the_depth(
    engine, tenant, make_note, index_notes, monkeypatch
) -> None:
    make_note("El gato y el perro duermen.", external_id="g")
    for number in range(40):
        make_note(f"El perro ladra {number} veces.", external_id=f"p{number}")
    index_notes()
    monkeypatch.setattr(Engine, "reranker", lambda *_: CatsFirst("http:planted@1"))
    config = configure({"reranking": {"scoreThreshold": 0.5}}, strategy="hybrid+rerank")

    served = retrieve(engine, tenant, "perro gato", config=config, timeout_ms=30_000)
    deep = retrieve(engine, tenant, "perro gato", config=config, timeout_ms=30_000, depth=20)

    assert [hit.external_id for hit in served.hits] == ["g"]
    assert [hit.external_id for hit in deep.hits] == ["g"]


def test_a_reranker_that_fails_leaves_the_order_of_the_search_and_says_nothing(
    engine, tenant, make_note, index_notes, monkeypatch
) -> None:
    class Failing:
        name = "failing@1"

        def score(self, query, candidates, *, statistics, timeout_seconds, cancellation=None):
            raise RerankingError("no scores today")

    make_note("El perro ladra.", external_id="a")
    index_notes()
    monkeypatch.setattr(Engine, "reranker", lambda *_: Failing())

    found = find(engine, tenant, "perro", strategy="hybrid+rerank")

    assert [hit.external_id for hit in found.hits] == ["a"]
    assert (found.strategy, found.warnings, found.is_degraded) == ("hybrid", (), True)


ELSEWHERE = "http://rerank.example"
"""A server that the tests reach as their proxy."""


@pytest.mark.parametrize(
    ("classification", "url", "named", "is_sent"),
    [
        ("secret", ELSEWHERE, "", False),
        ("secret", ELSEWHERE, "public", False),
        ("secret", ELSEWHERE, "public, secret", True),
        ("secret", None, "", True),
        (None, ELSEWHERE, "", True),
        ("", ELSEWHERE, "", True),
    ],
)
def test_of_classified_notes_a_server_elsewhere_gets_those_that_the_operator_names(
    engine,
    tenant,
    make_note,
    index_notes,
    rerank_server: RerankServer,
    monkeypatch,
    classification: str | None,
    url: str | None,
    named: str,
    is_sent: bool,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", rerank_server.url)
    make_note("El perro ladra.", external_id="a", metadata={"classification": classification})
    make_note("El gato y el perro duermen.", external_id="b")
    index_notes()
    changes = {"reranker": "http", "reranker_url": url or rerank_server.url, "reranker_classifications": named}
    served = replace(engine, settings=engine.settings.model_copy(update=changes), rerankers={})

    found = find(served, tenant, "perro", strategy="hybrid+rerank")

    assert {hit.external_id for hit in found.hits} == {"a", "b"}
    assert (found.strategy, found.is_degraded) == (("hybrid+rerank", False) if is_sent else ("hybrid", True))
    assert bool(rerank_server.requests) == is_sent
