"""The last step of a request: its candidates read from their notes, with the sentences around them."""

from collections.abc import Sequence

from rag_core.configuration.schema import RetrievalConfig
from rag_core.errors import DeadlineExceededError, QueryFailedError, RagError
from rag_core.retrieval.expansion import Expanded, Fused, expand, reading_ms
from rag_core.retrieval.request import Request
from rag_core.runtime.cache import Found, cached_windows
from rag_core.runtime.engine import Engine
from rag_core.storage.search import WindowText, fetch_windows


def read_passages(
    engine: Engine,
    request: Request,
    ranked: list[Fused],
    failures: dict[str, RagError],
    *,
    found: Sequence[Fused],
    served: int,
) -> Expanded:
    """The hits in their windows; the bare chunks when the windows cannot be read, and ``failures`` is told why."""

    def read(windows: Sequence[Found]) -> dict[int, WindowText]:
        return fetch_windows(engine.database, request.tenant, windows, timeout_ms=reading_ms(request.deadline))

    def read_cached(windows: Sequence[Found]) -> dict[int, WindowText]:
        return cached_windows(
            engine.caches.context,
            request.tenant,
            windows,
            read,
            corpus_version=request.version or "",
            departments=engine.database.departments,
        )

    def run(config: RetrievalConfig) -> Expanded:
        return expand(
            engine.database,
            request.tenant,
            request.query,
            ranked,
            found=[candidate.chunk_id for candidate in found],
            served=served,
            depth=request.depth,
            config=config,
            deadline=request.deadline,
            read_windows=read if request.version is None else read_cached,
        )

    try:
        return run(request.config)
    except (QueryFailedError, DeadlineExceededError) as error:
        failures["contextExpansion"] = error
        bare = request.config.context_expansion.model_copy(update={"enabled": False})
        return run(request.config.model_copy(update={"context_expansion": bare}))
