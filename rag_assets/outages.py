"""An outage of PostgreSQL that Dagster's own storage meets first, told as one: Dagster knows only the driver's errors."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from typing import Any, TextIO

from rag_core.errors import DatabaseUnavailableError, DiskFullError, RagError
from rag_core.storage.database import Database

_NOT_WRITTEN = "Exception while writing logger call to event log"
_DISK_FULL = "53100"


@contextmanager
def outages_told(database: Database) -> Iterator[None]:
    """Raise an outage of Dagster's database as one of PostgreSQL; other errors pass.

    Raises:
        DiskFullError: the server's disk is full.
        DatabaseUnavailableError: the server went away.
    """
    with redirect_stderr(_WithoutUnwrittenEvents(sys.stderr)):
        try:
            yield
        except RagError:
            raise
        except Exception as error:  # Dagster wraps the driver's errors in several of its own
            if (problem := _outage(error)) is None:
                raise
            raise _unavailable(problem, database) from error


def _unavailable(problem: Any, database: Database) -> DatabaseUnavailableError:
    said = str(problem).partition("\n")[0]
    if getattr(problem, "pgcode", None) == _DISK_FULL:
        return DiskFullError(f"the disk of PostgreSQL is full ({said})")
    unavailable = database.unavailable(said)
    if isinstance(unavailable, DiskFullError):
        return unavailable
    return DatabaseUnavailableError(f"PostgreSQL went away ({said}). What was finished is kept; run the command again")


def _outage(error: BaseException | None) -> Any:
    """The driver's error that says so, among what this error came from; None where it came from something else."""
    from sqlalchemy.exc import InterfaceError, OperationalError

    while error is not None:
        if isinstance(error, OperationalError | InterfaceError):
            return error.orig or error
        error = error.__cause__ or error.__context__
    return None


class _WithoutUnwrittenEvents:
    """A stream without Dagster's lines about events that it could not store: the outage is told once, with its remedy."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the text unless it is such a line."""
        return len(text) if text.startswith(_NOT_WRITTEN) else self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
