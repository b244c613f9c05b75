"""Re-ranking by any server with a ``/rerank`` endpoint: the shape of Cohere and Jina, and that of text-embeddings-inference."""

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from reprlib import repr as shown
from typing import Any
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from rag_core.errors import ConfigurationError, RerankerUnavailableError, RerankingError, SearchCancelledError
from rag_core.model.addresses import leaves_machine
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import RERANKERS, Candidate, RerankerParts, RerankerProvider
from rag_core.reranking.passage import as_probabilities, passage_text, scores_in_order
from rag_core.resilience.call_time import OUTAGE_SECONDS, Connection, call_time, limit_request
from rag_core.resilience.cancellation import Cancellation

CONCURRENT_CALLS = 16
_CONNECT_SECONDS = 2.0
_MAX_ANSWER_BYTES = 1_000_000
_SHOWN_CHARACTERS = 200


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=CONCURRENT_CALLS, thread_name_prefix="rerank-http")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A client for one call at a time, which keeps its connection from one to the next."""

    client: httpx.Client
    connection: Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReranker:
    """A re-ranking server. With a model it is asked as Cohere and Jina are, without one as text-embeddings-inference is.

    On another machine it gets the passages of notes without a classification or with one of ``classifications``.

    Calls are made in threads of ``executor``: nothing else bounds how long the name of a server may take to look up.
    """

    url: str
    model: str | None
    open_client: Callable[[], httpx.Client]
    classifications: frozenset[str] = frozenset()
    executor: Executor = field(default_factory=_threads)
    _idle: deque[_Line] = field(default_factory=deque)

    @property
    def name(self) -> str:
        """The model, or the server when it has only one."""
        return f"http:{self.model or urlsplit(self.url).netloc}"

    def score(
        self,
        query: str,
        candidates: Sequence[Candidate],
        *,
        statistics: QueryStatistics,  # noqa: ARG002  the server has its own idea of what is rare
        timeout_seconds: float,
        cancellation: Cancellation | None = None,
    ) -> list[float]:
        """The server's scores; when one lies outside [0, 1], all are taken for logits.

        Raises:
            RerankingError: a passage must not leave this machine; the server refused, had less than ``OUTAGE_SECONDS``, or was
                busy with other calls of ours; RerankerUnavailableError: it failed.
        """
        if not candidates:
            return []
        if timeout_seconds <= 0:
            raise RerankingError(f"no time was left to ask {self.url}")
        self._require_permission(candidates)
        body = _body(query, candidates, self.model)
        content = self._ask_in_time(body, timeout_seconds, cancellation or Cancellation())
        try:
            return as_probabilities(_in_order(json.loads(content), len(candidates)))
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise RerankerUnavailableError(
                f"{self.url} answered something else than JSON; is it a re-ranking server?"
            ) from error
        except ValueError as error:
            raise RerankerUnavailableError(f"{self.url} gave unusable scores: {error}; none is used") from error

    def _require_permission(self, candidates: Sequence[Candidate]) -> None:
        kept = {each.classification for each in candidates if each.classification} - self.classifications
        if kept and leaves_machine(self.url):
            names = ", ".join(sorted(kept))
            raise RerankingError(
                f"{self.url} was not asked: notes classified {names} must not leave this machine; "
                "BRAIN_RERANKER_CLASSIFICATIONS names those that may"
            )

    def _ask_in_time(self, body: dict[str, Any], timeout_seconds: float, cancellation: Cancellation) -> bytes:
        """Return the server's response, awaited in a thread that is abandoned at the time limit or on cancellation."""
        answer = self.executor.submit(self._ask, body, time.monotonic() + timeout_seconds, cancellation)
        with cancellation.awaited() as gone:
            wait([answer, gone], timeout=timeout_seconds, return_when=FIRST_COMPLETED)
        if cancellation.is_cancelled:
            answer.cancel()
            raise SearchCancelledError(f"{self.url} was not waited for: nobody waits for its scores any more")
        try:
            return answer.result(0)
        except (TimeoutError, httpx.TimeoutException) as error:
            if answer.cancel():
                raise RerankingError(
                    f"{self.url} was not asked: no other call ended within {timeout_seconds:.1f} s"
                ) from error
            raise self._too_slow(timeout_seconds) from error
        except httpx.HTTPError as error:
            raise RerankerUnavailableError(
                f"{self.url} cannot be reached ({type(error).__name__}); check that it runs"
            ) from error

    def _too_slow(self, seconds: float) -> RerankingError:
        kind = RerankerUnavailableError if seconds >= OUTAGE_SECONDS else RerankingError
        return kind(f"{self.url} did not answer within {seconds:.1f} s")

    def _ask(self, body: dict[str, Any], ends_at: float, cancellation: Cancellation) -> bytes:
        line = self._free_line()
        try:
            with (
                call_time(
                    ends_at - time.monotonic(),
                    connect_seconds=_CONNECT_SECONDS,
                    connection=line.connection,
                    cancellation=cancellation,
                ),
                line.client.stream("POST", self.url, json=body) as response,
            ):
                content = self._read(response)
        finally:
            self._idle.append(line)
        self._require_success(response.status_code, content)
        return content

    def _free_line(self) -> _Line:
        try:
            return self._idle.pop()
        except IndexError:
            return _Line(client=self.open_client(), connection=Connection())

    def _read(self, response: httpx.Response) -> bytes:
        """The body, unless it is longer than any list of scores."""
        content = bytearray()
        for part in response.iter_bytes():
            content += part
            if len(content) > _MAX_ANSWER_BYTES:
                raise RerankerUnavailableError(
                    f"{self.url} answered more than {_MAX_ANSWER_BYTES:,} bytes for a list of scores"
                )
        return bytes(content)

    def _require_success(self, status: int, content: bytes) -> None:
        if httpx.codes.is_success(status):
            return
        kind = RerankerUnavailableError if httpx.codes.is_server_error(status) else RerankingError
        said = content[:_SHOWN_CHARACTERS].decode(errors="replace")
        raise kind(f"{self.url} answered {status}: {said!r}; check BRAIN_RERANKER_URL and _MODEL")


def open_http_reranker(
    *, url: str, model: str | None = None, api_key: SecretStr | None = None, classifications: Iterable[str] = ()
) -> HttpReranker:
    """A re-ranker behind ``{url}/rerank``; contacts nobody. The key is sent as a bearer token.

    Raises:
        ConfigurationError: the URL is no http address, or the key cannot stand in a header.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ConfigurationError(
            f"BRAIN_RERANKER_URL={url!r} is no address; expected one such as http://127.0.0.1:8080"
        )
    headers = {"Accept": "application/json"}
    if api_key is not None and api_key.get_secret_value():
        headers["Authorization"] = f"Bearer {_header_value(api_key)}"
    address = url.rstrip("/").removesuffix("/rerank") + "/rerank"
    return HttpReranker(
        url=address,
        model=model or None,
        open_client=_clients(headers),
        classifications=frozenset(name.strip() for name in classifications),
    )


def _clients(headers: dict[str, str]) -> Callable[[], httpx.Client]:
    """Return a factory of clients of one connection, which share the certificates because reading them takes 20 ms."""
    trusted = httpx.create_ssl_context()

    def open_client() -> httpx.Client:
        return httpx.Client(
            headers=headers,
            verify=trusted,
            limits=httpx.Limits(max_connections=1),
            event_hooks={"request": [limit_request]},
        )

    return open_client


def _header_value(api_key: SecretStr) -> str:
    value = api_key.get_secret_value().strip()
    if not (value.isascii() and value.isprintable()):
        raise ConfigurationError("BRAIN_RERANKER_API_KEY has characters that cannot stand in a header; copy it again")
    return value


def _body(query: str, candidates: Sequence[Candidate], model: str | None) -> dict[str, Any]:
    passages = [passage_text(candidate) for candidate in candidates]
    if model is None:
        return {"query": query, "texts": passages, "truncate": True}
    return {"model": model, "query": query, "documents": passages, "top_n": len(passages)}


def _in_order(given: Any, expected: int) -> list[float]:
    """The scores by their index, whichever of the two shapes they came in.

    Raises:
        ValueError: a score is missing, stands twice, or is no number.
    """
    entries = given.get("results") if isinstance(given, dict) else given
    if not isinstance(entries, list):
        raise ValueError("expected a list, or an object with a list of results")  # noqa: TRY004  one error for all
    return scores_in_order(map(_entry, entries), range(expected))


def _entry(entry: Any) -> tuple[Any, Any]:
    if not isinstance(entry, dict):
        raise ValueError(f"expected objects with an index and a score, found {shown(entry)}")  # noqa: TRY004  one error for all
    return entry.get("index"), entry.get("relevance_score", entry.get("score"))


def _build(parts: RerankerParts) -> HttpReranker:
    settings = parts.settings
    if not settings.reranker_url:
        raise ConfigurationError("re-ranking over HTTP needs BRAIN_RERANKER_URL, such as http://127.0.0.1:8080")
    return open_http_reranker(
        url=settings.reranker_url,
        model=settings.reranker_model,
        api_key=settings.reranker_api_key,
        classifications=settings.reranker_classifications.split(","),
    )


RERANKERS.register("http")(RerankerProvider(build=_build, is_in_process=False, scores_are_probabilities=True))
