"""The last step of a search: its candidates read from their notes, with the sentences around them."""

from collections.abc import Sequence

from rag_core.configuration.schema import RetrievalConfig
from rag_core.errors import DeadlineExceededError, QueryFailedError, RagError
from rag_core.model.note import ChunkId
from rag_core.retrieval.expansion import Expanded, Fused, expand, reading_ms
from rag_core.retrieval.request import PlannedSearch
from rag_core.runtime.cache import Cache, ContextKey, Found, cached_windows
from rag_core.storage.database import Database
from rag_core.storage.search import WindowText, fetch_windows


def read_passages(
    request: PlannedSearch,
    ranked: list[Fused],
    failures: dict[str, RagError],
    *,
    database: Database,
    cache: Cache[ContextKey, WindowText | None],
    found: Sequence[ChunkId],
    served: int,
) -> Expanded:
    """The hits in their windows; the bare chunks when the windows cannot be read, and then ``failures`` holds the error."""

    def read(windows: Sequence[Found]) -> dict[int, WindowText]:
        return fetch_windows(database, request.tenant, windows, timeout_ms=reading_ms(request.deadline))

    def read_cached(windows: Sequence[Found]) -> dict[int, WindowText]:
        return cached_windows(
            cache,
            request.tenant,
            windows,
            read,
            corpus_version=request.version or "",
            departments=database.departments,
        )

    def run(config: RetrievalConfig) -> Expanded:
        return expand(
            database,
            request.tenant,
            request.query,
            ranked,
            found=found,
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
