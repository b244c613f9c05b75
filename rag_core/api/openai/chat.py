"""``POST /v1/chat/completions``: the last message answered from one's notes, whole or as server-sent events."""

import time
from collections.abc import Generator
from typing import Any
from uuid import uuid4

from fastapi import APIRouter, Request

from rag_core.answering.events import AnswerEvent, AnswerRequest
from rag_core.answering.sources.search_configuration import default_options
from rag_core.api.access import Context, RequestContext
from rag_core.api.asking import events_of, failure, finished, language_of, refusals_told
from rag_core.api.errors import ExplainedError, answer_in
from rag_core.api.openai.completion import Completion, without_sources
from rag_core.api.openai.failures import OpenAIFailure, error_body
from rag_core.api.openai.models import check_model
from rag_core.api.openai.schemas import ChatCompletion, ChatCompletionRequest
from rag_core.api.schemas_answers import STREAM, question_failures
from rag_core.api.streaming import Event, awaited, streamed
from rag_core.chat import Message
from rag_core.errors import InvalidInputError
from rag_core.guardrails.policies import redaction_policy
from rag_core.resilience.cancellation import Cancellation

NO_QUESTION = "messages: el último mensaje debe ser la pregunta, con el papel user"
DONE = b"data: [DONE]\n\n"

router = APIRouter(tags=["openai"])
_FAILURES = {status: {**told, "model": OpenAIFailure} for status, told in question_failures().items()}


@router.post("/v1/chat/completions", response_model=ChatCompletion, responses=STREAM | _FAILURES)
async def complete(body: ChatCompletionRequest, request: Request, context: Context) -> Any:
    """Answer the last message from one's notes alone, in its language and in the light of those before it.

    Messages of the system are passed over. The text has marks such as "[1]" and ends with the sources they name; `citations` has
    them with what was checked, `annotations` as OpenAI names them. With `stream` the last chunk with a choice has both.
    """
    check_model(body.model)
    if body.messages[-1].role != "user":
        raise ExplainedError(NO_QUESTION, kind=InvalidInputError)
    language = language_of(request, body.messages[-1].text)
    answer_in(request, language)
    completion = Completion(
        id=f"chatcmpl-{uuid4().hex}",
        created=int(time.time()),
        page=context.settings.api_url,
        policy=redaction_policy("chat", context.settings.guardrails_personal_data),
    )

    def asked(cancellation: Cancellation) -> Generator[AnswerEvent, None, None]:
        with refusals_told(language):
            yield from events_of(context, _request(context, body), cancellation)

    if not body.stream:
        return await awaited(request, lambda cancellation: completion.whole(finished(asked(cancellation))))
    has_usage = body.stream_options is not None and bool(body.stream_options.include_usage)
    return await streamed(
        request,
        lambda cancellation: completion.chunks(asked(cancellation), has_usage=has_usage),
        on_failure=lambda error: _failed(request, error),
        ending=DONE,
    )


def _request(context: RequestContext, body: ChatCompletionRequest) -> AnswerRequest:
    *earlier, question = body.messages
    history = [
        Message(role=said.role, content=without_sources(said.text))
        for said in earlier
        if said.role == "user" or said.role == "assistant"  # noqa: PLR1714  the type checker narrows this form alone
    ]
    return AnswerRequest(
        question=question.text,
        contract="chat",
        user_hash=context.caller.user_hash,
        history=tuple(history),
        options=default_options(context.settings),
        is_trusted=context.caller.is_trusted,
    )


def _failed(request: Request, error: Exception) -> Event:
    told = failure(request, error)
    return error_body(told.status, told.error, told.details)
