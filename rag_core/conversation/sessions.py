"""Conversations: begun, listed, read, ended and deleted by their owner, and forgotten in time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

from rag_core.errors import NotFoundError, RagError
from rag_core.model.conversation import Session, Turn
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage import conversations as store
from rag_core.storage.database import Connection, Database
from rag_core.storage.notes import hold_tenant

LISTED = 50
KEPT_EMPTY = 1_000
"""So many conversations somebody may have that nothing was asked in; questions are limited, beginning is not."""
SHOWN_TURNS = 200
PURGED_AT_ONCE = 100
"""So many old conversations go with each new one: a tenant cannot make them faster than they go, and nobody waits long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A session with its last turns, in their order."""

    session: Session
    turns: tuple[Turn, ...]


def begin_session(engine: Engine, tenant: TenantId, *, user_hash: str) -> Session:
    """Begin a conversation; some that are older than ``BRAIN_SESSION_DAYS`` are deleted with that, and somebody's idle ones end.

    Of somebody's conversations without a question the oldest go when there are more than ``KEPT_EMPTY``.
    """

    def begin(connection: Connection) -> Session:
        hold_tenant(engine.database, connection, tenant)
        store.purge_sessions(connection, tenant, before=kept_since(engine), limit=PURGED_AT_ONCE)
        store.end_idle_sessions(connection, tenant, before=idle_since(engine), user_hash=user_hash)
        store.drop_empty_sessions(connection, tenant, user_hash=user_hash, kept=KEPT_EMPTY - 1)
        return store.insert_session(connection, tenant, uuid4(), user_hash=user_hash)

    return engine.database.write(tenant, begin)


@contextmanager
def begun_session(engine: Engine, tenant: TenantId, *, user_hash: str) -> Iterator[Session]:
    """Begin a conversation for the question that is asked within the block; where that fails and nothing was said, it is gone again."""
    session = begin_session(engine, tenant, user_hash=user_hash)
    try:
        yield session
    except RagError:
        forget = partial(store.delete_empty_session, tenant=tenant, session_id=session.id, user_hash=user_hash)
        with suppress(RagError):
            engine.database.write(tenant, forget)
        raise


def list_sessions(
    engine: Engine, tenant: TenantId, *, user_hash: str, limit: int = LISTED, only_spoken: bool = False
) -> list[Session]:
    """Somebody's conversations, the one spoken in last first; ``only_spoken`` leaves out those that nothing was asked in."""
    read = partial(
        store.list_sessions,
        tenant=tenant,
        user_hash=user_hash,
        since=kept_since(engine),
        limit=limit,
        only_spoken=only_spoken,
    )
    return engine.database.read(tenant, read, timeout_ms=engine.settings.request_timeout_ms)


def read_conversation(
    engine: Engine, tenant: TenantId, session_id: UUID, *, user_hash: str, limit: int = SHOWN_TURNS
) -> Conversation:
    """A conversation with its last turns.

    Raises:
        NotFoundError: there is none of that id, or it is somebody else's; nobody can tell which.
    """

    def read(connection: Connection) -> Conversation:
        session = store.find_session(connection, tenant, session_id, user_hash=user_hash, since=kept_since(engine))
        return Conversation(
            session=session, turns=tuple(store.fetch_turns(connection, tenant, session_id, limit=limit))
        )

    return engine.database.read(tenant, read, timeout_ms=engine.settings.request_timeout_ms)


def end_session(engine: Engine, tenant: TenantId, session_id: UUID, *, user_hash: str) -> None:
    """Say that a conversation is over; it can still be read, and another question takes it up again.

    Raises:
        NotFoundError: see ``read_conversation``.
    """
    _change(engine, tenant, session_id, partial(store.end_session, user_hash=user_hash))


def delete_session(engine: Engine, tenant: TenantId, session_id: UUID, *, user_hash: str) -> None:
    """Delete a conversation and every word of it.

    Raises:
        NotFoundError: see ``read_conversation``.
    """
    _change(engine, tenant, session_id, partial(store.delete_session, user_hash=user_hash))


def purge_sessions(database: Database, tenant: TenantId, *, before: datetime) -> int:
    """Delete all of a tenant's conversations that nobody has spoken in since then, batch by batch; how many."""
    purge = partial(store.purge_sessions, tenant=tenant, before=before, limit=PURGED_AT_ONCE)
    deleted = purged = database.write(tenant, purge)
    while purged == PURGED_AT_ONCE:
        purged = database.write(tenant, purge)
        deleted += purged
    return deleted


def end_idle_sessions(database: Database, tenant: TenantId, *, before: datetime) -> int:
    """End all of a tenant's conversations that nobody has spoken in since then, at their last question; how many."""
    return database.write(tenant, partial(store.end_idle_sessions, tenant=tenant, before=before))


def idle_since(engine: Engine) -> datetime:
    """Conversations that nobody has spoken in since then are over, until somebody asks in them again."""
    return datetime.now(UTC) - timedelta(minutes=engine.settings.session_idle_minutes)


def kept_since(engine: Engine) -> datetime:
    """Conversations that nobody has spoken in since then are gone, deleted or not."""
    return datetime.now(UTC) - timedelta(days=engine.settings.session_days)


def _change(
    engine: Engine, tenant: TenantId, session_id: UUID, change: Callable[[Connection, TenantId, UUID], bool]
) -> None:
    def run(connection: Connection) -> bool:
        return change(connection, tenant, session_id)

    if not engine.database.write(tenant, run):
        raise NotFoundError(f"no conversation {session_id}; it may have been deleted")
