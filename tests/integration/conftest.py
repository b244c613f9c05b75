"""An open engine on the test's own database, and the pipeline without Dagster."""

from collections.abc import Callable, Iterator

import pytest
from filling import index_stale

from rag_core.indexing.staging import EmbedReport
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings

IndexNotes = Callable[..., EmbedReport]


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """The test's database with the default embedding model."""
    with open_engine(read_settings(database_url=database_url)) as opened:
        yield opened


@pytest.fixture
def index_notes(engine: Engine, tenant: TenantId) -> IndexNotes:
    """Run every stage over what is stale; how many vectors were computed and how many were there."""

    return lambda owner=tenant: index_stale(engine, owner)
