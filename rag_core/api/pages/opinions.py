"""Readers' feedback on an answer in an experiment: the notes they open, and two buttons.

Everything is in the address, so that it works without JavaScript, and only a page of ours knows the id that it takes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from rag_core.api.access import ASKED_METHOD, Context, RequestContext
from rag_core.api.errors import ExplainedError, explained
from rag_core.api.origins import is_from_another_page
from rag_core.api.pages.texts import tr
from rag_core.api.pages.web import render
from rag_core.errors import ConflictError, InvalidInputError, NotFoundError, RagError
from rag_core.experiments.feedback import give_feedback
from rag_core.model.experiment import FeedbackKind
from rag_core.model.note import NoteId
from rag_core.telemetry.logs import log_degraded

_KINDS: Mapping[str, FeedbackKind] = {"util": "helpful", "inutil": "unhelpful"}

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """Addresses of the two buttons, and their question."""

    question: str
    yes: str
    no: str


def opinion_on(query_id: UUID, *, question: str, back: str, note_id: NoteId | None = None) -> Opinion:
    """The buttons for an answer, or for one of its notes; ``back`` is where the reader comes from."""
    note = {} if note_id is None else {"nota": str(note_id)}
    rest = urlencode({**note, "volver": back})
    return Opinion(question=question, yes=f"/opinion/{query_id}/util?{rest}", no=f"/opinion/{query_id}/inutil?{rest}")


@router.post("/opinion/{consulta}/{valor}")
def take_opinion(
    consulta: Annotated[UUID, Path()],
    valor: str,
    context: Context,
    nota: Annotated[UUID | None, Query()] = None,
    volver: str = "/",
) -> Response:
    """Keep a reader's word and thank for it."""
    gone = tr("Esta respuesta ya no admite opiniones")
    if valor not in _KINDS:
        raise ExplainedError(gone, kind=NotFoundError)
    with explained(NotFoundError, gone), explained(InvalidInputError, gone), explained(ConflictError, gone):
        note_id = None if nota is None else NoteId(nota)
        give_feedback(
            context.database,
            context.tenant,
            consulta,
            note_id=note_id,
            kind=_KINDS[valor],
            timeout_ms=context.timeout_ms,
        )
    return render("thanks.html", back=volver if volver.startswith(("/?", "/notas/")) else "/")


async def _is_read(request: Request) -> bool:
    headers = (request.headers.get(name, "") for name in ("sec-purpose", "purpose", "x-purpose", "x-moz"))
    is_ahead = any(purpose in header.lower() for header in headers for purpose in ("prefetch", "preview"))
    is_get = request.scope.get(ASKED_METHOD, request.method) == "GET"
    return is_get and not is_ahead and not is_from_another_page(request.headers)


IsRead = Annotated[bool, Depends(_is_read)]
"""True when the reader asks for the page: not HEAD, not a browser's prefetch, not a link of another origin's page.

Every page that spends or records something when it is opened depends on it; all else that changes something is a POST, which the
guard holds to this origin.
"""


def note_opened(context: RequestContext, query_id: UUID, note_id: NoteId) -> bool:
    """Keep that a note of an answer was opened; whether the answer takes opinions. The note is shown in any case."""
    try:
        give_feedback(
            context.database,
            context.tenant,
            query_id,
            note_id=note_id,
            kind="open",
            timeout_ms=context.timeout_ms,
        )
    except (NotFoundError, InvalidInputError, ConflictError):
        return False
    except RagError as error:
        log_degraded("experiment feedback", error, tenant=context.tenant)
        return False
    return True
