"""``POST /api/v2/rag/chat``: a conversation whose last message is answered in German, in one body or as server-sent events.

A stream is analysis, sources, graph, message*, citations, done, or ends in error; every event is ``{type, data}``. What fails before
the first event is a response with a status, and ``success`` false beside ``error`` and ``details``.
"""

import json
from collections.abc import Callable, Coroutine, Generator, Iterable, Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute

from rag_core.answering.events import (
    AnswerEvent,
    AnswerFinished,
    AnswerOptions,
    AnswerRequest,
    QuestionUnderstood,
    SentenceReady,
    SourcesFound,
)
from rag_core.answering.sources.places import in_order_of_citation, placed
from rag_core.api.access import Context, RequestContext
from rag_core.api.asking import events_of, failure, finished, refusals_told, rest_of
from rag_core.api.errors import ExplainedError, failed_response
from rag_core.api.rag_v2.routed import GERMAN_FIRST, analysis_to_wire, graph_to_wire
from rag_core.api.rag_v2.schemas_search import ChatRequestV2, ChatResponseV2, FailureV2, RagOptions
from rag_core.api.schemas_answers import STREAM, question_failures
from rag_core.api.streaming import Event, awaited, streamed
from rag_core.chat import Message
from rag_core.errors import InvalidInputError, RagError
from rag_core.guardrails import RedactionPolicy
from rag_core.guardrails.policies import hiding, redaction_policy
from rag_core.model.answer import Answer, CheckedCitation, Source
from rag_core.resilience.cancellation import Cancellation
from rag_core.retrieval.routed import Routed, routed, routed_config
from rag_core.wire.answers import german_body, german_source, sentence_text, shown_sources

NO_QUESTION = "messages: die letzte Nachricht muss die Frage sein, mit der Rolle user"
OTHER_MODEL = "Das Modell „{asked}“ ist hier nicht eingerichtet; geantwortet hat {model}"


class ChatRoute(APIRoute):
    """A route whose refusals and failures say ``success`` false; what is no chat at all is refused like everywhere."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The framework's handler with failures told in the contract's shape."""
        handle = super().get_route_handler()

        async def handling(request: Request) -> Response:
            try:
                return await handle(request)
            except RagError as error:
                told = failed_response(request, error)
            body = {"success": False, **json.loads(bytes(told.body)), "warnings": []}
            kept = {name: told.headers[name] for name in ("retry-after", "www-authenticate") if name in told.headers}
            return JSONResponse(body, status_code=told.status_code, headers=kept)

        return handling


router = APIRouter(prefix="/api/v2/rag", tags=["rag v2"], route_class=ChatRoute)
_FAILURES = {status: {**told, "model": FailureV2} for status, told in question_failures(404).items()}


@router.post("/chat", response_model=ChatResponseV2, responses=STREAM | _FAILURES)
async def chat(body: ChatRequestV2, request: Request, context: Context) -> Any:
    """Answer the last message from documents alone, in German, in the light of those before it.

    With `stream` the answer comes as server-sent events, each `{type, data}`: `analysis`, `sources`, `graph`, then `message`
    (`data.content`), `citations` and `done`, whose `data` is the whole answer as it counts, as without `stream`. A failure on the way
    is `error`, and the last event.
    """
    if body.messages[-1].role != "user":
        raise ExplainedError(NO_QUESTION, kind=InvalidInputError)
    options = body.rag_options
    routing = routed(
        body.messages[-1].content,
        strategy=options.strategy,
        include_graph=options.include_graph_refinement,
        known=GERMAN_FIRST,
    )
    policy = redaction_policy("rag_v2", context.settings.guardrails_personal_data)

    def asked(cancellation: Cancellation) -> Generator[AnswerEvent, None, None]:
        question = _request(context, body, routing)
        with refusals_told("de"):
            yield from events_of(context, question, cancellation)

    if not body.stream:
        return await awaited(
            request, lambda cancellation: _body(finished(asked(cancellation)), routing, body.model, policy)
        )
    return await streamed(
        request,
        lambda cancellation: stream_events(asked(cancellation), routing, body.model, policy),
        on_failure=lambda error: _failed(request, error),
    )


def _request(context: RequestContext, body: ChatRequestV2, routing: Routed) -> AnswerRequest:
    options = body.rag_options
    config = routed_config(context.served().config, routing, limit=options.search_limit, rerank=options.rerank)
    return AnswerRequest(
        question=body.messages[-1].content,
        contract="rag_v2",
        user_hash=context.caller.user_hash,
        history=tuple(Message(role=message.role, content=message.content) for message in body.messages[:-1]),
        language="de",
        config=config,
        routed=routing.strategy,
        options=_answer_options(options),
        is_trusted=context.caller.is_trusted,
    )


def _answer_options(options: RagOptions) -> AnswerOptions:
    compression = options.context_compression
    return AnswerOptions(
        max_sources=options.search_limit,
        compression="none" if compression is None else compression.strategy,
        max_context_tokens=None if compression is None else compression.max_tokens,
        is_grounding_required=options.reject_on_low_groundedness,
        is_disclaimer_wanted=options.add_disclaimer_on_low_groundedness,
    )


def stream_events(
    events: Iterable[AnswerEvent], routing: Routed, model: str | None, policy: RedactionPolicy
) -> Generator[Event, None, None]:
    """The answering path's events as the contract's."""
    sources: Sequence[Source] = ()
    citations: list[CheckedCitation] = []
    shown = ""
    for event in events:
        if isinstance(event, QuestionUnderstood):
            yield {"type": "analysis", "data": analysis_to_wire(routing.analysis)}
        elif isinstance(event, SourcesFound):
            sources = shown_sources(event.context.sources, policy=policy, language="de")
            yield {"type": "sources", "data": [german_source(source) for source in sources]}
            yield {"type": "graph", "data": graph_to_wire(event.retrieval, routing, hiding(policy, "de"))}
        elif isinstance(event, SentenceReady):
            citations += event.citations
            sources = placed(sources, citations)
            text = sentence_text(event, in_order_of_citation(sources, citations), "german")
            shown += text
            yield {"type": "message", "data": {"content": text}}
        elif isinstance(event, AnswerFinished):
            yield from _ending(_body(event.answer, routing, model, policy), shown)


def _ending(body: dict[str, Any], shown: str) -> Generator[Event, None, None]:
    rest = rest_of(body["answer"], shown)
    if rest:
        yield {"type": "message", "data": {"content": rest}}
    yield {"type": "citations", "data": body["citations"]}
    yield {"type": "done", "data": body}


def _body(answer: Answer, routing: Routed, model: str | None, policy: RedactionPolicy) -> dict[str, Any]:
    body = german_body(answer, policy=policy)
    if model is not None and model not in answer.answerer:
        body["warnings"] = [*body["warnings"], OTHER_MODEL.format(asked=model, model=answer.answerer)]
    return {
        **body,
        "queryAnalysis": analysis_to_wire(routing.analysis),
        "graphContext": graph_to_wire(answer.retrieval, routing, hiding(policy, "de")),
    }


def _failed(request: Request, error: Exception) -> Event:
    told = failure(request, error)
    return {
        "type": "error",
        "data": {"success": False, "error": told.error, "details": told.details, "warnings": []},
    }
