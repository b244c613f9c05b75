"""Ratings of answers."""

from functools import partial
from uuid import UUID

from rag_core.errors import InvalidInputError
from rag_core.model.conversation import AnswerFeedback
from rag_core.model.note import TenantId
from rag_core.notes.validation import is_storable
from rag_core.storage.database import Database
from rag_core.storage.questions import upsert_feedback

RATINGS = range(1, 6)
MAX_COMMENT_CHARACTERS = 2000


def give_feedback(
    database: Database, tenant: TenantId, query_id: UUID, *, user_hash: str, rating: int, comment: str | None = None
) -> AnswerFeedback:
    """Rate the answer to one's own question from 1 to 5; a second rating replaces the first with its comment.

    Raises:
        InvalidInputError: the rating is out of range, or the comment is too long or cannot be stored.
        NotFoundError: the question does not exist or is somebody else's; the error does not tell which.
    """
    said = (comment or "").strip() or None
    if rating not in RATINGS:
        raise InvalidInputError(f"rating {rating} is not between {RATINGS[0]} and {RATINGS[-1]}")
    if said is not None and len(said) > MAX_COMMENT_CHARACTERS:
        raise InvalidInputError(f"the comment has {len(said)} characters; {MAX_COMMENT_CHARACTERS} are allowed")
    if said is not None and not is_storable(said):
        raise InvalidInputError("the comment has a character that cannot be stored")
    keep = partial(upsert_feedback, tenant=tenant, query_id=query_id, user_hash=user_hash, rating=rating, comment=said)
    return database.write(tenant, keep)
