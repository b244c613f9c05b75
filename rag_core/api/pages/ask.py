"""``/preguntar``: the page that answers, in Spanish. A question, its answer with citations, and one's conversations.

It works without JavaScript. With it the answer is streamed from ``POST /api/query``, and what the server makes of the finished answer
takes the stream's place: there is one way to show an answer.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from rag_core.access import Caller
from rag_core.answering.answer import answer_events
from rag_core.answering.events import AnswerRequest
from rag_core.answering.sources.search_configuration import answer_config
from rag_core.api.access import CallerOf, EngineOf, QuestionLimitOf
from rag_core.api.asking import finished, is_trusted
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.hybrid.feedback import NO_SUCH_QUESTION
from rag_core.api.hybrid.query import MAX_TOP_K
from rag_core.api.hybrid.sessions import NO_SUCH_SESSION
from rag_core.api.pages.answer_cards import TurnCard, turn_card
from rag_core.api.pages.cards import spanish_date
from rag_core.api.pages.opinions import IsRead
from rag_core.api.pages.search import as_uuid, read_shelf
from rag_core.api.pages.web import render
from rag_core.api.streaming import awaited
from rag_core.conversation.feedback import MAX_COMMENT_CHARACTERS, RATINGS, give_feedback
from rag_core.conversation.records import kept_answer
from rag_core.conversation.sessions import begun_session, delete_session, list_sessions, read_conversation
from rag_core.errors import GuardrailError, InvalidInputError, NotFoundError
from rag_core.guardrails.incoming import problem_message, sanitised
from rag_core.guardrails.policies import redaction_policy
from rag_core.model.answer import Answer
from rag_core.model.conversation import Session, Turn
from rag_core.operation.demo_corpus import ANSWERABLE
from rag_core.resilience.cancellation import Cancellation
from rag_core.runtime.engine import Engine

PAGE = "/preguntar"
WRONG_OPINION = f"La valoración va de {RATINGS[0]} a {RATINGS[-1]}, y el comentario tiene como mucho 2.000 caracteres"

router = APIRouter(include_in_schema=False)


@router.get(PAGE)
async def ask(
    request: Request,
    engine: EngineOf,
    caller: CallerOf,
    count_question: QuestionLimitOf,
    *,
    is_read: IsRead,
    pregunta: str = "",
    sesion: str = "",
) -> Response:
    """The box for a question under its conversation; with ``pregunta`` the answer to it.

    A finished answer is a turn of a conversation, and its page another address: to reload that asks nothing. A link of another
    origin's page, such as one of another port of this machine, fills the box and asks nothing either.
    """
    is_asked = bool(pregunta.strip()) and is_read
    page = partial(_shown, engine, caller, _session_id(sesion))
    if not is_asked:
        return await run_in_threadpool(page, question=pregunta)
    answered = partial(_answered, engine, caller, _session_id(sesion), pregunta, check_rate=count_question)
    try:
        return await awaited(request, engine, answered)
    except GuardrailError as error:
        return await run_in_threadpool(page, question=pregunta, problem=problem_message(error, "es"))


@router.post(f"{PAGE}/respuestas/{{consulta}}/opinion")
def rate(
    consulta: str,
    engine: EngineOf,
    caller: CallerOf,
    *,
    valor: Annotated[int, Query()] = 0,
    sesion: Annotated[str, Query()] = "",
    comentario: Annotated[str, Form()] = "",
) -> Response:
    """Keep what somebody thinks of an answer, and go back to it."""
    query_id = as_uuid(consulta)
    if query_id is None:
        raise ExplainedError(NO_SUCH_QUESTION, kind=NotFoundError)
    with explained(NotFoundError, NO_SUCH_QUESTION), explained(InvalidInputError, WRONG_OPINION):
        give_feedback(
            engine.database, engine.tenant(), query_id, user_hash=caller.user_hash, rating=valor, comment=comentario
        )
    return RedirectResponse(_address(_session_id(sesion), query_id), status_code=303)


@router.post(f"{PAGE}/conversaciones/{{sesion}}/borrar")
def forget(sesion: str, engine: EngineOf, caller: CallerOf) -> Response:
    """Delete a conversation and every word of it."""
    session_id = as_uuid(sesion)
    if session_id is None:
        raise ExplainedError(NO_SUCH_SESSION, kind=NotFoundError)
    with explained(NotFoundError, NO_SUCH_SESSION):
        delete_session(engine.database, engine.tenant(), session_id, user_hash=caller.user_hash)
    return RedirectResponse(PAGE, status_code=303)


def _session_id(written: str) -> UUID | None:
    """The conversation that an address names.

    Raises:
        ExplainedError: it names one that cannot be.
    """
    session_id = as_uuid(written)
    if written and session_id is None:
        raise ExplainedError(NO_SUCH_SESSION, kind=NotFoundError)
    return session_id


def _answered(
    engine: Engine,
    caller: Caller,
    session_id: UUID | None,
    question: str,
    cancellation: Cancellation,
    *,
    check_rate: Callable[[], None],
) -> Response:
    """Answer within the conversation, or a new one, and lead to where the answer is kept; show it where it could not be."""
    tenant = engine.tenant()
    if not sanitised(question):
        return _shown(engine, caller, session_id, question="")
    with explained(NotFoundError, NO_SUCH_SESSION), _spoken_in(engine, caller, session_id) as kept_in:
        asked = AnswerRequest(
            question=question,
            contract="page",
            user_hash=caller.user_hash,
            session_id=kept_in,
            is_trusted=is_trusted(caller),
        )
        answer = finished(answer_events(engine, tenant, asked, cancellation=cancellation, check_rate=check_rate))
        conversation = read_conversation(
            engine.database, tenant, kept_in, settings=engine.settings, user_hash=caller.user_hash
        )
    if any(turn.query_id == answer.query_id for turn in conversation.turns):
        return RedirectResponse(_address(kept_in, answer.query_id), status_code=303)
    return _shown(engine, caller, kept_in, unkept=answer)


@contextmanager
def _spoken_in(engine: Engine, caller: Caller, session_id: UUID | None) -> Iterator[UUID]:
    """The conversation of a question, begun where it has none."""
    if session_id is not None:
        yield session_id
        return
    with begun_session(engine.database, engine.tenant(), settings=engine.settings, user_hash=caller.user_hash) as begun:
        yield begun.id


def _shown(
    engine: Engine,
    caller: Caller,
    session_id: UUID | None,
    *,
    question: str = "",
    problem: str | None = None,
    unkept: Answer | None = None,
) -> Response:
    """The page; ``unkept`` is an answer that could not be written down."""
    shelf, sessions = read_shelf(engine), _sessions(engine, caller)
    turns = _turns(engine, caller, session_id)
    if unkept is not None and session_id is not None:
        turns.append(_card(engine, _unkept_turn(unkept), session_id))
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
        max_characters=engine.settings.guardrails_question_max_characters,
        max_comment_characters=MAX_COMMENT_CHARACTERS,
        max_sources=min(
            MAX_TOP_K, answer_config(engine.served(engine.tenant()), engine.settings).top_k.final
        ),  # a streamed answer's, as the page's own
    )


def _turns(engine: Engine, caller: Caller, session_id: UUID | None) -> list[TurnCard]:
    if session_id is None:
        return []
    with explained(NotFoundError, NO_SUCH_SESSION):
        found = read_conversation(
            engine.database, engine.tenant(), session_id, settings=engine.settings, user_hash=caller.user_hash
        )
    return [_card(engine, turn, session_id) for turn in found.turns]


def _card(engine: Engine, turn: Turn, session_id: UUID) -> TurnCard:
    policy = redaction_policy("page", engine.settings.guardrails_personal_data)
    return turn_card(turn, session_id=session_id, zone=engine.settings.zone, policy=policy)


def _sessions(engine: Engine, caller: Caller) -> list[tuple[Session, str]]:
    """One's conversations in which something was said, each with the day it last was."""
    found = list_sessions(
        engine.database, engine.tenant(), settings=engine.settings, user_hash=caller.user_hash, only_spoken=True
    )
    return [(session, spanish_date(session.last_at, engine.settings.zone)) for session in found]


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
