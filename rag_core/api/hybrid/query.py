"""``POST /api/query``, the contract of the hybrid pipeline: one body, or server-sent events while the answer is being made.

A stream is token* citation* metadata done, or ends in error. What fails before the first token is a response with a status.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request

from rag_core.answering.events import (
    AnswerEvent,
    AnswerFinished,
    AnswerOptions,
    AnswerRequest,
    SentenceReady,
    SourcesFound,
)
from rag_core.answering.sources.search_configuration import answer_config
from rag_core.api.access import Context, RequestContext
from rag_core.api.asking import (
    QuestionRoute,
    events_of,
    failure,
    finished,
    language_of,
    refusals_told,
    rest_of,
)
from rag_core.api.errors import ExplainedError, answer_in, explained
from rag_core.api.schemas_answers import STREAM, QueryRequest, QueryResponse, question_failures
from rag_core.api.streaming import Event, awaited, streamed
from rag_core.configuration.schema import configure
from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.guardrails import RedactionPolicy
from rag_core.guardrails.incoming import sanitised
from rag_core.guardrails.policies import redaction_policy
from rag_core.model.answer import Source
from rag_core.model.note import Language
from rag_core.model.retrieval import Filters
from rag_core.resilience.cancellation import Cancellation
from rag_core.wire.answers import query_body, sentence_text

MAX_TOP_K = 20
EMPTY: Mapping[Language, str] = {
    "en": "Query cannot be empty",
    "es": "La consulta no puede estar vacía",
    "de": "Die Frage darf nicht leer sein",
}
TOO_LONG: Mapping[Language, str] = {
    "en": "Query exceeds maximum length",
    "es": "La consulta supera la longitud máxima",
    "de": "Die Frage überschreitet die maximale Länge",
}
WRONG_TOP_K: Mapping[Language, str] = {
    "en": f"topK must be between 1 and {MAX_TOP_K}",
    "es": f"topK debe estar entre 1 y {MAX_TOP_K}",
    "de": f"topK muss zwischen 1 und {MAX_TOP_K} liegen",
}
NO_SUCH_SESSION: Mapping[Language, str] = {
    "en": "There is no such conversation",
    "es": "No existe ninguna conversación con ese identificador",
    "de": "Dieses Gespräch gibt es nicht",
}

router = APIRouter(tags=["answers"], route_class=QuestionRoute)


@router.post("/api/query", response_model=QueryResponse, responses=STREAM | question_failures())
async def query(body: QueryRequest, request: Request, context: Context) -> Any:
    """Answer a question from one's notes alone, in its language, alone or within a conversation.

    With `stream` the answer comes as server-sent events, each a JSON object with a `type`: `token` (`content`), then `citation`
    (`citation`), `metadata` (`metadata`) and `done`. Its `content` is the whole answer as it counts, another one than the tokens
    said where that turned out not to hold. A failure on the way is `error` (`error`), and the last event.
    """
    language = language_of(request, body.query)
    answer_in(request, language)
    _check(body, language, max_characters=context.settings.guardrails_question_max_characters)
    policy = redaction_policy("query", context.settings.guardrails_personal_data)

    def asked(cancellation: Cancellation) -> Generator[AnswerEvent, None, None]:
        question = _request(context, body)
        with refusals_told(language), explained(NotFoundError, NO_SUCH_SESSION.get(language, NO_SUCH_SESSION["en"])):
            yield from events_of(context, question, cancellation)

    if not body.stream:
        return await awaited(request, lambda cancellation: query_body(finished(asked(cancellation)), policy=policy))
    return await streamed(
        request,
        lambda cancellation: stream_events(asked(cancellation), policy),
        on_failure=lambda error: {"type": "error", "error": failure(request, error).details},
    )


def _check(body: QueryRequest, language: Language, *, max_characters: int) -> None:
    """The contract's own rules, in its own words."""
    length = len(sanitised(body.query))
    broken = [
        (length == 0, EMPTY),
        (length > max_characters, TOO_LONG),
        (not 1 <= body.top_k <= MAX_TOP_K, WRONG_TOP_K),
    ]
    told = [messages.get(language, messages["en"]) for is_broken, messages in broken if is_broken]
    if told:
        raise ExplainedError("; ".join(told), kind=InvalidInputError)


def _request(context: RequestContext, body: QueryRequest) -> AnswerRequest:
    graph = {} if body.include_graph else {"graphRAG": {"enabled": False}}
    return AnswerRequest(
        question=body.query,
        contract="query",
        user_hash=context.caller.user_hash,
        session_id=body.session_id,
        config=answer_config(
            context.served(),
            context.settings,
            config=configure(graph, base=context.served().config),
            max_sources=body.top_k,
        ),
        filters=Filters() if body.topic_filter is None else Filters(tags=(body.topic_filter,)),
        options=AnswerOptions(max_sources=body.top_k),
        is_trusted=context.caller.is_trusted,
    )


def stream_events(events: Iterable[AnswerEvent], policy: RedactionPolicy) -> Generator[Event, None, None]:
    """The answering path's events as the contract's: token* citation* metadata done."""
    sources: Sequence[Source] = ()
    shown = ""
    for event in events:
        if isinstance(event, SourcesFound):
            sources = event.context.sources
        elif isinstance(event, SentenceReady):
            text = sentence_text(event, sources, "numbered")
            shown += text
            yield {"type": "token", "content": text}
        elif isinstance(event, AnswerFinished):
            yield from _ending(query_body(event.answer, policy=policy), shown)


def _ending(body: Mapping[str, Any], shown: str) -> Generator[Event, None, None]:
    rest = rest_of(body["answer"], shown)
    if rest:
        yield {"type": "token", "content": rest}
    yield from ({"type": "citation", "citation": citation} for citation in body["citations"])
    yield {"type": "metadata", "metadata": body["metadata"]}
    yield {"type": "done", "content": body["answer"]}
