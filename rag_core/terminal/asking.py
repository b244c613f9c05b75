"""Answer of ``brain ask``: the events that people read as they come, or one with the document for programs."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from rag_core.access.pseudonyms import pseudonyms
from rag_core.answering.answer import answer_events
from rag_core.answering.events import (
    AnswerEvent,
    AnswerFinished,
    AnswerRequest,
    QuestionUnderstood,
    SentenceReady,
)
from rag_core.answering.quoting.markup import plain_lines
from rag_core.answering.sources.search_configuration import default_options
from rag_core.conversation.sessions import begun_session, read_conversation
from rag_core.errors import NotFoundError
from rag_core.guardrails.policies import Hiding, hiding, redaction_policy
from rag_core.model.answer import Answer, Source
from rag_core.model.note import TenantId
from rag_core.model.zones import in_zone
from rag_core.resilience.cancellation import Cancellation
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings
from rag_core.storage.database import Database
from rag_core.terminal.requests import NEW, Event, TerminalQuestion
from rag_core.wire.answers import chat_body

COMMAND_LINE = ""
"""Caller of the command line where the API requires keys: the one who may read the database."""


def ask_events(
    engine: Engine, asked: TerminalQuestion, *, cancellation: Cancellation | None = None
) -> Generator[Event, None, None]:
    """Answer a question; the last event is ``document`` for programs, ``finished`` for people.

    Raises:
        GuardrailError, NotFoundError, DatabaseUnavailableError, AnswerFailedError, AnswerCancelledError: see ``answer_events``.
    """
    owner, settings = engine.named_tenant(asked.tenant), engine.settings
    with _conversation(engine.database, settings, owner, asked.session) as (session_id, asker):
        request = AnswerRequest(
            question=asked.question,
            contract="command",
            user_hash=asker,
            session_id=session_id,
            options=default_options(settings, max_sources=asked.top_k),
        )
        events = answer_events(engine, owner, request, cancellation=cancellation)
        if asked.is_json:
            yield {"kind": "document", "document": _document(events, session_id, settings)}
        else:
            yield from shown_events(events, settings)


def shown_events(events: Iterable[AnswerEvent], settings: Settings) -> Iterator[Event]:
    """The events that people read; what must not be shown is hidden."""
    for event in events:
        if isinstance(event, QuestionUnderstood) and event.standalone is not None:
            yield {"kind": "understood", "standalone": event.standalone}
        if isinstance(event, SentenceReady):
            yield {"kind": "sentence", "text": event.text}
        if isinstance(event, AnswerFinished):
            yield {"kind": "finished", **_shown(event.answer, settings)}


def askers_here(settings: Settings) -> tuple[str, ...]:
    """Owners of the command line's conversations; new ones belong to the first.

    In open mode that is the machine's one person, as on the page; what was asked in a terminal with keys, or before the page and the
    terminal were one, is theirs too.
    """
    if settings.access != "open":
        return (COMMAND_LINE,)
    return pseudonyms(settings.home, settings.secret).machine, COMMAND_LINE


@contextmanager
def _conversation(
    database: Database, settings: Settings, owner: TenantId, session: str | None
) -> Iterator[tuple[UUID | None, str]]:
    """The conversation that is asked in, begun where a new one is wanted, and whose it is."""
    asker, *before = askers_here(settings)
    if session == NEW:
        with begun_session(database, owner, settings=settings, user_hash=asker) as begun:
            yield begun.id, asker
    elif session is None:
        yield None, asker
    else:
        known = (name for name in before if _is_of(database, settings, owner, UUID(session), name))
        yield UUID(session), next(known, asker)


def _is_of(database: Database, settings: Settings, owner: TenantId, session_id: UUID, asker: str) -> bool:
    try:
        read_conversation(database, owner, session_id, settings=settings, user_hash=asker, limit=1)
    except NotFoundError:
        return False
    return True


def _document(events: Iterable[AnswerEvent], session_id: UUID | None, settings: Settings) -> dict[str, Any]:
    *_, last = events
    assert isinstance(last, AnswerFinished)
    policy = redaction_policy("command", settings.guardrails_personal_data)
    return chat_body(last.answer, policy=policy) | ({"sessionId": str(session_id)} if session_id else {})


def _shown(answer: Answer, settings: Settings) -> dict[str, Any]:
    hide = hiding(redaction_policy("command", settings.guardrails_personal_data), answer.language)
    is_refused = answer.refusal not in {None, "no_notes", "nothing_asked"}
    return {
        "text": answer.text,
        "sources": list(_cited(answer, hide, settings)),
        "nearest": [_named(source, hide, settings) for source in answer.nearest],
        "searchFor": (answer.standalone or answer.question) if is_refused else None,
        "warnings": list(answer.warnings),
        "confidence": answer.confidence,
        "answerer": answer.answerer,
        "totalMs": answer.stages["total"],
        "sessionId": None if answer.session_id is None else str(answer.session_id),
    }


def _cited(answer: Answer, hide: Hiding, settings: Settings) -> Iterator[dict[str, Any]]:
    """The cited sources with their quotations, and whether each holds what it is cited for."""
    for source in answer.sources:
        uses = [citation for citation in answer.citations if citation.number == source.number]
        if uses:
            quotes = dict.fromkeys(" ".join(hide(plain_lines(use.quote)).split()) for use in uses if use.quote)
            yield {
                **_named(source, hide, settings),
                "number": source.number,
                "isSupported": all(use.is_supported for use in uses),
                "quotes": list(quotes),
            }


def _named(source: Source, hide: Hiding, settings: Settings) -> dict[str, Any]:
    return {
        "title": hide(source.title or source.external_id),
        "written": str(in_zone(source.created_at, settings.zone).date()) if source.is_dated else "",
        "externalId": source.external_id,
        "page": source.page,
        "pageUnit": source.page_unit,
    }
