"""``POST /api/retrieve``: the passages that answer a query."""

from typing import Any

from fastapi import APIRouter, Request

from rag_core.api.access import Context, RequestContext
from rag_core.api.schemas import RetrieveRequest, RetrieveResponse, failures
from rag_core.api.searching import find, find_live, read_filters
from rag_core.api.streaming import searched
from rag_core.configuration.schema import configure, of_search
from rag_core.experiments.live_query import Answered
from rag_core.resilience.cancellation import Cancellation
from rag_core.wire.values import retrieval_to_wire

router = APIRouter(tags=["retrieval"])


@router.post(
    "/api/retrieve",
    response_model=RetrieveResponse,
    response_model_exclude_unset=True,
    responses=failures(400, 415, 500, 503, 504),
)
async def search(body: RetrieveRequest, request: Request, context: Context) -> Any:
    """Search the notes and return the best passages, each with the sentences around it.

    `config` is merged deeply over what is served; `topK` and `strategy` of the request win over it. `filters` hold
    for every result, in every leg. A degraded search still answers 200 and says so in `metadata.warnings`.

    A query that says neither `config` nor `strategy` may take part in an experiment; `metadata.experiment` is there then, and
    `POST /api/experiments/feedback` takes its `queryId`.
    """
    return await searched(request, lambda cancellation: _found(body, context, cancellation))


def _found(body: RetrieveRequest, context: RequestContext, cancellation: Cancellation) -> dict[str, Any]:
    filters = read_filters(context, body.filters)
    if not body.config and body.strategy is None:
        return _answered(find_live(context, body.query, top_k=body.top_k, filters=filters, cancellation=cancellation))
    base = context.served().config
    config = configure(of_search(body.config or {}), strategy=body.strategy, top_k=body.top_k, base=base)
    return retrieval_to_wire(find(context, body.query, config, filters, cancellation=cancellation))


def _answered(answered: Answered) -> dict[str, Any]:
    body, part = retrieval_to_wire(answered.retrieval), answered.participation
    if part is not None:
        body["metadata"]["experiment"] = {"queryId": str(part.query_id), "arm": part.arm}
    return body
