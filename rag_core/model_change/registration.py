"""Registering a model: what is not given is asked of the server or usual for the provider, and everything is tried once."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from rag_core.embedding import build_embedder
from rag_core.embedding.prefixes import usual_prefixes
from rag_core.errors import ConflictError, InvalidInputError
from rag_core.model.embedding import EmbeddingModel
from rag_core.storage.database import Database
from rag_core.storage.models import find_model, insert_model

PROBE_SECONDS = 120.0
"""A server loads a model on the first call, which takes longer than any call after it."""
MAX_DIMENSIONS = 4096
USUAL_CONTEXT_TOKENS = 8192
"""A longer context is not asked for unless it is given: the server keeps memory for all of it, and chunks are short."""
OLLAMA_VERSION = "1"
_NO_COLUMNS = {"id", "state"}
_SAMPLE = "Una nota para probar el modelo."


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedModel:
    """A model as somebody asks for it; what is None is found out."""

    name: str
    provider: Literal["hashing", "ollama"]
    dimensions: int | None = None
    version: str | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None
    context_tokens: int | None = None
    similarity_threshold: float | None = None
    fusion_method: Literal["rrf", "relative_score"] | None = None
    semantic_weight: float | None = None
    fulltext_weight: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """The model as it stands in the registry, and whether it was put there now."""

    model: EmbeddingModel
    is_new: bool


def register_model(database: Database, wanted: WantedModel, *, ollama_host: str) -> Registration:
    """Register a candidate that gave vectors just now; the same again changes nothing.

    Raises:
        InvalidInputError: a value is out of bounds, or not what the server says of the model.
        EmbeddingError: the provider cannot be asked, or gave something else than the vectors it should.
        ConflictError: the name stands for other values already.
    """
    model = complete(wanted, ollama_host=ollama_host)
    embedder = build_embedder(model, ollama_host=ollama_host, timeout_seconds=PROBE_SECONDS)
    embedder.embed([_SAMPLE], role="query")
    embedder.embed([_SAMPLE], role="document")
    with database.owner() as connection:
        is_new = insert_model(connection, _columns(model))
        stored = find_model(connection, model.name).model
    differing = {name: value for name, value in _columns(stored).items() if value != _columns(model)[name]}
    if differing:
        raise ConflictError(_explain_conflict(stored, differing, _columns(model)))
    return Registration(model=stored, is_new=is_new)


def complete(wanted: WantedModel, *, ollama_host: str) -> EmbeddingModel:
    """The model with everything that was not given; asks the server of an Ollama model.

    Raises:
        InvalidInputError, EmbeddingError: see ``register_model``.
    """
    named = replace(wanted, name=wanted.name.strip().removesuffix(":latest"))
    if not named.name or any(character.isspace() for character in named.name):
        raise InvalidInputError(f"{wanted.name!r} is no name for a model; expected one without white space")
    model = _hashing(named) if named.provider == "hashing" else _ollama(named, ollama_host)
    _check(model)
    return model


def _hashing(wanted: WantedModel) -> EmbeddingModel:
    from rag_core.embedding.hashing import DEFAULT_DIMENSIONS, HASHING_VERSION

    return _model(
        wanted,
        dimensions=wanted.dimensions or DEFAULT_DIMENSIONS,
        version=wanted.version or HASHING_VERSION,
        prefixes=("", ""),
        context_tokens=wanted.context_tokens or 1_000_000,
        weights=(0.25, 0.75),
    )


def _ollama(wanted: WantedModel, host: str) -> EmbeddingModel:
    from rag_core.embedding.ollama import probe_model

    probed = probe_model(wanted.name, host=host, timeout_seconds=PROBE_SECONDS)
    usual = usual_prefixes(wanted.name)
    return _model(
        wanted,
        dimensions=_dimensions(wanted, probed.dimensions),
        version=wanted.version or OLLAMA_VERSION,
        prefixes=(usual.query, usual.document),
        context_tokens=_context_tokens(wanted, probed.context_tokens),
        weights=(0.5, 0.5),
    )


def _model(
    wanted: WantedModel,
    *,
    dimensions: int,
    version: str,
    prefixes: tuple[str, str],
    context_tokens: int,
    weights: tuple[float, float],
) -> EmbeddingModel:
    return EmbeddingModel(
        id=0,
        name=wanted.name,
        provider=wanted.provider,
        version=version,
        dimensions=dimensions,
        query_prefix=prefixes[0] if wanted.query_prefix is None else wanted.query_prefix,
        document_prefix=prefixes[1] if wanted.document_prefix is None else wanted.document_prefix,
        context_tokens=context_tokens,
        similarity_threshold=wanted.similarity_threshold,
        fusion_method=wanted.fusion_method or "relative_score",
        semantic_weight=weights[0] if wanted.semantic_weight is None else wanted.semantic_weight,
        fulltext_weight=weights[1] if wanted.fulltext_weight is None else wanted.fulltext_weight,
        uses_contextual=True,
        state="candidate",
    )


def _dimensions(wanted: WantedModel, given: int) -> int:
    """The dimensions to keep of those the server gives: all, or the first ones of a Matryoshka model."""
    from rag_core.embedding.ollama import given_dimensions

    announced = given_dimensions(wanted.version or "")
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
        return min(given or USUAL_CONTEXT_TOKENS, USUAL_CONTEXT_TOKENS)
    if given is not None and wanted.context_tokens > given:
        raise InvalidInputError(
            f"{wanted.name} has a context of {given} tokens, not {wanted.context_tokens}; give --context-tokens {given} or fewer"
        )
    return wanted.context_tokens


def _check(model: EmbeddingModel) -> None:
    bounds = {
        "--dimensions": (model.dimensions, 1, MAX_DIMENSIONS),
        "--context-tokens": (model.context_tokens, 1, 10_000_000),
        "--similarity-threshold": (model.similarity_threshold, 0, 1),
        "--semantic-weight": (model.semantic_weight, 0, 1),
        "--fulltext-weight": (model.fulltext_weight, 0, 1),
    }
    for option, (value, least, most) in bounds.items():
        if value is not None and not least <= value <= most:
            raise InvalidInputError(f"{option} is {value}; expected {least} to {most}")
    if not model.semantic_weight + model.fulltext_weight > 0:
        raise InvalidInputError("both weights are 0; expected at least one above it")


def _columns(model: EmbeddingModel) -> Mapping[str, Any]:
    return {item.name: getattr(model, item.name) for item in fields(model) if item.name not in _NO_COLUMNS}


def _explain_conflict(stored: EmbeddingModel, differing: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    values = "; ".join(f"{name} {value!r}, not {asked[name]!r}" for name, value in differing.items())
    other = (
        f"`ollama cp {stored.name} OTHER` and register OTHER"
        if stored.provider == "ollama"
        else "register it under another name"
    )
    return (
        f"{stored.name} is registered with {values}. Vectors made with other values cannot be compared, so a model is never "
        f"changed: {other}"
    )
