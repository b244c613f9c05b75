"""A plugin that adds one of each kind; a copy of it is what the tests install."""

import itertools
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rag_core.chat import CHAT_PROVIDERS, ChatProvider, Message
from rag_core.chunking import CHUNKERS, Chunker, ChunkSpan, estimate_tokens
from rag_core.embedding import EMBEDDING_PROVIDERS, EmbeddingProvider
from rag_core.model.answer_reading import AnswerReading
from rag_core.model.embedding import EmbeddingModel, EmbeddingRole, FloatMatrix, UsualModel, WantedModel
from rag_core.model.metrics.registry import AnswerMetric, Metric, register
from rag_core.model.note import Span
from rag_core.model.retrieval import QueryStatistics
from rag_core.reranking import RERANKERS, Candidate, RerankerParts, RerankerProvider
from rag_core.resilience.cancellation import Cancellation
from rag_core.settings import Settings


def line_spans(
    text: str, sentences: Sequence[Span], *, max_tokens: int, overlap_tokens: int, min_tokens: int
) -> list[ChunkSpan]:
    ends = [at + 1 for at, character in enumerate(text) if character == "\n"]
    bounds = [0, *ends, len(text)]
    return [
        ChunkSpan(start=start, end=end, token_count=estimate_tokens(end - start))
        for start, end in itertools.pairwise(bounds)
        if start < end
    ]


CHUNKERS.register("lines")(Chunker(spans=line_spans, version="1"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortestFirst:
    name: str = "shortest"

    def score(
        self,
        query: str,
        candidates: Sequence[Candidate],
        *,
        statistics: QueryStatistics,
        timeout_seconds: float,
        cancellation: Cancellation | None = None,
    ) -> list[float]:
        return [1 / (1 + len(candidate.content)) for candidate in candidates]


def build_reranker(parts: RerankerParts) -> ShortestFirst:
    return ShortestFirst()


RERANKERS.register("shortest")(RerankerProvider(build=build_reranker, is_in_process=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Letters:
    name: str
    dimensions: int

    def embed(self, texts: Sequence[str], *, role: EmbeddingRole) -> FloatMatrix:
        counts = [[1 + text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]
        vectors = np.array(counts, dtype=np.float32).reshape(len(texts), self.dimensions)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def build_embedder(model: EmbeddingModel, settings: Settings, timeout_seconds: float) -> Letters:
    return Letters(name=model.name, dimensions=model.dimensions)


def complete_model(wanted: WantedModel, settings: Settings, timeout_seconds: float) -> UsualModel:
    return UsualModel(dimensions=26, version="1", context_tokens=1_000_000, weights=(0.5, 0.5))


EMBEDDING_PROVIDERS.register("letters")(
    EmbeddingProvider(build=build_embedder, complete=complete_model, is_in_process=True, knows_meaning=False)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parrot:
    name: str

    def complete(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        cancellation: Cancellation | None = None,
    ) -> str:
        return "El loro Paco repite: la caldera se revisa en mayo [1]."

    def stream(
        self,
        messages: Sequence[Message],
        *,
        timeout_seconds: float,
        max_tokens: int | None = None,
        temperature: float = 0.0,
        cancellation: Cancellation | None = None,
    ) -> Generator[str]:
        yield self.complete(messages, timeout_seconds=timeout_seconds)

    def fetch_free_tokens(self, messages: Sequence[Message], *, answer_tokens: int) -> int:
        return 2000


def build_chat(name: str, settings: Settings, timeout_seconds: float) -> Parrot:
    return Parrot(name=name)


CHAT_PROVIDERS.register("parrots")(ChatProvider(build=build_chat))

register(Metric(name="patience", titles={"en": "Patience"}, formula="1", figure=lambda result: 1.0))


def brevity(reading: AnswerReading) -> float:
    return 1 / (1 + len(reading.answer.text))


register(AnswerMetric(name="short_and_sweet", titles={"en": "Brevity"}, formula="1 / (1 + characters)", figure=brevity))
