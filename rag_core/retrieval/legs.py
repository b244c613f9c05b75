"""The two legs of the search, both at once, each with its own connection and each allowed to fail alone."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field

from rag_core.embedding import Embedder, EmbeddingModel
from rag_core.errors import (
    DatabaseUnavailableError,
    DeadlineExceededError,
    RagError,
    RetrievalFailedError,
)
from rag_core.model import ChunkId, EmbeddingKind, Strategy, TenantId
from rag_core.retrieval.deadline import Deadline
from rag_core.storage.database import Database
from rag_core.storage.search import search_fulltext, search_semantic

Ranking = list[tuple[ChunkId, float]]

WITHOUT_SEMANTIC = "Búsqueda semántica no disponible, usando búsqueda por palabras clave"
WITHOUT_FULLTEXT = "Búsqueda por palabras clave no disponible, usando búsqueda semántica"
OUT_OF_TIME = "Búsqueda parcial completada (tiempo límite excedido)"


@dataclass(slots=True, kw_only=True)
class LegResults:
    """Rankings by leg; a leg that failed is absent and has left a warning."""

    rankings: dict[str, Ranking] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def search_legs(
    database: Database,
    executors: Mapping[str, Executor],
    tenant: TenantId,
    text: str,
    *,
    strategy: Strategy,
    model: EmbeddingModel,
    embedder: Embedder,
    kind: EmbeddingKind,
    threshold: float,
    limit: int,
    deadline: Deadline,
) -> LegResults:
    """Run the legs the strategy asks for.

    Raises:
        DatabaseUnavailableError: no leg had a connection.
        DeadlineExceededError: the time ran out before any leg was done.
        RetrievalFailedError: every leg failed for another reason.
    """

    def semantic() -> Ranking:
        vector = embedder.embed([text], role="query")[0]
        found = search_semantic(
            database, tenant, vector, model=model, kind=kind, limit=limit, timeout_ms=_leg_ms(deadline)
        )
        return [(chunk, score) for chunk, score in found if score >= threshold]

    def fulltext() -> Ranking:
        return search_fulltext(database, tenant, text, limit=limit, timeout_ms=_leg_ms(deadline))

    wanted: dict[str, Callable[[], Ranking]] = {}
    if strategy != "fulltext":
        wanted["semantic"] = semantic
    if strategy != "semantic":
        wanted["fulltext"] = fulltext
    return _gather({leg: executors[leg].submit(run) for leg, run in wanted.items()}, deadline)


def _leg_ms(deadline: Deadline) -> int:
    """A leg gives up a little before whoever waits for it, so that its own reason is heard."""
    return max(1, deadline.remaining_ms - 25)


def _gather(running: dict[str, Future[Ranking]], deadline: Deadline) -> LegResults:
    results = LegResults()
    failures: dict[str, Exception] = {}
    for leg, future in running.items():
        try:
            results.rankings[leg] = future.result(timeout=deadline.remaining_ms / 1000)
        except FutureTimeoutError:
            future.cancel()
            failures[leg] = DeadlineExceededError("the search leg ran out of time")
        except RagError as error:
            failures[leg] = error
    if failures and not results.rankings:
        raise _worst(list(failures.values()))
    results.warnings.extend(_warning(leg, error) for leg, error in failures.items())
    return results


def _warning(leg: str, error: Exception) -> str:
    if isinstance(error, DeadlineExceededError):
        return OUT_OF_TIME
    return WITHOUT_SEMANTIC if leg == "semantic" else WITHOUT_FULLTEXT


def _worst(failures: list[Exception]) -> Exception:
    for kind in (DatabaseUnavailableError, DeadlineExceededError):
        for failure in failures:
            if isinstance(failure, kind):
                return failure
    error = RetrievalFailedError("No se pudieron recuperar resultados. Por favor, intenta de nuevo.")
    error.__cause__ = failures[0]
    return error
