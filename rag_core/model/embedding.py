"""Embedding models and the vectors they make."""

import hashlib
import json
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

FloatMatrix = NDArray[np.float32]
"""Vectors as rows, shape (texts, dimensions)."""
EmbeddingKind = Literal["standard", "contextual"]
SearchedVectors = Literal["standard", "contextual", "sentences"]
"""Vectors of a chunk that a query is compared with. With ``sentences`` the standard one holds a vector of each sentence, one after
another; what counts is the mean of the similarities to the nearest sentence and to the contextual vector."""
MAX_STORED_NUMBERS = 16_000
"""Numbers of the longest ``vector`` of pgvector."""
ModelFusion = Literal["rrf", "relative_score", "convex"]
"""Fusion methods that a model may be registered with."""
EmbeddingRole = Literal["document", "query"]

MAX_DIMENSIONS = 4096
"""The most that a model may be registered with."""
ModelState = Literal["candidate", "backfilling", "ready", "active", "retired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """A row of the registry.

    ``version`` is that of the algorithm: vectors of two versions are not comparable. An Ollama model of
    version ``mrl-N`` (Matryoshka) gives N numbers, of which the first ``dimensions`` are kept.
    ``similarity_threshold`` is None where no similarity tells relevant from irrelevant; ``fusion_method`` and
    the weights are the ones that measured best.
    """

    id: int
    name: str
    provider: str
    version: str
    dimensions: int
    query_prefix: str
    document_prefix: str
    context_tokens: int
    similarity_threshold: float | None
    fusion_method: ModelFusion
    semantic_weight: float
    fulltext_weight: float
    searched_vectors: SearchedVectors
    state: ModelState

    def is_same_as(self, other: "EmbeddingModel") -> bool:
        """Tell whether both are one model used in one way, in whatever states; after a restore an id may be another model's."""
        return replace(self, state=other.state) == other

    def has_same_vectors_as(self, other: "EmbeddingModel") -> bool:
        """Tell whether both give the same vectors, even if one was calibrated anew."""
        return replace(self, similarity_threshold=other.similarity_threshold).is_same_as(other)


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedModel:
    """A model as somebody asks for it; what is None is found out."""

    name: str
    provider: str
    dimensions: int | None = None
    version: str | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None
    context_tokens: int | None = None
    similarity_threshold: float | None = None
    fusion_method: ModelFusion | None = None
    semantic_weight: float | None = None
    fulltext_weight: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsualModel:
    """Default values of a model's registration; weights of the semantic leg and of full text."""

    dimensions: int
    version: str
    context_tokens: int
    weights: tuple[float, float]
    query_prefix: str = ""
    document_prefix: str = ""
    fusion_method: ModelFusion = "relative_score"
    searched_vectors: SearchedVectors = "contextual"


def candidate(wanted: WantedModel, usual: UsualModel) -> EmbeddingModel:
    """The model to be registered: what is wanted, and what is usual where nothing is."""
    return EmbeddingModel(
        id=0,
        name=wanted.name,
        provider=wanted.provider,
        version=wanted.version or usual.version,
        dimensions=usual.dimensions,
        query_prefix=usual.query_prefix if wanted.query_prefix is None else wanted.query_prefix,
        document_prefix=usual.document_prefix if wanted.document_prefix is None else wanted.document_prefix,
        context_tokens=usual.context_tokens,
        similarity_threshold=wanted.similarity_threshold,
        fusion_method=wanted.fusion_method or usual.fusion_method,
        semantic_weight=usual.weights[0] if wanted.semantic_weight is None else wanted.semantic_weight,
        fulltext_weight=usual.weights[1] if wanted.fulltext_weight is None else wanted.fulltext_weight,
        searched_vectors=usual.searched_vectors,
        state="candidate",
    )


def columns_of(model: EmbeddingModel) -> dict[str, Any]:
    """Columns of a model in the registry, but for its id and state."""
    return {item.name: getattr(model, item.name) for item in fields(model) if item.name not in ("id", "state")}


def prefix_of(model: EmbeddingModel, role: EmbeddingRole) -> str:
    """Look up what the model wants before a text in this role; '' for most models."""
    return model.query_prefix if role == "query" else model.document_prefix


def input_hash(model: EmbeddingModel, *texts: str, role: EmbeddingRole) -> bytes:
    """SHA-256 over all that the vectors of ``texts`` depend on: 32 bytes, the key under which they are stored as one.

    Model name, version, dimensions, role, prefix and texts are hashed as one JSON array, whose quoting keeps
    the fields apart: no two different inputs are written alike.
    """
    parts = [model.name, model.version, model.dimensions, role, prefix_of(model, role), *texts]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).digest()
