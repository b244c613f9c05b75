"""The searches of the legs, by the request's configuration and by the models that are set up."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor

from rag_core.chat import ChatModel
from rag_core.embedding import Embedder, language_gap
from rag_core.model.embedding import EmbeddingModel
from rag_core.query.hyde import generate_hypothetical_answer, wants_hyde
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.graph_paths import GraphHit, search_graph
from rag_core.retrieval.legs import LegResults, VectorSearch, search_legs
from rag_core.retrieval.ranking import graph_depth, leg_depth, searched_vectors, similarity_threshold
from rag_core.retrieval.request import PlannedSearch
from rag_core.storage.database import Database

LEG_SHARE = 0.7
"""Share of a request's time for the legs; the rest is for re-ranking and reading."""


def search(
    request: PlannedSearch,
    *,
    database: Database,
    executors: Mapping[str, Executor],
    model: EmbeddingModel,
    embedder: Embedder,
    chat: ChatModel | None,
) -> LegResults:
    """Run all legs at once.

    Raises:
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: every leg failed.
        SearchCancelledError: it was cancelled; no leg is waited for.
    """
    config, is_hybrid = request.config, request.strategy not in {"semantic", "fulltext"}
    return search_legs(
        database,
        executors,
        request.tenant,
        request.searches,
        strategy=request.strategy,
        vectors=VectorSearch(
            model=model,
            embedder=embedder,
            searched=searched_vectors(config, model),
            threshold=similarity_threshold(config, model),
            language=request.language,
            language_gap=language_gap(model),
        ),
        limit=leg_depth(config),
        deadline=request.deadline.share(LEG_SHARE),
        search_graph=_graph_search(database, request) if is_hybrid else None,
        write_hypothesis=_hypothesis(chat, request) if request.strategy != "fulltext" else None,
        cancellation=request.cancellation,
    )


def _graph_search(database: Database, request: PlannedSearch) -> Callable[[Deadline], Sequence[GraphHit]] | None:
    direction, graph = request.transformed.direction, request.config.graph_rag
    if direction is None or not graph.enabled or graph.weight == 0:
        return None
    return lambda deadline: search_graph(
        database,
        request.tenant,
        request.query,
        language=request.language,
        direction=direction,
        config=graph,
        filters=request.filters,
        limit=graph_depth(request.config),
        timeout_ms=deadline.remaining_ms,
    )


def _hypothesis(chat: ChatModel | None, request: PlannedSearch) -> Callable[[Deadline], str] | None:
    if chat is None or not wants_hyde(request.transformed, request.config.query_transformation):
        return None
    return lambda deadline: generate_hypothetical_answer(
        request.query,
        chat=chat,
        language=request.language,
        timeout_seconds=deadline.share(0.8).remaining_ms / 1000,
        cancellation=request.cancellation,
    )
