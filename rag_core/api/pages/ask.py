"""``/preguntar``: the page that answers. A question, its answer with citations, and one's conversations.

It works without JavaScript. With it the answer is streamed from ``POST /api/query``, and what the server makes of the finished answer
takes the stream's place: there is one way to show an answer.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from rag_core.answering.events import AnswerRequest
from rag_core.answering.sources.search_configuration import answer_config
from rag_core.api.access import Context, RequestContext
from rag_core.api.asking import events_of, finished
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.hybrid.query import MAX_TOP_K
from rag_core.api.pages.answer_cards import TurnCard, turn_card
from rag_core.api.pages.opinions import IsRead
from rag_core.api.pages.search import as_uuid, read_shelf
from rag_core.api.pages.texts import day_of, grouped, spoken, tr
from rag_core.api.pages.web import render
from rag_core.api.streaming import awaited
from rag_core.conversation.feedback import MAX_COMMENT_CHARACTERS, RATINGS, give_feedback
from rag_core.conversation.records import kept_answer
from rag_core.conversation.sessions import Conversation, begun_session, delete_session, list_sessions, read_conversation
from rag_core.errors import GuardrailError, InvalidInputError, NotFoundError
from rag_core.guardrails.incoming import problem_message, sanitised
from rag_core.guardrails.policies import redaction_policy
from rag_core.model.answer import Answer
from rag_core.model.conversation import Session, Turn
from rag_core.operation.demo_corpus import ANSWERABLE
from rag_core.resilience.cancellation import Cancellation
from rag_core.settings import Settings

PAGE = "/preguntar"

router = APIRouter(include_in_schema=False)


@router.get(PAGE)
async def ask(request: Request, context: Context, *, is_read: IsRead, pregunta: str = "", sesion: str = "") -> Response:
    """The box for a question under its conversation; with ``pregunta`` the answer to it.

    A finished answer is a turn of a conversation, and its page another address: to reload that asks nothing. A link of another
    origin's page, such as one of another port of this machine, fills the box and asks nothing either.
    """
    is_asked = bool(pregunta.strip()) and is_read
    page = partial(_shown, context, _session_id(sesion))
    if not is_asked:
        return await run_in_threadpool(page, question=pregunta)
    try:
        return await awaited(request, partial(_answered, context, _session_id(sesion), pregunta))
    except GuardrailError as error:
        return await run_in_threadpool(page, question=pregunta, problem=problem_message(error, spoken()))


@router.post(f"{PAGE}/respuestas/{{consulta}}/opinion")
def rate(
    consulta: str,
    context: Context,
    *,
    valor: Annotated[int, Query()] = 0,
    sesion: Annotated[str, Query()] = "",
    comentario: Annotated[str, Form()] = "",
) -> Response:
    """Keep what somebody thinks of an answer, and go back to it."""
    query_id, no_such = as_uuid(consulta), tr("No existe ninguna pregunta tuya con ese identificador")
    wrong = tr(
        "La valoración va de {first} a {last}, y el comentario tiene como mucho {limit} caracteres",
        first=RATINGS[0],
        last=RATINGS[-1],
        limit=grouped(MAX_COMMENT_CHARACTERS),
    )
    if query_id is None:
        raise ExplainedError(no_such, kind=NotFoundError)
    with explained(NotFoundError, no_such), explained(InvalidInputError, wrong):
        give_feedback(
            context.database,
            context.tenant,
            query_id,
            user_hash=context.caller.user_hash,
            rating=valor,
            comment=comentario,
        )
    return RedirectResponse(_address(_session_id(sesion), query_id), status_code=303)


@router.post(f"{PAGE}/conversaciones/{{sesion}}/borrar")
def forget(sesion: str, context: Context) -> Response:
    """Delete a conversation and every word of it."""
    session_id = as_uuid(sesion)
    if session_id is None:
        raise ExplainedError(_no_such_session(), kind=NotFoundError)
    with explained(NotFoundError, _no_such_session()):
        delete_session(context.database, context.tenant, session_id, user_hash=context.caller.user_hash)
    return RedirectResponse(PAGE, status_code=303)


def _no_such_session() -> str:
    return tr("No existe ninguna conversación tuya con ese identificador")


def _session_id(written: str) -> UUID | None:
    """The conversation that an address names.

    Raises:
        ExplainedError: it names one that cannot be.
    """
    session_id = as_uuid(written)
    if written and session_id is None:
        raise ExplainedError(_no_such_session(), kind=NotFoundError)
    return session_id


def _answered(context: RequestContext, session_id: UUID | None, question: str, cancellation: Cancellation) -> Response:
    """Answer within the conversation, or a new one, and lead to where the answer is kept; show it where it could not be."""
    if not sanitised(question):
        return _shown(context, session_id, question="")
    with explained(NotFoundError, _no_such_session()), _spoken_in(context, session_id) as kept_in:
        asked = AnswerRequest(
            question=question,
            contract="page",
            user_hash=context.caller.user_hash,
            session_id=kept_in,
            is_trusted=context.caller.is_trusted,
        )
        answer = finished(events_of(context, asked, cancellation))
        conversation = _conversation(context, kept_in)
    if any(turn.query_id == answer.query_id for turn in conversation.turns):
        return RedirectResponse(_address(kept_in, answer.query_id), status_code=303)
    return _shown(context, kept_in, unkept=answer)


@contextmanager
def _spoken_in(context: RequestContext, session_id: UUID | None) -> Iterator[UUID]:
    """The conversation of a question, begun where it has none."""
    if session_id is not None:
        yield session_id
        return
    with begun_session(
        context.database, context.tenant, settings=context.settings, user_hash=context.caller.user_hash
    ) as begun:
        yield begun.id


def _shown(
    context: RequestContext,
    session_id: UUID | None,
    *,
    question: str = "",
    problem: str | None = None,
    unkept: Answer | None = None,
) -> Response:
    """The page; ``unkept`` is an answer that could not be written down."""
    shelf, sessions = read_shelf(context), _sessions(context)
    turns = _turns(context, session_id)
    if unkept is not None and session_id is not None:
        turns.append(_card(context.settings, _unkept_turn(unkept), session_id))
    return render(
        "ask.html",
        shelf=shelf,
        session_id=session_id,
        turns=turns,
        is_unkept=unkept is not None,
        question=question,
        problem=problem,
        sessions=sessions,
        examples=ANSWERABLE if shelf.is_demo and not turns else (),
        max_characters=context.settings.guardrails_question_max_characters,
        max_comment_characters=MAX_COMMENT_CHARACTERS,
        max_sources=min(
            MAX_TOP_K, answer_config(context.served(), context.settings).top_k.final
        ),  # a streamed answer's, as the page's own
    )


def _turns(context: RequestContext, session_id: UUID | None) -> list[TurnCard]:
    if session_id is None:
        return []
    with explained(NotFoundError, _no_such_session()):
        found = _conversation(context, session_id)
    return [_card(context.settings, turn, session_id) for turn in found.turns]


def _conversation(context: RequestContext, session_id: UUID) -> Conversation:
    return read_conversation(
        context.database,
        context.tenant,
        session_id,
        settings=context.settings,
        user_hash=context.caller.user_hash,
    )


def _card(settings: Settings, turn: Turn, session_id: UUID) -> TurnCard:
    policy = redaction_policy("page", settings.guardrails_personal_data)
    return turn_card(turn, session_id=session_id, zone=settings.zone, policy=policy)


def _sessions(context: RequestContext) -> list[tuple[Session, str]]:
    """One's conversations in which something was said, each with the day it last was."""
    found = list_sessions(
        context.database,
        context.tenant,
        settings=context.settings,
        user_hash=context.caller.user_hash,
        only_spoken=True,
    )
    return [(session, day_of(session.last_at, context.zone)) for session in found]


def _unkept_turn(answer: Answer) -> Turn:
    return Turn(
        query_id=answer.query_id,
        position=0,
        asked_at=datetime.now(UTC),
        question=answer.question,
        standalone=answer.standalone,
        answer=kept_answer(answer),
    )


def _address(session_id: UUID | None, query_id: UUID) -> str:
    return PAGE if session_id is None else f"{PAGE}?sesion={session_id}#consulta-{query_id}"
