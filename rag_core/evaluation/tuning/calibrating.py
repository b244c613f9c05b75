"""The calibration of a registered embedding model: recorded on a golden set, kept in the registry."""

from collections.abc import Callable

from rag_core.errors import InvalidInputError
from rag_core.evaluation.tuning.record import fetch_queries, record
from rag_core.evaluation.tuning.replay import Replay
from rag_core.evaluation.tuning.thresholds import Calibration, calibrate
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.models import set_similarity_threshold

_WITH_VECTORS = ("backfilling", "ready", "active")


def calibrate_model(
    engine: Engine,
    tenant: TenantId,
    *,
    set_name: str,
    timeout_ms: int,
    on_progress: Callable[[str, int, int], None] = lambda _stage, _done, _total: None,
) -> Calibration:
    """Calibrate the engine's embedding model on a golden set of a tenant. Nothing is stored.

    Raises:
        InvalidInputError: the model has no vectors, the set is unknown, or it finds too few relevant notes.
    """
    if engine.model.state not in _WITH_VECTORS:
        raise InvalidInputError(
            f"{engine.model.name} is {engine.model.state} and has no vectors; make them with brain models backfill "
            f"{engine.model.name}"
        )
    served = engine.served(tenant)
    queries = fetch_queries(engine.database, tenant, set_name)
    done = iter(range(1, len(queries) + 1))
    recording = record(
        engine,
        tenant,
        queries,
        config=served.config,
        timeout_ms=timeout_ms,
        on_progress=lambda: on_progress("recording", next(done), len(queries)),
    )
    return calibrate(Replay(recording=recording), served.config, weights=served.weights)


def store_threshold(engine: Engine, threshold: float | None) -> None:
    """Keep a threshold with the engine's model, for every tenant; a running server serves it a second later.

    Raises:
        NotFoundError: the model is not registered any more.
    """
    with engine.database.owner() as connection:
        set_similarity_threshold(connection, engine.model, threshold)
