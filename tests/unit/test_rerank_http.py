import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from builders import make_candidate
from pydantic import SecretStr
from rerank_server import RerankServer, rerank_server

from rag_core.errors import ConfigurationError, RerankerUnavailableError, RerankingError, SearchCancelledError
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking.providers.http import HttpReranker, open_http_reranker
from rag_core.resilience.cancellation import Cancellation

__all__ = ["rerank_server"]

NO_STATISTICS = QueryStatistics(documents={}, frequencies={})
TEXTS = ["compré pan", "el gato negro duerme", "el gato come"]


def scores(
    server: RerankServer, *, model: str | None = None, key: str | None = None, seconds: float = 5.0
) -> list[float]:
    reranker = open_http_reranker(url=server.url, model=model, api_key=SecretStr(key) if key else None)
    return ask(reranker, seconds=seconds)


def ask(reranker: HttpReranker, *, seconds: float = 5.0, cancellation: Cancellation | None = None) -> list[float]:
    return reranker.score(
        "gato negro",
        [make_candidate(text) for text in TEXTS],
        statistics=NO_STATISTICS,
        timeout_seconds=seconds,
        cancellation=cancellation,
    )


def ask_in_vain(reranker: HttpReranker, server: RerankServer) -> None:
    """Ask a server that comes to no end; once more with more time where it was not even asked, as on a machine under load."""
    for seconds in (0.2, 1, 5, 25):
        with pytest.raises(RerankingError):
            ask(reranker, seconds=seconds)
        if server.requests:
            return


def cancel_once_asked(server: RerankServer, cancellation: Cancellation) -> None:
    """Give up what the server is asked as soon as it is."""
    while not server.requests and not server.stopping.wait(0.01):
        pass
    cancellation.cancel()


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
        "gato", [make_candidate("Duerme mucho.", title="El gato")], statistics=NO_STATISTICS, timeout_seconds=5
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
        "gato", [make_candidate("gato")], statistics=NO_STATISTICS, timeout_seconds=5
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
        ([{"index": at, "score": 10**400} for at in (0, 1, 2)], "not a finite number"),
        (b'[{"index": 0, "score": ' + b"9" * 5000 + b"}]", "unusable scores"),
        (b"[" * 100_000 + b"]" * 100_000, "something else than JSON"),
        (b"\xff\xfe\xfd", "something else than JSON"),
    ],
)
def test_an_answer_that_leaves_a_passage_without_its_score_is_an_error(rerank_server, answer, said) -> None:
    rerank_server.answer = answer

    with pytest.raises(RerankerUnavailableError, match=said):
        scores(rerank_server)


def test_what_a_server_says_instead_of_a_score_is_shown_shortened(rerank_server) -> None:
    rerank_server.answer = [{"index": 0, "score": "x" * 100_000}]

    with pytest.raises(RerankingError) as caught:
        scores(rerank_server)

    assert len(str(caught.value)) < 200


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


@pytest.mark.parametrize("fault", ["stall", "drip", "drip_headers"])
def test_a_server_that_takes_too_long_is_left(rerank_server, fault) -> None:
    rerank_server.fault, rerank_server.seconds = fault, 30

    with pytest.raises(RerankingError, match=r"did not answer within 0\.3 s"):
        scores(rerank_server, seconds=0.3)


@pytest.mark.parametrize("fault", ["drip", "drip_headers"])
def test_what_was_not_answered_in_time_keeps_neither_connection_nor_thread(rerank_server, fault) -> None:
    reranker = open_http_reranker(url=rerank_server.url)
    one_thread = replace(reranker, executor=ThreadPoolExecutor(1))
    rerank_server.fault = fault
    ask_in_vain(one_thread, rerank_server)

    is_closed = rerank_server.given_up.acquire(timeout=30)
    rerank_server.fault = None

    assert is_closed
    assert ask(one_thread, seconds=30) == [0.0, 1.0, 0.5]


def test_who_gives_up_keeps_neither_connection_nor_thread_and_says_nothing_of_the_server(rerank_server) -> None:
    reranker = replace(open_http_reranker(url=rerank_server.url), executor=ThreadPoolExecutor(1))
    cancellation = Cancellation()
    rerank_server.fault = "drip"
    threading.Thread(target=cancel_once_asked, args=(rerank_server, cancellation)).start()

    with pytest.raises(SearchCancelledError):
        ask(reranker, seconds=30, cancellation=cancellation)
    is_closed = rerank_server.given_up.acquire(timeout=10)
    rerank_server.fault = None

    assert is_closed
    assert ask(reranker, seconds=30) == [0.0, 1.0, 0.5]


def test_a_call_that_finds_all_threads_taken_says_so_and_nothing_of_the_server(rerank_server) -> None:
    free = threading.Event()
    executor = ThreadPoolExecutor(1)
    executor.submit(free.wait, 30)
    reranker = replace(open_http_reranker(url=rerank_server.url), executor=executor)

    with pytest.raises(RerankingError, match="was not asked: no other call ended") as caught:
        ask(reranker, seconds=0.1)
    free.set()

    assert not isinstance(caught.value, RerankerUnavailableError)
    assert rerank_server.requests == []


def test_calls_one_after_the_other_share_a_connection(rerank_server) -> None:
    reranker = open_http_reranker(url=rerank_server.url)

    for _ in range(3):
        ask(reranker)

    assert len(rerank_server.requests) == 3
    assert len(rerank_server.connections) == 1


@pytest.mark.parametrize(
    ("fault", "status", "seconds", "is_outage"),
    [
        ("garbage", 200, 5, True),
        ("drop", 200, 5, True),
        ("truncate", 200, 5, True),
        ("huge", 200, 5, True),
        ("status", 500, 5, True),
        ("status", 503, 5, True),
        ("status", 413, 5, False),
        ("status", 401, 5, False),
        ("stall", 200, 0.2, False),
        ("drip_headers", 200, 0.2, False),
        ("stall", 200, 1, True),
        ("drip_headers", 200, 1, True),
    ],
)
def test_what_the_server_could_not_help_is_no_outage(rerank_server, fault, status, seconds, is_outage) -> None:
    rerank_server.fault, rerank_server.status, rerank_server.seconds = fault, status, 30

    with pytest.raises(RerankingError) as caught:
        scores(rerank_server, seconds=seconds)

    assert isinstance(caught.value, RerankerUnavailableError) is is_outage


def test_nobody_there_is_an_error() -> None:
    reranker = open_http_reranker(url="http://127.0.0.1:9")

    with pytest.raises(RerankingError, match="cannot be reached"):
        reranker.score("gato", [make_candidate("gato")], statistics=NO_STATISTICS, timeout_seconds=2)


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
