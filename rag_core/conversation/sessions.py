"""Conversations: begun, listed, read, ended and deleted by their owner, and deleted when they are old."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

from rag_core.errors import NotFoundError, RagError
from rag_core.model.conversation import Session, Turn
from rag_core.model.note import TenantId
from rag_core.settings import Settings
from rag_core.storage import conversations as store
from rag_core.storage.database import Connection, Database
from rag_core.storage.notes import hold_tenant

LISTED = 50
KEPT_EMPTY = 1_000
"""Maximum number of a user's conversations without a question; questions are rate-limited, beginning is not."""
SHOWN_TURNS = 200
PURGED_AT_ONCE = 100
"""Number of old conversations deleted with each new one: they go faster than a tenant makes them, and no request waits long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A session with its last turns, in their order."""

    session: Session
    turns: tuple[Turn, ...]


def begin_session(database: Database, tenant: TenantId, *, settings: Settings, user_hash: str) -> Session:
    """Begin a conversation. Some older than ``BRAIN_SESSION_DAYS`` are deleted, and the user's idle ones end.

    Of the user's conversations without a question, the oldest beyond ``KEPT_EMPTY`` are deleted.
    """

    def begin(connection: Connection) -> Session:
        hold_tenant(database, connection, tenant)
        store.purge_sessions(connection, tenant, before=kept_since(settings), limit=PURGED_AT_ONCE)
        store.end_idle_sessions(connection, tenant, before=idle_since(settings), user_hash=user_hash)
        store.drop_empty_sessions(connection, tenant, user_hash=user_hash, kept=KEPT_EMPTY - 1)
        return store.insert_session(connection, tenant, uuid4(), user_hash=user_hash)

    return database.write(tenant, begin)


@contextmanager
def begun_session(database: Database, tenant: TenantId, *, settings: Settings, user_hash: str) -> Iterator[Session]:
    """Begin a conversation for the question asked in the block; if the block fails, the empty conversation is deleted."""
    session = begin_session(database, tenant, settings=settings, user_hash=user_hash)
    try:
        yield session
    except RagError:
        forget = partial(store.delete_empty_session, tenant=tenant, session_id=session.id, user_hash=user_hash)
        with suppress(RagError):
            database.write(tenant, forget)
        raise


def list_sessions(
    database: Database,
    tenant: TenantId,
    *,
    settings: Settings,
    user_hash: str,
    limit: int = LISTED,
    only_spoken: bool = False,
) -> list[Session]:
    """A user's conversations, the most recent question first; ``only_spoken`` leaves out those without a question."""
    read = partial(
        store.list_sessions,
        tenant=tenant,
        user_hash=user_hash,
        since=kept_since(settings),
        limit=limit,
        only_spoken=only_spoken,
    )
    return database.read(tenant, read, timeout_ms=settings.request_timeout_ms)


def read_conversation(
    database: Database,
    tenant: TenantId,
    session_id: UUID,
    *,
    settings: Settings,
    user_hash: str,
    limit: int = SHOWN_TURNS,
) -> Conversation:
    """A conversation with its last turns.

    Raises:
        NotFoundError: it does not exist or belongs to somebody else; the error does not tell which.
    """

    def read(connection: Connection) -> Conversation:
        session = store.find_session(connection, tenant, session_id, user_hash=user_hash, since=kept_since(settings))
        return Conversation(
            session=session, turns=tuple(store.fetch_turns(connection, tenant, session_id, limit=limit))
        )

    return database.read(tenant, read, timeout_ms=settings.request_timeout_ms)


def delete_session(database: Database, tenant: TenantId, session_id: UUID, *, user_hash: str) -> None:
    """Delete a conversation and every word of it.

    Raises:
        NotFoundError: see ``read_conversation``.
    """
    delete = partial(store.delete_session, tenant=tenant, session_id=session_id, user_hash=user_hash)
    if not database.write(tenant, delete):
        raise NotFoundError(f"no conversation {session_id}; it may have been deleted")


def purge_sessions(database: Database, tenant: TenantId, *, before: datetime) -> int:
    """Delete a tenant's conversations without a question since ``before``, batch by batch; returns their number."""
    purge = partial(store.purge_sessions, tenant=tenant, before=before, limit=PURGED_AT_ONCE)
    deleted = purged = database.write(tenant, purge)
    while purged == PURGED_AT_ONCE:
        purged = database.write(tenant, purge)
        deleted += purged
    return deleted


def end_idle_sessions(database: Database, tenant: TenantId, *, before: datetime) -> int:
    """End a tenant's conversations without a question since ``before``, at their last question; returns their number."""
    return database.write(tenant, partial(store.end_idle_sessions, tenant=tenant, before=before))


def idle_since(settings: Settings) -> datetime:
    """The moment before which conversations without a question since are over, until the next question."""
    return datetime.now(UTC) - timedelta(minutes=settings.session_idle_minutes)


def kept_since(settings: Settings) -> datetime:
    """The moment before which conversations without a question since are no longer shown, deleted or not."""
    return datetime.now(UTC) - timedelta(days=settings.session_days)
