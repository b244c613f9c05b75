"""``/api/sessions``: one's own conversations, whose questions may go on from each other."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from rag_core.api.access import Context
from rag_core.api.errors import explained
from rag_core.api.schemas import failures
from rag_core.api.schemas_answers import ConversationOut, SessionList, SessionOut
from rag_core.conversation.sessions import begin_session, delete_session, list_sessions, read_conversation
from rag_core.errors import NotFoundError
from rag_core.guardrails.policies import redaction_policy
from rag_core.wire.answers import session_to_wire, turn_to_wire

NO_SUCH_SESSION = "No existe ninguna conversación tuya con ese identificador"

router = APIRouter(prefix="/api/sessions", tags=["answers"])
SessionPath = Annotated[UUID, Path(description="The conversation's UUID.")]


@router.get("", response_model=SessionList, responses=failures(400, 503))
def list_all(
    context: Context,
    limit: Annotated[int, Query(ge=1, le=200, description="Conversations at most.")] = 50,
) -> dict[str, Any]:
    """One's own conversations, the one spoken in last first."""
    found = list_sessions(
        context.database, context.tenant, settings=context.settings, user_hash=context.caller.user_hash, limit=limit
    )
    return {"sessions": [session_to_wire(session) for session in found]}


@router.post("", status_code=201, response_model=SessionOut, responses=failures(503))
def begin(context: Context, response: Response) -> dict[str, Any]:
    """Begin a conversation; its `id` is the `sessionId` of `POST /api/query`."""
    session = begin_session(
        context.database, context.tenant, settings=context.settings, user_hash=context.caller.user_hash
    )
    response.headers["Location"] = f"/api/sessions/{session.id}"
    return session_to_wire(session)


@router.get("/{session_id}", response_model=ConversationOut, responses=failures(400, 404, 503))
def read(session_id: SessionPath, context: Context) -> dict[str, Any]:
    """A conversation with its last turns, in their order."""
    with explained(NotFoundError, NO_SUCH_SESSION):
        found = read_conversation(
            context.database, context.tenant, session_id, settings=context.settings, user_hash=context.caller.user_hash
        )
    policy = redaction_policy("query", context.settings.guardrails_personal_data)
    return {
        "session": session_to_wire(found.session),
        "turns": [turn_to_wire(turn, policy=policy) for turn in found.turns],
    }


@router.delete("/{session_id}", status_code=204, responses=failures(400, 404, 503))
def delete(session_id: SessionPath, context: Context) -> None:
    """Delete a conversation and every word of it; figures without words stay."""
    with explained(NotFoundError, NO_SUCH_SESSION):
        delete_session(context.database, context.tenant, session_id, user_hash=context.caller.user_hash)
