"""Transactions: in which role, for which tenant, as whom, and how long.

``open_database`` is what every entry point calls: it starts the embedded server or reaches the one of
``DATABASE_URL``, creates and migrates the database, and hands out a ``Database``. The application's connections run as
``brain_app``, which owns nothing and cannot bypass row-level security; the tenant is set per transaction. Not here: how
connections are made (``connecting``), and what the driver's errors mean (``failures``).
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import psycopg
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from rag_core.errors import (
    CircuitOpenError,
    DatabaseSetupError,
    DatabaseUnavailableError,
    DeadlineExceededError,
    DiskFullError,
    QueryFailedError,
    RagError,
    ShareTakenError,
    TenantDeletedError,
    UnauthenticatedError,
)
from rag_core.model.note import TenantId, department_key
from rag_core.resilience.circuit_breaker import CircuitBreaker
from rag_core.resilience.shares import FairShares
from rag_core.settings import Settings
from rag_core.storage.connecting import (
    CONNECT_TIMEOUT_SECONDS,
    Connection,
    PoolFigures,
    application_pool,
    check_application_role,
    connect,
    ensure_database,
    public_address,
    settings_statement,
)
from rag_core.storage.disk import DiskState, disk_full, require_room
from rag_core.storage.failures import again_when_lost, disk_full_of, is_lost, is_of_tenants, is_unreachable
from rag_core.storage.migrate import migrate
from rag_core.telemetry.durations import Durations

__all__ = ["Connection", "Database", "PoolFigures", "open_database"]

Result = TypeVar("Result")

POOL_WAIT_SECONDS = 2.0
"""Limit for a request that waits for a connection; work without a deadline, such as indexing, waits ``CONNECT_TIMEOUT_SECONDS``."""
BREAKER_RESET_SECONDS = 2.0
"""The embedded server is back about a second after it was killed, so that long and no longer."""
_DEADLOCK_RETRIES = 2


class _ServerDownError(DatabaseUnavailableError):
    """No connection can be made: what the breaker counts."""


def database_breaker() -> CircuitBreaker:
    """Refuses at once while the server is down, so that requests need not wait for a connection one by one."""
    return CircuitBreaker("PostgreSQL", failure_threshold=5, window_seconds=10, reset_seconds=BREAKER_RESET_SECONDS)


@dataclass(slots=True)
class _Failures:
    """Attempts to connect that had failed when a connection was last to be had."""

    known: int = 0


@dataclass(slots=True)
class Database:
    """An open database: the application's pool and the owner's connection string.

    ``departments`` are whose notes its transactions see beside those of everybody, ordered; None sees all of the tenant's.
    ``shares`` keep one tenant from taking every connection; None where the process serves one tenant only.
    ``data_folder`` is where the embedded server keeps its data; None for another server.
    ``makes_tenants`` is False where it serves a key: a tenant that is gone is not made again by who may still remember its key.
    """

    owner_conninfo: str
    pool: ConnectionPool[Connection]
    revive: Callable[[], bool] | None = None
    breaker: CircuitBreaker = field(default_factory=database_breaker)
    _durations: Durations = field(default_factory=Durations)
    departments: tuple[str, ...] | None = None
    makes_tenants: bool = True
    shares: FairShares | None = None
    data_folder: Path | None = None
    disk: DiskState = field(default_factory=DiskState)
    _failures: _Failures = field(default_factory=_Failures)
    _reviving: threading.Lock = field(default_factory=threading.Lock)

    def seen_by(self, departments: Sequence[str] | None) -> "Database":
        """Return the pool for a caller who sees the notes of these departments beside those of everybody; None sees all.

        Row-level security holds every statement to it (``docs/decisions/0028-audiences.md``).
        """
        seen = None if departments is None else tuple(sorted({department_key(name) for name in departments}))
        return self if seen == self.departments else replace(self, departments=seen)

    def of_key(self, departments: Sequence[str] | None) -> "Database":
        """Return the pool for the holder of a key, whose writes are refused where the key's tenant was deleted."""
        seen = self.seen_by(departments)
        return replace(seen, makes_tenants=False) if seen.makes_tenants else seen

    def tenant_is_gone(self, tenant: TenantId) -> RagError:
        """Return the error for a write to a missing tenant: a key of a deleted tenant is invalid."""
        if self.makes_tenants:
            return TenantDeletedError(f"the tenant {tenant} was deleted meanwhile")
        return UnauthenticatedError(f"the tenant {tenant} of this API key was deleted", is_key_refused=True)

    @contextmanager
    def transaction(
        self,
        tenant: TenantId,
        *,
        timeout_ms: int | None = None,
        has_copy: bool = False,
        local: Mapping[str, str | int] | None = None,
    ) -> Iterator[Connection]:
        """A transaction as one tenant; it commits when the block ends and rolls back when it raises.

        The tenant, the statement timeout and other settings travel with the first statement of the block, in one
        round trip. ``has_copy`` turns that off, because COPY cannot be part of a pipeline; it
        begins only with room on the disk. The wait for a connection is
        part of ``timeout_ms``, and at most two seconds of it.

        Raises:
            DiskFullError: the server has no room, or not enough for what copies.
            DatabaseUnavailableError: no connection within the time allowed, or it broke.
            DeadlineExceededError: a statement took longer than ``timeout_ms``, or a lock than ``lock_timeout`` in ``local``.
            TenantDeletedError: the tenant was deleted before the transaction wrote for it; for a key UnauthenticatedError.
            QueryFailedError: the server refused a statement; its cause is the driver's error.
        """
        end = None if timeout_ms is None else time.monotonic() + timeout_ms / 1000
        if has_copy:
            self.require_room()
        try:
            with (
                self._connection(tenant, timeout_ms) as connection,
                self._durations.measured(),
                nullcontext() if has_copy else connection.pipeline(),
                connection.transaction(),
            ):
                left_ms = None if end is None else max(1, int((end - time.monotonic()) * 1000))
                connection.execute(*settings_statement(tenant, self.departments, left_ms, local or {}))
                yield connection
        except psycopg.errors.QueryCanceled as error:
            raise DeadlineExceededError(f"PostgreSQL did not answer within {timeout_ms} ms") from error
        except psycopg.errors.DiskFull as error:
            self.disk.is_full = True
            raise disk_full_of(error) from error
        except psycopg.errors.LockNotAvailable as error:
            raise DeadlineExceededError("others held what this was to change for too long; try again") from error
        except psycopg.errors.ForeignKeyViolation as error:
            if is_of_tenants(error):
                raise self.tenant_is_gone(tenant) from error
            raise _refused(error) from error
        except (psycopg.Error, PoolClosed) as error:
            if is_unreachable(error):
                self._revive_soon()
                raise self.unavailable(type(error).__name__) from error
            raise _refused(error) from error

    def read(
        self,
        tenant: TenantId,
        run: Callable[[Connection], Result],
        *,
        timeout_ms: int,
        local: Mapping[str, str | int] | None = None,
    ) -> Result:
        """Run ``run`` in a transaction that reads; after a lost connection again, twice at most, while time is left.

        ``run`` must change nothing, because it may be run several times.

        Raises:
            DatabaseUnavailableError, DeadlineExceededError, QueryFailedError: see ``transaction``.
        """
        end = time.monotonic() + timeout_ms / 1000

        def attempt() -> Result:
            left_ms = max(1, int((end - time.monotonic()) * 1000))
            with self.transaction(tenant, timeout_ms=left_ms, local=local) as connection:
                return run(connection)

        try:
            return attempt()
        except DatabaseUnavailableError as error:
            if not is_lost(error):
                raise
            return again_when_lost(attempt, until=end)

    def write(
        self,
        tenant: TenantId,
        run: Callable[[Connection], Result],
        *,
        has_copy: bool = False,
        local: Mapping[str, str | int] | None = None,
    ) -> Result:
        """Run ``run`` in a transaction that writes; after a deadlock, which undid it, again, twice at most.

        Raises:
            DatabaseUnavailableError, DeadlineExceededError, QueryFailedError: see ``transaction``.
        """
        for _ in range(_DEADLOCK_RETRIES):
            try:
                with self.transaction(tenant, has_copy=has_copy, local=local) as connection:
                    return run(connection)
            except QueryFailedError as error:
                if not isinstance(error.__cause__, psycopg.errors.DeadlockDetected):
                    raise
        with self.transaction(tenant, has_copy=has_copy, local=local) as connection:
            return run(connection)

    @contextmanager
    def _connection(self, tenant: TenantId, timeout_ms: int | None) -> Iterator[Connection]:
        seconds = CONNECT_TIMEOUT_SECONDS if timeout_ms is None else min(POOL_WAIT_SECONDS, timeout_ms / 1000)
        end = time.monotonic() + seconds
        with ExitStack() as stack:
            self._take_share(stack, tenant, seconds)
            left = max(0.0, end - time.monotonic())
            try:
                connection = self.breaker.call(lambda: self._taken(stack, left), counts=(_ServerDownError,))
            except (CircuitOpenError, _ServerDownError) as error:
                self._revive_soon()
                raise self.unavailable(str(error)) from error
            yield connection

    def _take_share(self, stack: ExitStack, tenant: TenantId, seconds: float) -> None:
        """Keep to what the tenant may have of the pool until the stack is closed."""
        if self.shares is None:
            return
        try:
            stack.enter_context(self.shares.place(tenant, timeout_seconds=seconds))
        except ShareTakenError as error:
            raise DatabaseUnavailableError(
                f"the tenant's share of {self.pool.max_size} connections to PostgreSQL was in use for {seconds:.1f} s; try again, "
                "or raise BRAIN_POOL_MAX_SIZE"
            ) from error

    def require_room(self) -> None:
        """Go on only where the embedded server has room for a batch.

        Raises:
            DiskFullError: it has not.
        """
        if self.data_folder is not None:
            require_room(self.data_folder)

    def unavailable(self, detail: str) -> DatabaseUnavailableError:
        """Return the error for a missing connection; a server that crashed on a full disk stays down until there is room."""
        full = None if self.data_folder is None else disk_full(self.data_folder)
        return full or DatabaseUnavailableError(f"no connection to PostgreSQL: {detail}")

    def _taken(self, stack: ExitStack, seconds: float) -> Connection:
        """A connection from the pool, given back when the stack is closed."""
        try:
            connection = stack.enter_context(self.pool.connection(timeout=seconds))
        except PoolTimeout as error:
            if self._failed_connections() > self._failures.known:
                raise _ServerDownError(f"none could be made within {seconds:.1f} s") from error
            raise DatabaseUnavailableError(
                f"all {self.pool.max_size} connections to PostgreSQL were in use for {seconds:.1f} s; try again, or raise "
                "BRAIN_POOL_MAX_SIZE"
            ) from error
        self._failures.known = self._failed_connections()
        return connection

    def _failed_connections(self) -> int:
        return self.pool.get_stats().get("connections_errors", 0)

    @property
    def figures(self) -> PoolFigures:
        """State and counters of the pool."""
        stats, durations = self.pool.get_stats(), self._durations.stats()
        return PoolFigures(
            size=stats["pool_size"],
            active=stats["pool_size"] - stats["pool_available"],
            waiting=stats["requests_waiting"],
            queries=durations.count,
            average_ms=durations.avg,
        )

    @contextmanager
    def owner(self) -> Iterator[Connection]:
        """An autocommit connection as owner of the schema: for migrations, DDL and lists over all tenants."""
        try:
            with connect(self.owner_conninfo) as connection:
                yield connection
        except psycopg.errors.DiskFull as error:
            self.disk.is_full = True
            raise disk_full_of(error) from error
        except psycopg.OperationalError as error:
            if isinstance(error, psycopg.errors.QueryCanceled):
                raise
            self._revive_soon()
            raise self.unavailable(str(error)) from error

    def _revive_soon(self) -> None:
        """Start a crashed embedded server again, once at a time, without making the caller wait."""
        if self.revive is None or not self._reviving.acquire(blocking=False):
            return
        threading.Thread(target=self._revive, name="revive-postgres", daemon=True).start()

    def _revive(self) -> None:
        assert self.revive is not None
        try:
            if self.revive():
                self.pool.check()
        except (DatabaseSetupError, DiskFullError):
            time.sleep(1)  # the next request tries again
        finally:
            self._reviving.release()


def _refused(error: Exception) -> QueryFailedError:
    return QueryFailedError(f"PostgreSQL refused a statement: {type(error).__name__}, {error}")


@contextmanager
def open_database(
    settings: Settings,
    *,
    pool_size: int = 4,
    is_shared: bool = False,
    prepare: Callable[[Connection], None] | None = None,
) -> Iterator[Database]:
    """Reach the database the settings name, started, created and migrated; ``is_shared`` among tenants, each has its share.

    ``prepare`` gets the owner's connection that migrated it: a connection of its own would cost some 10 ms.

    Raises:
        DatabaseUnavailableError: nobody answers at ``DATABASE_URL``.
        DiskFullError: the server has no room to start, or to be migrated.
        DatabaseSetupError: the server cannot be used; the message names what is missing.
    """
    shares, days = FairShares(pool_size) if is_shared else None, settings.note_version_days
    if settings.database_url is not None:
        _prepare(settings.database_url, prepare)
        with application_pool(settings.database_url, pool_size=pool_size, version_days=days) as pool:
            yield Database(owner_conninfo=settings.database_url, pool=pool, shares=shares)
        return
    from rag_core.storage.embedded import EmbeddedHome, embedded_server, revive  # psutil is needed for it only

    with embedded_server(settings.home, shared_buffers_mb=settings.shared_buffers_mb) as server:
        home, buffers = settings.home, settings.shared_buffers_mb
        folder = EmbeddedHome(root=home).data
        with _disk_full_told(folder):
            conninfo = ensure_database(server, "brain")
            _prepare(conninfo, prepare)
        with application_pool(conninfo, pool_size=pool_size, version_days=days) as pool:
            again = partial(revive, home, shared_buffers_mb=buffers)
            yield Database(owner_conninfo=conninfo, pool=pool, revive=again, shares=shares, data_folder=folder)


@contextmanager
def _disk_full_told(folder: Path) -> Iterator[None]:
    """Name a full disk as the cause where the embedded server fails before it can be used."""
    try:
        yield
    except (psycopg.OperationalError, DatabaseUnavailableError) as error:
        raise disk_full(folder) or DatabaseUnavailableError(str(error).strip()) from error


def _prepare(conninfo: str, prepare: Callable[[Connection], None] | None) -> None:
    """Migrate the database, have its tenants kept apart, and do what the caller wants done at the start."""
    try:
        with connect(conninfo) as connection:
            migrate(connection)
            check_application_role(connection)
            if prepare is not None:
                prepare(connection)
    except psycopg.ProgrammingError as error:
        raise DatabaseSetupError(
            f"DATABASE_URL cannot be used: {str(error).strip()}. It looks like postgresql://user:password@host:5432/database"
        ) from error
    except psycopg.errors.DiskFull as error:
        raise disk_full_of(error) from error
    except psycopg.OperationalError as error:
        raise DatabaseUnavailableError(
            f"no PostgreSQL answers at {public_address(conninfo)}: {str(error).strip()}. Check DATABASE_URL and that the server runs."
        ) from error
