"""Classification of the driver's errors: failed connections and statements, and failures that a retry may mend.

Not here: which of our errors it becomes for a caller, and in which words (``rag_core.storage.database``).
"""

import time
from collections.abc import Callable
from typing import TypeVar

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from rag_core.errors import DiskFullError
from rag_core.resilience.retries import keep_arguments_out_of_logs

READ_ATTEMPTS = 3
_DISK_FULL = "53100"
Result = TypeVar("Result")


def is_unreachable(error: Exception) -> bool:
    """Tell whether the connection failed; a deadlock is an OperationalError too, and no reason to reconnect.

    SQLSTATE classes: 08 connection, 53 resources (such as too many connections), 57 intervention (such as shutdown).
    """
    if not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return not isinstance(error, psycopg.Error)  # the pool's own errors
    return error.sqlstate is None or (error.sqlstate[:2] in {"08", "53", "57"} and error.sqlstate != _DISK_FULL)


def disk_full_of(error: psycopg.errors.DiskFull) -> DiskFullError:
    """Return the error for a statement that found the server's disk full."""
    said = error.diag.message_primary or str(error)
    return DiskFullError(f"the disk of PostgreSQL is full ({said})")


def is_of_tenants(error: psycopg.errors.ForeignKeyViolation) -> bool:
    """Tell whether a row was refused because its tenant does not exist; PostgreSQL named these constraints."""
    return error.diag.constraint_name == f"{error.diag.table_name}_tenant_id_fkey"


def is_lost(error: Exception) -> bool:
    """Tell whether a connection broke in use, so that another one may work; else none could be opened."""
    return isinstance(error.__cause__, psycopg.Error) and not isinstance(error.__cause__, PoolTimeout | PoolClosed)


def again_when_lost(attempt: Callable[[], Result], *, until: float) -> Result:
    """Try again after a lost connection, a little later each time, none begun after ``until``."""
    import stamina  # 0.1 s, needed only then

    keep_arguments_out_of_logs()
    left = max(0.001, until - time.monotonic())
    again = stamina.RetryingCaller(
        attempts=READ_ATTEMPTS - 1, timeout=left, wait_initial=0.05, wait_max=0.5, wait_jitter=0.05
    )
    return again(is_lost, attempt)
