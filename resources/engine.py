"""The engine as a Dagster resource."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings


class EngineResource(dg.ConfigurableResource[Engine]):
    """Opens the database and the active model that the environment names, for one run."""

    @contextmanager
    def yield_for_execution(self, _context: dg.InitResourceContext) -> Iterator[Engine]:
        """The open engine; closed when the run ends.

        Raises:
            DatabaseUnavailableError, DatabaseSetupError: see ``open_engine``.
        """
        with open_engine(read_settings()) as engine:
            yield engine
