"""One database a test module: an example has a tenant of its own instead, which costs next to nothing."""

from collections.abc import Iterator

import pytest
from databases import cloned_database
from properties.corpora import Corpus, build_library

from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings

NOBODY = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def engine(server: str, template: str) -> Iterator[Engine]:
    """A copy of the migrated database with the default embedding model, whatever the environment says."""
    with cloned_database(server, template) as url:
        settings = read_settings(
            database_url=url, tenant=None, ollama_host=NOBODY, request_timeout_ms=60_000, query_cache_seconds=0
        )
        with open_engine(settings) as opened:
            yield opened


@pytest.fixture(scope="module")
def library(engine: Engine) -> list[Corpus]:
    """Notes in the module's database for properties that only read: 12 tenants, 144 notes."""
    return build_library(engine)
