"""``POST /chat``, the contract of AuroraNotes: a question, and an answer with marks such as "[N1]"."""

from typing import Any

from fastapi import APIRouter, Request

from rag_core.answering.events import AnswerRequest
from rag_core.answering.sources.search_configuration import default_options
from rag_core.api.access import Context, RequestContext, check_named_tenant
from rag_core.api.asking import QuestionRoute, events_of, finished, language_of, refusals_told
from rag_core.api.errors import answer_in
from rag_core.api.schemas_answers import ChatRequest, ChatResponse, question_failures
from rag_core.api.streaming import awaited
from rag_core.guardrails.policies import redaction_policy
from rag_core.resilience.cancellation import Cancellation
from rag_core.wire.answers import chat_body

router = APIRouter(tags=["answers"], route_class=QuestionRoute)


@router.post("/chat", response_model=ChatResponse, responses=question_failures(404))
async def chat(body: ChatRequest, request: Request, context: Context) -> Any:
    """Answer a question from one's notes alone, in the question's language (Spanish, German, English).

    Every claim names its source; `verification` says whether the source holds it, and `spans` where. What cannot be answered is
    refused in words, with `meta.confidence` `insufficient` and the reason in `meta.refusal`; that is an answer too (200).
    """
    language = language_of(request, body.message)
    answer_in(request, language)
    policy = redaction_policy("chat", context.settings.guardrails_personal_data)

    def answer(cancellation: Cancellation) -> dict[str, Any]:
        check_named_tenant(body.tenant_id, context.tenant)
        with refusals_told(language):
            return chat_body(finished(events_of(context, _request(context, body), cancellation)), policy=policy)

    return await awaited(request, answer)


def _request(context: RequestContext, body: ChatRequest) -> AnswerRequest:
    return AnswerRequest(
        question=body.message,
        contract="chat",
        user_hash=context.caller.user_hash,
        options=default_options(context.settings),
        is_trusted=context.caller.is_trusted,
    )
