"""The calibration of a registered embedding model: recorded on a golden set, kept in the registry."""

from collections.abc import Callable

from rag_core.errors import InvalidInputError
from rag_core.evaluation.tuning.record import LegSearch, fetch_queries, record
from rag_core.evaluation.tuning.replay import Replay
from rag_core.evaluation.tuning.thresholds import Calibration, calibrate
from rag_core.model.embedding import EmbeddingModel
from rag_core.storage.database import Database
from rag_core.storage.models import set_similarity_threshold

_WITH_VECTORS = ("backfilling", "ready", "active")


def calibrate_model(
    searched: LegSearch,
    *,
    set_name: str,
    on_progress: Callable[[str, int, int], None] = lambda _stage, _done, _total: None,
) -> Calibration:
    """Calibrate the embedding model on a golden set. Nothing is stored.

    Raises:
        InvalidInputError: the model has no vectors, the set is unknown, or it finds too few relevant notes.
    """
    if searched.model.state not in _WITH_VECTORS:
        raise InvalidInputError(
            f"{searched.model.name} is {searched.model.state} and has no vectors; make them with brain models backfill "
            f"{searched.model.name}"
        )
    served = searched.served
    queries = fetch_queries(searched.database, searched.tenant, set_name)
    done = iter(range(1, len(queries) + 1))
    recording = record(
        searched,
        queries,
        config=served.config,
        on_progress=lambda: on_progress("recording", next(done), len(queries)),
    )
    return calibrate(Replay(recording=recording), served.config, weights=served.weights)


def store_threshold(database: Database, model: EmbeddingModel, threshold: float | None) -> None:
    """Keep a threshold with a model, for every tenant; a running server serves it a second later.

    Raises:
        NotFoundError: the model is not registered any more.
    """
    with database.owner() as connection:
        set_similarity_threshold(connection, model, threshold)
