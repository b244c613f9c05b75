import time
import uuid

import pytest
from pydantic import SecretStr
from rerank_server import RerankServer, rerank_server

from rag_core.errors import ConfigurationError, RerankingError
from rag_core.model import ChunkId, NoteId
from rag_core.reranking import Candidate, QueryStatistics
from rag_core.reranking.http import open_http_reranker

__all__ = ["rerank_server"]

NO_STATISTICS = QueryStatistics(documents={}, frequencies={})
TEXTS = ["compré pan", "el gato negro duerme", "el gato come"]


def candidate(content: str, *, title: str | None = None) -> Candidate:
    return Candidate(
        chunk_id=ChunkId(uuid.uuid4()),
        note_id=NoteId(uuid.uuid4()),
        title=title,
        content=content,
        language="es",
        score=0.5,
    )


def scores(
    server: RerankServer, *, model: str | None = None, key: str | None = None, seconds: float = 5.0
) -> list[float]:
    reranker = open_http_reranker(url=server.url, model=model, api_key=SecretStr(key) if key else None)
    return reranker.score(
        "gato negro", [candidate(text) for text in TEXTS], statistics=NO_STATISTICS, timeout_seconds=seconds
    )


def test_with_a_model_the_request_and_the_answer_have_the_shape_of_cohere(rerank_server) -> None:
    found = scores(rerank_server, model="rerank-v3.5")

    assert found == [0.0, 1.0, 0.5]
    assert rerank_server.requests == [
        {"model": "rerank-v3.5", "query": "gato negro", "documents": TEXTS, "top_n": 3},
    ]
    assert rerank_server.paths == ["/rerank"]


def test_without_a_model_they_have_the_shape_of_text_embeddings_inference(rerank_server) -> None:
    found = scores(rerank_server)

    assert found == [0.0, 1.0, 0.5]
    assert rerank_server.requests == [{"query": "gato negro", "texts": TEXTS, "truncate": True}]


def test_a_title_stands_before_its_passage(rerank_server) -> None:
    reranker = open_http_reranker(url=rerank_server.url)

    found = reranker.score(
        "gato", [candidate("Duerme mucho.", title="El gato")], statistics=NO_STATISTICS, timeout_seconds=5
    )

    assert found == [1.0]
    assert rerank_server.requests[0]["texts"] == ["El gato\nDuerme mucho."]


def test_the_key_is_sent_as_a_bearer_token(rerank_server) -> None:
    scores(rerank_server, key="s3cret")

    assert rerank_server.headers[0]["Authorization"] == "Bearer s3cret"


def test_scores_outside_the_unit_interval_get_one_sigmoid_each(rerank_server) -> None:
    rerank_server.logits = True

    found = scores(rerank_server)

    assert found == pytest.approx([0.0024726, 0.9975274, 0.5], abs=1e-6)


@pytest.mark.parametrize("url_suffix", ["", "/", "/rerank", "/v2/rerank/"])
def test_the_path_is_added_once(rerank_server, url_suffix) -> None:
    open_http_reranker(url=rerank_server.url + url_suffix).score(
        "gato", [candidate("gato")], statistics=NO_STATISTICS, timeout_seconds=5
    )

    assert rerank_server.paths[0] in {"/rerank", "/v2/rerank"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"results": [{"index": 0, "relevance_score": 0.1}]}, "1 scores for 3"),
        ([{"index": at, "score": 0.5} for at in (0, 1, 1)], "stands twice"),
        ([{"index": at, "score": 0.5} for at in (0, 1, 3)], "out of range"),
        ([{"index": at, "score": 0.5} for at in (-1, 0, 1)], "out of range"),
        ([{"index": True, "score": 0.5}], "out of range"),
        ([{"index": at, "score": "0.5"} for at in (0, 1, 2)], "score of 0"),
        ([{"index": at} for at in (0, 1, 2)], "score of 0"),
        ([0.1, 0.2, 0.3], "expected objects"),
        ({"error": "no"}, "expected a list"),
        ([{"index": at, "score": float("nan")} for at in (0, 1, 2)], "not a finite number"),
    ],
)
def test_an_answer_that_leaves_a_passage_without_its_score_is_an_error(rerank_server, answer, said) -> None:
    rerank_server.answer = answer

    with pytest.raises(RerankingError, match=said):
        scores(rerank_server)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("garbage", "something else than JSON"),
        ("status", "answered 500.*model not loaded"),
        ("drop", "cannot be reached"),
        ("truncate", "cannot be reached"),
        ("huge", "more than 1,000,000 bytes"),
    ],
)
def test_a_server_that_misbehaves_is_an_error_with_its_address(rerank_server, fault, said) -> None:
    rerank_server.fault = fault

    with pytest.raises(RerankingError, match=said) as caught:
        scores(rerank_server)

    assert rerank_server.url in str(caught.value)


@pytest.mark.parametrize("fault", ["stall", "drip"])
def test_a_server_that_takes_too_long_is_left(rerank_server, fault) -> None:
    rerank_server.fault, rerank_server.seconds = fault, 30

    began = time.monotonic()
    with pytest.raises(RerankingError):
        scores(rerank_server, seconds=0.3)

    assert time.monotonic() - began < 15


def test_nobody_there_is_an_error() -> None:
    reranker = open_http_reranker(url="http://127.0.0.1:9")

    with pytest.raises(RerankingError, match="cannot be reached"):
        reranker.score("gato", [candidate("gato")], statistics=NO_STATISTICS, timeout_seconds=2)


def test_no_candidates_ask_nobody(rerank_server) -> None:
    reranker = open_http_reranker(url=rerank_server.url)

    assert reranker.score("gato", [], statistics=NO_STATISTICS, timeout_seconds=1) == []
    assert rerank_server.requests == []


@pytest.mark.parametrize("url", ["", "ftp://x", "localhost:8080", "http://"])
def test_an_address_that_is_none_is_refused_when_it_is_read(url) -> None:
    with pytest.raises(ConfigurationError, match="BRAIN_RERANKER_URL"):
        open_http_reranker(url=url)


def test_a_key_that_cannot_be_sent_is_not_repeated_in_the_message() -> None:
    with pytest.raises(ConfigurationError) as caught:
        open_http_reranker(url="http://127.0.0.1:9", api_key=SecretStr("clave\nñ"))

    assert "ñ" not in str(caught.value)
    assert "BRAIN_RERANKER_API_KEY" in str(caught.value)
