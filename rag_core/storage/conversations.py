"""Conversations and their turns; whoever does not own one does not find it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from rag_core.errors import NotFoundError
from rag_core.model.conversation import KeptAnswer, Session, Turn, parse_kept_answer
from rag_core.model.note import TenantId
from rag_core.storage.database import Connection
from rag_core.storage.queries import query
from rag_core.storage.rows import fetch_all, fetch_one, fetch_value


def insert_session(connection: Connection, tenant: TenantId, session_id: UUID, *, user_hash: str) -> Session:
    """Begin a conversation; the tenant exists."""
    parameters = {"tenant": tenant, "session_id": session_id, "user_hash": user_hash}
    session = fetch_one(connection, Session, "insert_session", parameters)
    assert session is not None  # it returns what it inserts
    return session


def drop_empty_sessions(connection: Connection, tenant: TenantId, *, user_hash: str, kept: int) -> None:
    """Delete somebody's conversations that nothing was asked in, but for the ``kept`` newest of them."""
    parameters = {"tenant": tenant, "user_hash": user_hash, "kept": kept}
    connection.execute(query("drop_empty_sessions"), parameters)


def list_sessions(
    connection: Connection, tenant: TenantId, *, user_hash: str, since: datetime, limit: int, only_spoken: bool
) -> list[Session]:
    """Somebody's conversations that were spoken in since then, the latest first; with ``only_spoken`` those with a question alone."""
    parameters = {
        "tenant": tenant,
        "user_hash": user_hash,
        "since": since,
        "limit": limit,
        "only_spoken": only_spoken,
    }
    return fetch_all(connection, Session, "list_sessions", parameters)


def find_session(
    connection: Connection, tenant: TenantId, session_id: UUID, *, user_hash: str, since: datetime
) -> Session:
    """The conversation of that id.

    Raises:
        NotFoundError: there is none, it is somebody else's, or nobody has spoken in it since then.
    """
    parameters = {"tenant": tenant, "session_id": session_id, "user_hash": user_hash, "since": since}
    session = fetch_one(connection, Session, "find_session", parameters)
    if session is None:
        raise NotFoundError(f"no conversation {session_id}; it may have been deleted, begin another one")
    return session


def fetch_turns(connection: Connection, tenant: TenantId, session_id: UUID, *, limit: int) -> list[Turn]:
    """The last turns of a conversation, in their order."""
    parameters = {"tenant": tenant, "session_id": session_id, "limit": limit}
    return [_turn(row) for row in connection.execute(query("fetch_turns"), parameters).fetchall()]


def touch_session(connection: Connection, tenant: TenantId, session_id: UUID, *, user_hash: str) -> bool:
    """Mark a conversation as used now and lock it until the transaction ends; False where it is gone."""
    parameters = {"tenant": tenant, "session_id": session_id, "user_hash": user_hash}
    return connection.execute(query("touch_session"), parameters).fetchone() is not None


def insert_turn(
    connection: Connection,
    tenant: TenantId,
    *,
    query_id: UUID,
    session_id: UUID,
    question: str,
    standalone: str | None,
    answer: KeptAnswer,
) -> None:
    """Add a turn to a conversation that ``touch_session`` has locked; the question's figures are there."""
    connection.execute(
        query("insert_turn"),
        {
            "tenant": tenant,
            "query_id": query_id,
            "session_id": session_id,
            "question": question,
            "standalone": standalone,
            "answer": Jsonb(answer.to_json()),
        },
    )


def end_idle_sessions(
    connection: Connection, tenant: TenantId, *, before: datetime, user_hash: str | None = None
) -> int:
    """End conversations that nobody has spoken in since then, at their last question; somebody's, or everybody's. How many."""
    parameters = {"tenant": tenant, "before": before, "user_hash": user_hash}
    return int(fetch_value(connection, "end_idle_sessions", parameters))


def delete_session(connection: Connection, tenant: TenantId, session_id: UUID, *, user_hash: str) -> bool:
    """Delete a conversation with its words; whether it was there."""
    parameters = {"tenant": tenant, "session_id": session_id, "user_hash": user_hash}
    return connection.execute(query("delete_session"), parameters).fetchone() is not None


def delete_empty_session(connection: Connection, tenant: TenantId, session_id: UUID, *, user_hash: str) -> None:
    """Delete a conversation that nothing was asked in; another one stays."""
    parameters = {"tenant": tenant, "session_id": session_id, "user_hash": user_hash}
    connection.execute(query("delete_empty_session"), parameters)


def purge_sessions(connection: Connection, tenant: TenantId, *, before: datetime, limit: int) -> int:
    """Delete conversations, whoever's, that nobody has spoken in since then; how many."""
    parameters = {"tenant": tenant, "before": before, "limit": limit}
    return int(fetch_value(connection, "purge_sessions", parameters))


def _turn(row: Sequence[Any]) -> Turn:
    query_id, position, asked_at, question, standalone, answer, rating, comment = row
    return Turn(
        query_id=query_id,
        position=position,
        asked_at=asked_at,
        question=question,
        standalone=standalone,
        answer=parse_kept_answer(answer),
        rating=rating,
        comment=comment,
    )
