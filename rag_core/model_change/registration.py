"""Registering a model: what is not given is asked of the server or usual for the provider, and everything is tried once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rag_core.embedding import EMBEDDING_PROVIDERS, build_embedder, provider_of
from rag_core.errors import ConflictError, InvalidInputError
from rag_core.model.embedding import MAX_DIMENSIONS, EmbeddingModel, WantedModel, candidate, columns_of
from rag_core.settings import Settings
from rag_core.storage.database import Database
from rag_core.storage.models import find_model, insert_model

PROBE_SECONDS = 120.0
"""A server loads a model on the first call, which takes longer than any call after it."""
_SAMPLE = "Una nota para probar el modelo."


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """The model as it stands in the registry, and whether it was put there now."""

    model: EmbeddingModel
    is_new: bool


def register_model(database: Database, wanted: WantedModel, *, settings: Settings) -> Registration:
    """Register a candidate that gave vectors just now; the same again changes nothing.

    Raises:
        InvalidInputError: a value is out of bounds, or not what the server says of the model.
        EmbeddingError: the provider cannot be asked, or gave something else than the vectors it should.
        ConflictError: the name stands for other values already.
    """
    model = complete(wanted, settings=settings)
    embedder = build_embedder(model, settings=settings, timeout_seconds=PROBE_SECONDS)
    embedder.embed([_SAMPLE], role="query")
    embedder.embed([_SAMPLE], role="document")
    with database.owner() as connection:
        is_new = insert_model(connection, columns_of(model))
        stored = find_model(connection, model.name).model
    differing = {name: value for name, value in columns_of(stored).items() if value != columns_of(model)[name]}
    if differing:
        raise ConflictError(_explain_conflict(stored, differing, columns_of(model)))
    return Registration(model=stored, is_new=is_new)


def complete(wanted: WantedModel, *, settings: Settings) -> EmbeddingModel:
    """The model with everything that was not given; asks the model's server, if it has one.

    Raises:
        InvalidInputError, EmbeddingError: see ``register_model``.
    """
    named = replace(wanted, name=wanted.name.strip().removesuffix(":latest"))
    if not named.name or any(character.isspace() for character in named.name):
        raise InvalidInputError(f"{wanted.name!r} is no name for a model; expected one without white space")
    model = candidate(named, EMBEDDING_PROVIDERS.get(named.provider).complete(named, settings, PROBE_SECONDS))
    _check(model)
    return model


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


def _explain_conflict(stored: EmbeddingModel, differing: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    values = "; ".join(f"{name} {value!r}, not {asked[name]!r}" for name, value in differing.items())
    other = provider_of(stored).rename.format(name=stored.name)
    return (
        f"{stored.name} is registered with {values}. Vectors made with other values cannot be compared, so a model is never "
        f"changed: {other}"
    )
