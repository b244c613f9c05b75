"""Re-ranking by any server with a ``/rerank`` endpoint: the shape of Cohere and Jina, and that of text-embeddings-inference."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from rag_core.errors import ConfigurationError, RerankingError
from rag_core.reranking import Candidate, QueryStatistics
from rag_core.reranking.passage import as_probabilities, passage_text

_CONNECT_SECONDS = 2.0
_MAX_ANSWER_BYTES = 1_000_000
_SHOWN_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReranker:
    """A re-ranking server. With a model it is asked as Cohere and Jina are, without one as text-embeddings-inference is."""

    url: str
    model: str | None
    client: httpx.Client

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
    ) -> list[float]:
        """The server's scores; when one lies outside [0, 1], all are taken for logits."""
        if not candidates:
            return []
        if timeout_seconds <= 0:
            raise RerankingError(f"no time was left to ask {self.url}")
        given = self._ask(_body(query, candidates, self.model), timeout_seconds)
        try:
            return as_probabilities(_in_order(given, len(candidates)))
        except ValueError as error:
            raise RerankingError(f"{self.url} gave unusable scores: {error}; none is used") from error

    def _ask(self, body: dict[str, Any], timeout_seconds: float) -> Any:
        ends_at = time.monotonic() + timeout_seconds
        timeout = httpx.Timeout(timeout_seconds, connect=min(_CONNECT_SECONDS, timeout_seconds))
        try:
            with self.client.stream("POST", self.url, json=body, timeout=timeout) as response:
                content = self._read(response, ends_at)
                if response.is_success:
                    return httpx.Response(200, content=content).json()
        except httpx.TimeoutException as error:
            raise RerankingError(f"{self.url} did not answer within {timeout_seconds:.1f} s") from error
        except httpx.HTTPError as error:
            raise RerankingError(
                f"{self.url} cannot be reached ({type(error).__name__}); check that it runs"
            ) from error
        except ValueError as error:
            raise RerankingError(f"{self.url} answered something else than JSON; is it a re-ranking server?") from error
        said = content[:_SHOWN_CHARACTERS].decode(errors="replace")
        raise RerankingError(
            f"{self.url} answered {response.status_code}: {said!r}; check BRAIN_RERANKER_URL and _MODEL"
        )

    def _read(self, response: httpx.Response, ends_at: float) -> bytes:
        """The body, unless it is longer than any list of scores or comes too slowly."""
        content = bytearray()
        for part in response.iter_bytes():
            content += part
            if len(content) > _MAX_ANSWER_BYTES:
                raise RerankingError(f"{self.url} answered more than {_MAX_ANSWER_BYTES:,} bytes for a list of scores")
            if time.monotonic() > ends_at:
                raise RerankingError(f"{self.url} had not sent all of its answer when the time was over")
        return bytes(content)


def open_http_reranker(*, url: str, model: str | None = None, api_key: SecretStr | None = None) -> HttpReranker:
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
    return HttpReranker(url=address, model=model or None, client=httpx.Client(headers=headers))


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
    scores: dict[int, float] = {}
    for entry in entries:
        index, score = _entry(entry)
        if type(index) is not int or not 0 <= index < expected or index in scores:
            raise ValueError(f"the index {index!r} is out of range or stands twice")
        if type(score) not in {int, float}:
            raise ValueError(f"the score of {index} is {score!r}")
        scores[index] = float(score)
    if len(scores) != expected:
        raise ValueError(f"{len(scores)} scores for {expected} passages")
    return [scores[index] for index in range(expected)]


def _entry(entry: Any) -> tuple[Any, Any]:
    if not isinstance(entry, dict):
        raise ValueError(f"expected objects with an index and a score, found {entry!r}")  # noqa: TRY004  one error for all
    return entry.get("index"), entry.get("relevance_score", entry.get("score"))
