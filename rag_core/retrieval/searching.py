"""What each leg is asked for a request, by its configuration and by what is set up here."""

from collections.abc import Callable, Sequence

from rag_core.query.hyde import generate_hypothetical_answer, wants_hyde
from rag_core.retrieval.deadline import Deadline
from rag_core.retrieval.graph_paths import GraphHit, search_graph
from rag_core.retrieval.legs import LegResults, VectorSearch, search_legs
from rag_core.retrieval.ranking import graph_depth, leg_depth, similarity_threshold, vector_kind
from rag_core.retrieval.request import Request
from rag_core.runtime.engine import Engine

LEG_SHARE = 0.7
"""How much of a request's time the legs may take; the rest is for re-ranking and for reading what was found."""


def search(engine: Engine, request: Request) -> LegResults:
    """What every leg finds, all of them asked at once.

    Raises:
        DatabaseUnavailableError, DeadlineExceededError, RetrievalFailedError: no leg found out anything.
        SearchCancelledError: nobody waits any more; no leg is waited for.
    """
    config, is_hybrid = request.config, request.strategy not in {"semantic", "fulltext"}
    return search_legs(
        engine.database,
        engine.executors,
        request.tenant,
        request.searches,
        strategy=request.strategy,
        vectors=VectorSearch(
            model=engine.model,
            embedder=engine.query_embedder_of(request.tenant),
            kind=vector_kind(config, engine.model),
            threshold=similarity_threshold(config, engine.model),
        ),
        limit=leg_depth(config),
        deadline=request.deadline.share(LEG_SHARE),
        search_graph=_graph_search(engine, request) if is_hybrid else None,
        write_hypothesis=_hypothesis(engine, request) if request.strategy != "fulltext" else None,
        cancellation=request.cancellation,
    )


def _graph_search(engine: Engine, request: Request) -> Callable[[Deadline], Sequence[GraphHit]] | None:
    direction, graph = request.transformed.direction, request.config.graph_rag
    if direction is None or not graph.enabled or graph.weight == 0:
        return None
    return lambda deadline: search_graph(
        engine.database,
        request.tenant,
        request.query,
        language=request.language,
        direction=direction,
        config=graph,
        filters=request.filters,
        limit=graph_depth(request.config),
        timeout_ms=deadline.remaining_ms,
    )


def _hypothesis(engine: Engine, request: Request) -> Callable[[Deadline], str] | None:
    chat = engine.chat
    if chat is None or not wants_hyde(request.transformed, request.config.query_transformation):
        return None
    return lambda deadline: generate_hypothetical_answer(
        request.query,
        chat=chat,
        language=request.language,
        timeout_seconds=deadline.share(0.8).remaining_ms / 1000,
        cancellation=request.cancellation,
    )
