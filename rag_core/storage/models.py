"""The registry of embedding models: which there are, in which state, how complete their vectors are, and which is active.

A promotion holds the lock ``brain.active_model``; whoever writes vectors of a model shares it for the length of a
transaction (``hold_model``), so that nobody writes for a model that was demoted or retired a moment before.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

from rag_core.errors import DatabaseSetupError, ModelChangedError, NotFoundError
from rag_core.model.embedding import EmbeddingModel, ModelState
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection, Database
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_value

_LOCK_WAIT = "5s"
"""Limit of a promotion's wait for its lock; new writers queue behind it, so it gives way and tries again."""
FEW_VECTORS = 100
"""Vectors that may be computed while publications wait: a tenth of a second of the embedded model, a second or two of a server."""
RENAMED_NOTES = 1_000
_COLUMNS = (
    "id",
    "name",
    "provider",
    "version",
    "dimensions",
    "query_prefix",
    "document_prefix",
    "context_tokens",
    "similarity_threshold",
    "fusion_method",
    "semantic_weight",
    "fulltext_weight",
    "searched_vectors",
    "state",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredModel:
    """A model with the moments of its last promotion and of its retirement."""

    model: EmbeddingModel
    promoted_at: datetime | None
    retired_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorCounts:
    """A tenant's live chunks, and how many of them have each kind of a model's vectors."""

    chunks: int
    standard: int
    contextual: int

    @property
    def missing(self) -> int:
        """Vectors to come; 0 when every chunk has both."""
        return 2 * self.chunks - self.standard - self.contextual


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPromotion:
    """Result of an attempt to promote: done, or undone because the model changed meanwhile or still lacked vectors."""

    is_done: bool
    missing: Mapping[TenantId, int] = field(default_factory=dict)
    obstacle: str = ""


def fetch_active_model(connection: Connection) -> EmbeddingModel:
    """The model that queries are embedded with.

    Raises:
        DatabaseSetupError: no model is active.
    """
    row = connection.execute(query("active_model")).fetchone()
    if row is None:
        raise DatabaseSetupError("no embedding model is active; promote one with `brain models promote NAME`")
    return _model(row)


def list_models(connection: Connection) -> list[RegisteredModel]:
    """All models, in the order they were registered."""
    rows = connection.execute(query("list_models")).fetchall()
    return [RegisteredModel(model=_model(row[:-2]), promoted_at=row[-2], retired_at=row[-1]) for row in rows]


def find_model(connection: Connection, name: str) -> RegisteredModel:
    """The model of that name.

    Raises:
        NotFoundError: none is registered under it.
    """
    models = list_models(connection)
    for registered in models:
        if registered.model.name == name:
            return registered
    known = ", ".join(registered.model.name for registered in models)
    raise NotFoundError(
        f"no embedding model is called {name!r} (there is: {known}); register it with `brain models add`"
    )


def insert_model(connection: Connection, values: Mapping[str, Any]) -> bool:
    """Register a candidate; False when the name is taken. ``values`` are its columns but for id and state."""
    return connection.execute(query("insert_model"), values).fetchone() is not None


def has_unused_model(connection: Connection) -> bool:
    """True while the one model is the first of a database without vectors. For the owner's connection."""
    row = connection.execute(query("has_unused_model")).fetchone()
    return row is not None and bool(row[0])


def replace_unused_model(connection: Connection, values: Mapping[str, Any]) -> None:
    """Put another model in the place of the first one of a database without vectors. For the owner's connection."""
    with connection.transaction():
        connection.execute(query("lock_active_model"))
        connection.execute(query("replace_unused_model"), values)


def change_state(connection: Connection, model_id: int, *, to: ModelState, among: Sequence[ModelState]) -> bool:
    """Put the model into a state if it is in one of ``among``; whether it was."""
    parameters = {"model": model_id, "state": to, "among": list(among)}
    return connection.execute(query("change_model_state"), parameters).fetchone() is not None


def set_similarity_threshold(connection: Connection, model: EmbeddingModel, threshold: float | None) -> None:
    """Keep another similarity threshold with a model; None is none. For the owner's connection.

    Raises:
        NotFoundError: the model is not registered any more.
    """
    parameters = {"model": model.id, "name": model.name, "threshold": threshold}
    if connection.execute(query("set_similarity_threshold"), parameters).fetchone() is None:
        raise NotFoundError(
            f"{model.name} is not registered any more as it was; a backup was restored meanwhile. Run it again"
        )


def count_vectors_by_tenant(connection: Connection, model_id: int) -> dict[TenantId, VectorCounts]:
    """Count the model's vectors for every tenant that has chunks; for the owner's connection."""
    rows = connection.execute(query("count_model_vectors"), {"model": model_id}).fetchall()
    return {
        TenantId(tenant): VectorCounts(chunks=chunks, standard=standard, contextual=contextual)
        for tenant, chunks, standard, contextual in rows
        if chunks
    }


def hold_model(connection: Connection, model: EmbeddingModel) -> ModelState:
    """Make promotions and retirements wait until the caller's transaction ends; the state the model is in until then.

    To be called first in a transaction, before a note is locked: a promotion locks the notes after this.

    Raises:
        ModelChangedError: see ``fetch_state``.
    """
    connection.execute(query("share_active_model"))
    return fetch_state(connection, model)


def fetch_state(connection: Connection, model: EmbeddingModel) -> ModelState:
    """The state that a registered model is in.

    Raises:
        ModelChangedError: a restore has put other models in the registry's place.
    """
    for registered in list_models(connection):
        if registered.model.has_same_vectors_as(model):
            return registered.model.state
    raise ModelChangedError(
        f"{model.name} is not registered any more as it was; a backup was restored meanwhile. Run it again"
    )


def promote_model(
    database: Database,
    model_id: int,
    *,
    instead_of: int,
    complete: Callable[[], None] = lambda: None,
) -> ModelPromotion:
    """Make a model the active one, and the active one ready, in one transaction; or change nothing and say why.

    Every live chunk of every tenant must have both vectors at that moment. What a few of them lack can be made by ``complete``,
    because nothing is published meanwhile; it must not wait for ``hold_model``.
    """
    with database.owner() as connection:
        try:
            with connection.transaction():
                _hold_everybody_off(connection)
                _require_vectors(connection, model_id, complete)
                return _promote(connection, model_id, instead_of)
        except _UnfitError as error:
            return error.promotion
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
            return ModelPromotion(
                is_done=False, obstacle=f"other writers were in the way: {error.diag.message_primary}"
            )


class _UnfitError(Exception):
    """Rolls a promotion back."""

    def __init__(self, promotion: ModelPromotion) -> None:
        super().__init__(promotion.obstacle)
        self.promotion = promotion


def _hold_everybody_off(connection: Connection) -> None:
    connection.execute("select set_config('lock_timeout', %s, true)", (_LOCK_WAIT,))
    connection.execute(query("lock_active_model"))


def _require_vectors(connection: Connection, model_id: int, complete: Callable[[], None]) -> None:
    missing = _missing(connection, model_id)
    if 0 < sum(missing.values()) <= FEW_VECTORS:
        complete()
        missing = _missing(connection, model_id)
    if missing:
        raise _UnfitError(ModelPromotion(is_done=False, missing=missing, obstacle="vectors are missing"))


def _missing(connection: Connection, model_id: int) -> dict[TenantId, int]:
    counts = count_vectors_by_tenant(connection, model_id)
    return {tenant: count.missing for tenant, count in counts.items() if count.missing}


def _promote(connection: Connection, model_id: int, instead_of: int) -> ModelPromotion:
    if not change_state(connection, instead_of, to="ready", among=["active"]):
        raise _UnfitError(ModelPromotion(is_done=False, obstacle="another model was promoted meanwhile"))
    if not change_state(connection, model_id, to="active", among=["backfilling", "ready"]):
        raise _UnfitError(ModelPromotion(is_done=False, obstacle="the model was retired meanwhile"))
    return ModelPromotion(is_done=True)


def rename_fingerprints(
    database: Database, tenants: Sequence[TenantId], model: EmbeddingModel, fingerprints: Mapping[str, str]
) -> int:
    """Count the notes of one pipeline as another's, as long as the model is active; how many there were.

    ``fingerprints`` leads from the pipeline's with the former model to those with this one: notes keep their chunks and are not
    stale. A thousand notes a transaction, so that nobody waits long; a note left out is stale, and is indexed from what there
    is of it.
    """
    with database.owner() as connection:
        return sum(_rename_notes(connection, tenant, model, fingerprints) for tenant in tenants)


def _rename_notes(
    connection: Connection, tenant: TenantId, model: EmbeddingModel, fingerprints: Mapping[str, str]
) -> int:
    renamed, after = 0, UUID(int=0)
    while True:
        parameters = {
            "tenant": tenant,
            "old": list(fingerprints),
            "new": list(fingerprints.values()),
            "after": after,
            "limit": RENAMED_NOTES,
        }
        with connection.transaction():
            if hold_model(connection, model) != "active":
                return renamed
            page = connection.execute(query("rename_fingerprints"), parameters).fetchone()
        if page is None:
            return renamed
        after, count = page
        renamed += count


def take_into_work(connection: Connection, model_id: int) -> bool:
    """Have a candidate's or a retired model's vectors made from now on; False while a retirement removes what it has."""
    with connection.transaction():
        if connection.execute(query("share_removal"), {"model": model_id}).fetchone() != (True,):
            return False
        change_state(connection, model_id, to="backfilling", among=["candidate", "retired"])
    return True


def retire_model(connection: Connection, model_id: int, *, seconds: float) -> bool:
    """Put a model out of use unless it is active or was until less than ``seconds`` ago; whether it is out of use.

    Waits for whoever is writing its vectors; nobody writes any afterwards, nor takes it into work again before the connection
    ends. For the owner's connection.
    """
    connection.execute(query("keep_model_for_removal"), {"model": model_id})
    with connection.transaction():
        connection.execute(query("lock_active_model"))
        row = connection.execute(query("retire_model"), {"model": model_id, "seconds": seconds}).fetchone()
    return row is not None


def seconds_since_promotion(connection: Connection) -> float | None:
    """Return the seconds since the active model was promoted, by the server's clock; None when it never was."""
    seconds: float | None = fetch_value(connection, "seconds_since_promotion")
    return seconds


def _model(row: Sequence[Any]) -> EmbeddingModel:
    return EmbeddingModel(**dict(zip(_COLUMNS, row, strict=True)))
