"""Embedding by an Ollama server (``/api/embed``): batches, retries, and no vector taken on trust."""

import re
import threading
from collections.abc import Sequence

import httpx
import numpy as np
import stamina
from numpy.typing import NDArray
from ollama import Client, ResponseError

from rag_core.chunking import count_tokens
from rag_core.embedding import EmbeddingModel, prefix_of
from rag_core.embedding.vectors import require_visible, unit_rows
from rag_core.errors import EmbeddingError
from rag_core.model import EmbeddingRole, FloatMatrix

_MATRYOSHKA_VERSION = re.compile(r"mrl-([1-9]\d*)")
_CONCURRENT_REQUESTS = 4
_ATTEMPTS = 3
_CONNECT_SECONDS = 5.0
_SHOWN_CHARACTERS = 60

# The client lets all of these through: its own two, httpx's, and what a body that is not the JSON expected
# makes json (ValueError), pydantic (ValueError) and its own unpacking (TypeError, AttributeError) raise.
_FAILURES = (ConnectionError, ResponseError, httpx.HTTPError, ValueError, TypeError, AttributeError)


class OllamaEmbedder:
    """A registered model on an Ollama server.

    Each request holds at most ``batch_size`` texts and waits ``timeout_seconds`` for an answer. Refused and
    lost connections, time-outs and statuses from 500 are tried again, three times in all and none begun after
    one and a half time-outs. At most four requests are under way at once, however many threads ask.
    """

    def __init__(self, model: EmbeddingModel, *, host: str, timeout_seconds: float = 30, batch_size: int = 32) -> None:
        self.name = model.name
        self.dimensions = model.dimensions
        self._model = model
        self._given_dimensions = _given_dimensions(model)
        self._host = host
        self._timeout_seconds = timeout_seconds
        self._batch_size = batch_size
        self._client = _client(host, timeout_seconds)
        self._places = threading.BoundedSemaphore(_CONCURRENT_REQUESTS)
        self._retrying = stamina.RetryingCaller(
            attempts=_ATTEMPTS, timeout=1.5 * timeout_seconds, wait_initial=0.2, wait_max=2.0, wait_jitter=0.2
        ).on(_is_transient)

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        """Embed texts as unit vectors, shape (len(texts), dimensions); no texts give shape (0, dimensions).

        Nothing is truncated: a text that the model's context cannot hold is an error.

        Raises:
            EmbeddingError: a text is blank or too long, the server failed or gave something else than one
                finite vector of the registered length for each text.
        """
        require_visible(texts)
        prefix = prefix_of(self._model, role)
        inputs = [prefix + text for text in texts]
        batches = [
            self._embed_batch(inputs[start : start + self._batch_size])
            for start in range(0, len(inputs), self._batch_size)
        ]
        return np.concatenate([np.empty((0, self.dimensions), dtype=np.float32), *batches])

    def _embed_batch(self, inputs: Sequence[str]) -> FloatMatrix:
        vectors = self._checked(self._request(inputs), inputs)
        return unit_rows(vectors[:, : self.dimensions], source=self._source)

    def _request(self, inputs: Sequence[str]) -> Sequence[Sequence[float]]:
        with self._places:
            try:
                answer = self._retrying(
                    self._client.embed,
                    model=self.name,
                    input=inputs,
                    truncate=False,
                    options={"num_ctx": self._model.context_tokens},
                )
            except _FAILURES as error:
                raise EmbeddingError(self._explain(error, inputs)) from error
        return answer.embeddings

    def _checked(self, embeddings: Sequence[Sequence[float]], inputs: Sequence[str]) -> NDArray[np.float64]:
        if len(embeddings) != len(inputs):
            raise EmbeddingError(
                f"{self._source} gave {len(embeddings)} vectors for {len(inputs)} texts; "
                "expected one a text. Update the server."
            )
        wrong = next((len(row) for row in embeddings if len(row) != self._given_dimensions), None)
        if wrong is not None:
            raise EmbeddingError(self._explain_dimensions(wrong))
        return np.array(embeddings, dtype=np.float64)

    def _explain_dimensions(self, found: int) -> str:
        message = (
            f"{self._source} gave a vector of {found} dimensions; "
            f"expected {self._given_dimensions}, as the model is registered. "
        )
        if found > self.dimensions:
            return message + (
                f"Register it with {found} dimensions, or, if it was trained for the first ones to stand "
                f"alone, with version mrl-{found}."
            )
        return message + f"Register it with {found} dimensions."

    def _explain(self, error: Exception, inputs: Sequence[str]) -> str:
        if isinstance(error, ResponseError):
            return self._explain_status(error, inputs)
        if isinstance(error, httpx.TimeoutException):
            return (
                f"{self._source} did not answer within {self._timeout_seconds:g} s. See what holds it with "
                "`ollama ps`, or start it anew with `ollama serve`."
            )
        if isinstance(error, (ConnectionError, httpx.HTTPError)):
            return (
                f"{self._source} cannot be reached or broke off: {error}. Start it with `ollama serve`, or "
                "set OLLAMA_HOST to where it runs."
            )
        return (
            f"{self._source} answered something that is no list of vectors: {_short(str(error))}. "
            "Check that OLLAMA_HOST is an Ollama server, and update it."
        )

    def _explain_status(self, error: ResponseError, inputs: Sequence[str]) -> str:
        found = f"{self._source} answered status {error.status_code}: {_short(str(error.error))}. "
        if error.status_code == httpx.codes.NOT_FOUND:
            return found + f"Get the model with `ollama pull {self.name}`."
        if "context length" in str(error.error):
            return found + self._explain_length(max(inputs, key=len))
        if error.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
            return found + "See the server's log, and start it anew with `ollama serve`."
        return found + f"Check with `ollama show {self.name}` that it is an embedding model."

    def _explain_length(self, longest: str) -> str:
        return (
            f"The longest of these texts has {len(longest)} characters, by estimate {count_tokens(longest)} "
            f"tokens, and begins {longest[:_SHOWN_CHARACTERS]!r}; expected at most the "
            f"{self._model.context_tokens} tokens of the model's context. Make chunks smaller "
            "(chunking.maxChunkSize), or take a model with a longer context."
        )

    @property
    def _source(self) -> str:
        return f"Ollama at {self._host}, model {self.name},"


def _client(host: str, timeout_seconds: float) -> Client:
    timeout = httpx.Timeout(timeout_seconds, connect=min(timeout_seconds, _CONNECT_SECONDS))
    try:
        return Client(host=host, timeout=timeout)
    except ValueError as error:
        raise EmbeddingError(
            f"OLLAMA_HOST={host!r} is no address ({error}); expected one such as http://127.0.0.1:11434."
        ) from error


def _given_dimensions(model: EmbeddingModel) -> int:
    matryoshka = _MATRYOSHKA_VERSION.fullmatch(model.version)
    given = int(matryoshka[1]) if matryoshka else model.dimensions
    if given < model.dimensions:
        raise EmbeddingError(
            f"model {model.name!r} of version {model.version!r} gives {given} dimensions; expected at least "
            f"the {model.dimensions} it is registered with. Register it with {given} or fewer."
        )
    return given


def _is_transient(error: Exception) -> bool:
    if isinstance(error, ResponseError):
        return error.status_code >= httpx.codes.INTERNAL_SERVER_ERROR
    return isinstance(error, (ConnectionError, httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError))


def _short(message: str) -> str:
    return " ".join(message.split())[: 5 * _SHOWN_CHARACTERS]
