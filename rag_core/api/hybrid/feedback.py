"""``POST /api/feedback``: what somebody thinks of the answer to a question of theirs."""

from typing import Any

from fastapi import APIRouter

from rag_core.api.access import Context
from rag_core.api.errors import explained
from rag_core.api.schemas import failures
from rag_core.api.schemas_answers import RatingIn, RatingOut
from rag_core.conversation.feedback import give_feedback
from rag_core.errors import NotFoundError
from rag_core.wire.values import moment_to_wire

NO_SUCH_QUESTION = "No existe ninguna pregunta tuya con ese queryId; está en cada respuesta"

router = APIRouter(tags=["answers"])


@router.post("/api/feedback", response_model=RatingOut, responses=failures(400, 404, 413, 415, 503))
def rate(body: RatingIn, context: Context) -> dict[str, Any]:
    """Rate an answer from 1 to 5, with a comment or without; who thinks again replaces both."""
    with explained(NotFoundError, NO_SUCH_QUESTION):
        kept = give_feedback(
            context.database,
            context.tenant,
            body.query_id,
            user_hash=context.caller.user_hash,
            rating=body.rating,
            comment=body.comment,
        )
    return {
        "queryId": str(kept.query_id),
        "rating": kept.rating,
        "comment": kept.comment,
        "createdAt": moment_to_wire(kept.created_at),
        "updatedAt": moment_to_wire(kept.updated_at),
    }
