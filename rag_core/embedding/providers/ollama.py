"""Embedding by an Ollama server (``/api/embed``): batches, retries, and no vector taken on trust."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import httpx
import numpy as np
import stamina
from numpy.typing import NDArray
from ollama import Client, EmbedResponse, ResponseError

from rag_core.chat.ollama_client import (
    FAILURES,
    KEEP_ALIVE,
    context_length,
    explain,
    fetch_loaded_bytes,
    find_fault,
    open_client,
)
from rag_core.chunking import count_tokens
from rag_core.embedding import EMBEDDING_PROVIDERS, EmbeddingProvider
from rag_core.embedding.prefixes import usual_prefixes
from rag_core.embedding.vectors import require_visible, unit_rows
from rag_core.errors import EmbeddingError, EmbeddingUnavailableError, InvalidInputError, TextTooLongError
from rag_core.model.embedding import (
    MAX_DIMENSIONS,
    EmbeddingModel,
    EmbeddingRole,
    FloatMatrix,
    UsualModel,
    WantedModel,
    prefix_of,
)
from rag_core.resilience.call_time import call_time
from rag_core.resilience.retries import keep_arguments_out_of_logs
from rag_core.settings import Settings

_MATRYOSHKA_VERSION = re.compile(r"mrl-([1-9]\d*)")
_ATTEMPTS = 3
_VERSION = "1"
_USUAL_CONTEXT_TOKENS = 8192
"""A longer context is not asked for unless it is given: the server keeps memory for all of it, and chunks are short."""
_SHOWN_CHARACTERS = 60


class OllamaEmbedder:
    """A registered model on an Ollama server.

    Each request holds at most ``batch_size`` texts and has ``timeout_seconds``, retries included: refused and lost
    connections and statuses from 500 are tried again, three times in all. A time-out is not: the server would get the
    work twice. How many requests are under way at once is not bounded here (``rag_core.resilience.circuit_breaker``).
    """

    def __init__(self, model: EmbeddingModel, *, host: str, timeout_seconds: float = 30, batch_size: int = 32) -> None:
        self.name = model.name
        self.dimensions = model.dimensions
        self._model = model
        self._given_dimensions = _given_dimensions(model)
        self._host = host
        self._timeout_seconds = timeout_seconds
        self._batch_size = batch_size
        self._client = open_client(host)
        keep_arguments_out_of_logs()
        self._retrying = stamina.RetryingCaller(
            attempts=_ATTEMPTS, timeout=timeout_seconds, wait_initial=0.2, wait_max=2.0, wait_jitter=0.2
        ).on(_is_passing)

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        """Embed texts as unit vectors, shape (len(texts), dimensions); no texts give shape (0, dimensions).

        Nothing is truncated: a text that the model's context cannot hold is an error.

        Raises:
            EmbeddingError: a text is blank or too long (TextTooLongError), the server failed (EmbeddingUnavailableError) or
                gave something else than one finite vector of the registered length for each text.
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
        try:
            with call_time(self._timeout_seconds):
                return self._retrying(self._ask, inputs).embeddings
        except FAILURES as error:
            raise self._failure(error, inputs) from error

    def _ask(self, inputs: Sequence[str]) -> EmbedResponse:
        return self._client.embed(
            model=self.name,
            input=inputs,
            truncate=False,
            options={"num_ctx": self._model.context_tokens},
            keep_alive=KEEP_ALIVE,
        )

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

    def _failure(self, error: Exception, inputs: Sequence[str]) -> EmbeddingError:
        failure = explain(
            error,
            host=self._host,
            model=self.name,
            seconds=self._timeout_seconds,
            expected="list of vectors",
            refusal=self._explain_refusal(error, inputs),
        )
        if failure.is_outage:
            return EmbeddingUnavailableError(failure.text)
        return TextTooLongError(failure.text) if _is_too_long(error) else EmbeddingError(failure.text)

    def _explain_refusal(self, error: Exception, inputs: Sequence[str]) -> str:
        if _is_too_long(error):
            return self._explain_length(max(inputs, key=len))
        return f"Check with `ollama show {self.name}` that it is an embedding model."

    def _explain_length(self, longest: str) -> str:
        return (
            f"The longest of these texts has {len(longest)} characters, by estimate {count_tokens(longest)} "
            f"tokens, and begins {longest[:_SHOWN_CHARACTERS]!r}; expected at most the "
            f"{self._model.context_tokens} tokens of the model's context. Take a model with a longer "
            "context (`brain models add`): how notes are cut into chunks cannot be configured."
        )

    @property
    def _source(self) -> str:
        return f"Ollama at {self._host}, model {self.name},"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbedModel:
    """Properties of a model that a server reports: the dimensions of a vector, and the tokens of its context (None: not reported)."""

    dimensions: int
    context_tokens: int | None


def probe_model(name: str, *, host: str, timeout_seconds: float) -> ProbedModel:
    """Ask a server for a model's context and for a vector, whose length counts.

    Raises:
        EmbeddingError: the server cannot be reached, has no such model, or it does not embed.
        ConfigurationError: the host is no address.
    """
    client = open_client(host)
    try:
        with call_time(timeout_seconds):
            shown = client.show(name)
            if shown.capabilities and "embedding" not in shown.capabilities:
                able = ", ".join(shown.capabilities)
                raise EmbeddingError(f"{name} can do {able} and not embedding; choose another model")
            context = context_length(shown.modelinfo or {})
            return ProbedModel(dimensions=_vector_length(client, name), context_tokens=context)
    except FAILURES as error:
        refusal = f"Check with `ollama show {name}` that it is an embedding model."
        failure = explain(error, host=host, model=name, seconds=timeout_seconds, expected="vector", refusal=refusal)
        raise EmbeddingError(failure.text) from error


def _vector_length(client: Client, name: str) -> int:
    embeddings = client.embed(model=name, input="hola", keep_alive=KEEP_ALIVE).embeddings
    if len(embeddings) != 1 or not embeddings[0]:
        raise ValueError(f"{len(embeddings)} vectors for one text")
    return len(embeddings[0])


def _announced_dimensions(version: str) -> int | None:
    """The numbers a model of version ``mrl-N`` gives, of which the registered dimensions are the first; None for others."""
    matryoshka = _MATRYOSHKA_VERSION.fullmatch(version)
    return int(matryoshka[1]) if matryoshka else None


def _given_dimensions(model: EmbeddingModel) -> int:
    given = _announced_dimensions(model.version) or model.dimensions
    if given < model.dimensions:
        raise EmbeddingError(
            f"model {model.name!r} of version {model.version!r} gives {given} dimensions; expected at least "
            f"the {model.dimensions} it is registered with. Register it with {given} or fewer."
        )
    return given


def _is_too_long(error: Exception) -> bool:
    return isinstance(error, ResponseError) and "context length" in str(error.error)


def _is_passing(error: Exception) -> bool:
    if isinstance(error, ResponseError):
        return error.status_code >= httpx.codes.INTERNAL_SERVER_ERROR
    return isinstance(error, (ConnectionError, httpx.NetworkError, httpx.RemoteProtocolError))


def _build(model: EmbeddingModel, settings: Settings, timeout_seconds: float) -> OllamaEmbedder:
    return OllamaEmbedder(model, host=settings.ollama_host, timeout_seconds=timeout_seconds)


def _complete(wanted: WantedModel, settings: Settings, timeout_seconds: float) -> UsualModel:
    probed = probe_model(wanted.name, host=settings.ollama_host, timeout_seconds=timeout_seconds)
    usual = usual_prefixes(wanted.name)
    return UsualModel(
        dimensions=_dimensions(wanted, probed.dimensions),
        version=_VERSION,
        context_tokens=_context_tokens(wanted, probed.context_tokens),
        weights=(0.5, 0.5),
        query_prefix=usual.query,
        document_prefix=usual.document,
    )


def _dimensions(wanted: WantedModel, given: int) -> int:
    """The dimensions to keep of those the server gives: all, or the first ones of a Matryoshka model."""
    announced = _announced_dimensions(wanted.version or "")
    if announced is not None and announced != given:
        raise InvalidInputError(
            f"{wanted.name} gives {given} dimensions, not the {announced} of version {wanted.version}; use mrl-{given}"
        )
    kept = wanted.dimensions or given
    if kept > given or (kept < given and announced is None):
        raise InvalidInputError(
            f"{wanted.name} gives {given} dimensions, not {kept}; leave --dimensions out, or, if it was trained so that its "
            f"first ones stand alone, add --version mrl-{given} and keep {given} or fewer"
        )
    if kept > MAX_DIMENSIONS:
        raise InvalidInputError(
            f"{wanted.name} gives {given} dimensions; at most {MAX_DIMENSIONS} can be kept. If it was trained so that its first "
            f"ones stand alone, add --version mrl-{given} --dimensions {MAX_DIMENSIONS}; else take another model"
        )
    return kept


def _context_tokens(wanted: WantedModel, given: int | None) -> int:
    if wanted.context_tokens is None:
        return min(given or _USUAL_CONTEXT_TOKENS, _USUAL_CONTEXT_TOKENS)
    if given is not None and wanted.context_tokens > given:
        raise InvalidInputError(
            f"{wanted.name} has a context of {given} tokens, not {wanted.context_tokens}; give --context-tokens {given} or fewer"
        )
    return wanted.context_tokens


def _find_fault(model: EmbeddingModel, settings: Settings, timeout_seconds: float) -> str | None:
    return find_fault(settings.ollama_host, model.name, capability="embedding", timeout_seconds=timeout_seconds)


def _fetch_held_bytes(model: EmbeddingModel, settings: Settings, timeout_seconds: float) -> int | None:
    return fetch_loaded_bytes(settings.ollama_host, model.name, timeout_seconds=timeout_seconds)


EMBEDDING_PROVIDERS.register("ollama")(
    EmbeddingProvider(
        build=_build,
        complete=_complete,
        find_fault=_find_fault,
        fetch_held_bytes=_fetch_held_bytes,
        is_in_process=False,
        rename="`ollama cp {name} OTHER` and register OTHER",
    )
)
