"""An open engine on the test's own database, and the pipeline without Dagster."""

from collections.abc import Callable, Iterator

import pytest
from filling import engine_on, index_stale

from rag_core.indexing.staging import EmbedReport
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.database import Database

IndexNotes = Callable[..., EmbedReport]


@pytest.fixture
def engine(database: Database) -> Iterator[Engine]:
    """The test's database with the default embedding model."""
    with engine_on(database) as opened:
        yield opened


@pytest.fixture
def index_notes(engine: Engine, tenant: TenantId) -> IndexNotes:
    """Run every stage over what is stale; how many vectors were computed and how many were there."""

    return lambda owner=tenant: index_stale(engine, owner)
