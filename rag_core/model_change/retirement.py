"""Retirement: a model's vectors and its index go, a bit at a time; its line in the registry stays."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from rag_core.embedding.active import CHECK_SECONDS
from rag_core.errors import ModelStateError
from rag_core.model.embedding import EmbeddingModel
from rag_core.storage.batches import list_tenants
from rag_core.storage.database import Connection, Database
from rag_core.storage.model_vectors import delete_cached_vectors, delete_model_vectors
from rag_core.storage.models import find_model, retire_model, seconds_since_promotion
from rag_core.storage.vector_index import drop_vector_index

QUIET_SECONDS = 60
"""Time after a promotion for which the former model's vectors are kept: longer than a request or the loading of a model."""
NOTICE_SECONDS = 2 * CHECK_SECONDS
"""Time between the decision and the first deletion, in which searches by the model are refused instead of finding half of it."""
DELETE_ROWS = 5_000

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetirementReport:
    """Live and cached vectors removed, and whether there was an index."""

    name: str
    vectors: int
    cached: int
    had_index: bool


def retire(
    database: Database,
    name: str,
    *,
    on_progress: Progress = lambda _vectors: None,
    sleep: Callable[[float], None] = time.sleep,
) -> RetirementReport:
    """Put a model out of use and remove its vectors and its index; a retirement that was broken off is ended.

    One connection keeps the model from being taken into work until all of it is gone.

    Cached vectors do not name their model: they go when no other model that is in use has as many dimensions, and else with
    their notes.

    Raises:
        NotFoundError: no model has that name.
        ModelStateError: it is active, or was a minute ago.
    """
    with database.owner() as connection:
        before = find_model(connection, name).model
        if not retire_model(connection, before.id, seconds=QUIET_SECONDS):
            raise ModelStateError(_explain_refusal(before, seconds_since_promotion(connection)))
        if before.state != "retired":
            sleep(NOTICE_SECONDS)
        return RetirementReport(
            name=name,
            had_index=drop_vector_index(database, before),
            vectors=_delete(database, connection, before, on_progress),
            cached=_delete_cached(database, connection, before.dimensions),
        )


def _explain_refusal(model: EmbeddingModel, since_promotion: float | None) -> str:
    if model.state == "active":
        return f"{model.name} is active; promote another model first: `brain models list` shows which is ready"
    left = max(1, round(QUIET_SECONDS - (since_promotion or 0)))
    return (
        f"a model was promoted {since_promotion or 0:.0f} s ago, and searches by {model.name} may still be under way; try "
        f"again in {left} s"
    )


def _delete(database: Database, connection: Connection, model: EmbeddingModel, on_progress: Progress) -> int:
    deleted = 0
    for tenant in list_tenants(database):
        while count := delete_model_vectors(connection, tenant, model.id, limit=DELETE_ROWS):
            deleted += count
            on_progress(count)
    return deleted


def _delete_cached(database: Database, connection: Connection, dimensions: int) -> int:
    deleted = 0
    for tenant in list_tenants(database):
        while count := delete_cached_vectors(connection, tenant, dimensions, limit=DELETE_ROWS):
            deleted += count
    return deleted
