"""Figures of questions, and the feedback on their answers."""

from dataclasses import asdict
from uuid import UUID

from rag_core.errors import NotFoundError
from rag_core.model.conversation import AnswerFeedback, QuestionFigures, SearchFigures
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query


def insert_question(connection: Connection, tenant: TenantId, figures: QuestionFigures) -> bool:
    """Write down how a question went; False for a tenant that does not exist, of which nothing is kept."""
    row = connection.execute(query("insert_question"), {"tenant": tenant, **asdict(figures)}).fetchone()
    return row is not None


def insert_search_figures(connection: Connection, tenant: TenantId, query_id: UUID, figures: SearchFigures) -> None:
    """Write down how the search for a recorded question went."""
    connection.execute(query("insert_search_figures"), {"tenant": tenant, "query_id": query_id, **asdict(figures)})


def upsert_feedback(
    connection: Connection, tenant: TenantId, query_id: UUID, *, user_hash: str, rating: int, comment: str | None
) -> AnswerFeedback:
    """Keep what somebody thought of the answer to their question, in place of what they said before.

    Raises:
        NotFoundError: there is no such question, or somebody else asked it.
    """
    parameters = {
        "tenant": tenant,
        "query_id": query_id,
        "user_hash": user_hash,
        "rating": rating,
        "comment": comment,
    }
    row = connection.execute(query("upsert_feedback"), parameters).fetchone()
    if row is None:
        raise _unknown(query_id)
    feedback_id, asked, given, said, created_at, updated_at = row
    return AnswerFeedback(
        id=feedback_id, query_id=asked, rating=given, comment=said, created_at=created_at, updated_at=updated_at
    )


def _unknown(query_id: UUID) -> NotFoundError:
    return NotFoundError(f"no question {query_id}; queryId of an answer names it")
