"""Common parts of the routes that answer questions: the asker, the language of error messages, and their form."""

from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from rag_core.answering.answer import answer_events
from rag_core.answering.events import AnswerEvent, AnswerFinished, AnswerRequest
from rag_core.api import errors
from rag_core.api.access import RequestContext
from rag_core.api.errors import ExplainedError, answer_in, http_reply, reply_to, tell, tongue_for
from rag_core.errors import AnswerCancelledError, GuardrailError, InvalidInputError, RagError
from rag_core.guardrails.incoming import problem_message
from rag_core.language import LANGUAGES
from rag_core.language.detection import detect_language
from rag_core.model.answer import Answer
from rag_core.model.note import Language
from rag_core.query.transformation import language_by_signs, query_language
from rag_core.resilience.cancellation import Cancellation

_QUESTION_FIELDS = ("message", "query")


class QuestionRoute(APIRoute):
    """A route that tells what is wrong with a request in the language of its question, as far as that could be read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The framework's handler with the language found out before it refuses a body."""
        handle = super().get_route_handler()

        async def handling(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as error:
                answer_in(request, language_of(request, _question_in(error.body)))
                raise

        return handling


def _question_in(body: Any) -> str:
    """The question of a body that may be of any shape; '' where there is none."""
    fields = body if isinstance(body, Mapping) else {}
    return next((fields[name] for name in _QUESTION_FIELDS if isinstance(fields.get(name), str)), "")


def language_of(request: Request, question: str) -> Language:
    """The language of a question; where it shows none, what the client accepts, or else the contract's."""
    shows_one = detect_language(question) is not None or language_by_signs(question) is not None
    if shows_one:
        return query_language(question, known=LANGUAGES)
    return tongue_for(request)


@contextmanager
def refusals_told(language: Language) -> Iterator[None]:
    """Tell why a question is refused in its language."""
    try:
        yield
    except GuardrailError as error:
        raise ExplainedError(problem_message(error, language), kind=InvalidInputError) from error


def events_of(
    context: RequestContext, asked: AnswerRequest, cancellation: Cancellation
) -> Generator[AnswerEvent, None, None]:
    """Answer a question of the caller's, event by event; see ``answer_events``."""
    return answer_events(
        context.engine, context.tenant, asked, cancellation=cancellation, check_rate=context.count_question
    )


def finished(events: Iterator[AnswerEvent]) -> Answer:
    """The answer that the events end with.

    Raises:
        AnswerCancelledError: there is none.
    """
    for event in events:
        if isinstance(event, AnswerFinished):
            return event.answer
    raise AnswerCancelledError("the question was given up")


def rest_of(answer: str, shown: str) -> str:
    """Return the part of a finished answer not shown yet; '' where the end replaced the answer by another."""
    shown = shown.rstrip()
    return answer[len(shown) :] if answer.startswith(shown) else ""


def failure(request: Request, error: Exception) -> errors.ErrorReply:
    """Return the reply to an error in a stream that has begun; it is counted and logged like any other."""
    tongue = tongue_for(request)
    engine = request.app.state.engine
    if isinstance(error, RagError):
        told = reply_to(error, timeout_ms=engine.settings.request_timeout_ms, tongue=tongue)
    else:
        told = http_reply(500, tongue)
    tell(request, error, is_defect=told.status == 500)
    return told
