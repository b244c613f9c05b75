"""Fifty notes among a hundred thousand: whoever may see only these gets ten of them, however the search goes about it."""

from collections.abc import Iterator

import numpy as np
import pytest
from databases import cloned_database

from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import TenantId
from rag_core.settings import read_settings
from rag_core.storage.database import Database, open_database
from rag_core.storage.models import find_model
from rag_core.storage.search import search_fulltext, search_semantic
from rag_core.storage.vector_index import EXACT_SCAN_CHUNKS, ensure_vector_index

LARGE, SMALL = TenantId("grande"), TenantId("pequena")
NOTES, FEW, DIMENSIONS = 100_000, 50, 16

pytestmark = pytest.mark.slow

_MODEL = """
insert into embedding_models (name, provider, version, dimensions, context_tokens, fusion_method, semantic_weight, fulltext_weight,
    searched_vectors, state)
values ('azar', 'hashing', 'azar', %(dimensions)s, 1000, 'rrf', 0.5, 0.5, 'standard', 'ready')
"""
_NOTES = """
insert into notes (tenant_id, note_id, source, external_id, content, content_hash, language, created_at, departments)
select %(tenant)s, md5(%(tenant)s || n)::uuid, 's', n::text, 'tren', sha256('x'), 'es', now(),
    case when n <= %(few)s then array['ventas'] else array['compras'] end
from generate_series(1, %(notes)s) n
"""
_CHUNKS = """
insert into chunks (tenant_id, chunk_id, note_id, chunk_index, start_char, end_char, content, token_count, chunking_method,
    language)
select tenant_id, note_id, note_id, 0, 0, 4, content, 1, 'whole_note', 'es' from notes
"""
_VECTORS = """
insert into embeddings (tenant_id, model_id, kind, chunk_id, input_hash, vector)
select c.tenant_id, m.model_id, 'standard', c.chunk_id, sha256(c.chunk_id::text::bytea), v.vector
from chunks c
join embedding_models m on m.name = 'azar'
cross join lateral (
    select array_agg(random() - 0.5)::vector as vector from generate_series(1, %(dimensions)s) where c.chunk_id is not null
) v
"""
_POSTINGS = """
insert into posting_blocks
select tenant_id, language, 'tren', count(*), min(number), max(number), true, string_agg(packed_posting(number, 1, 1), '')
from chunks group by 1, 2
"""
_CORPUS = """
insert into corpus_statistics (tenant_id, language, documents, total_length)
select tenant_id, 'es', count(*), count(*) from chunks group by 1
"""


@pytest.fixture(scope="module")
def crowded(server: str, template: str) -> Iterator[tuple[Database, EmbeddingModel]]:
    """Two tenants with vectors at random, all of them in one index; what the triggers keep up is filled in at once."""
    with cloned_database(server, template) as url, open_database(read_settings(database_url=url)) as database:
        with database.owner() as connection:
            connection.execute("set search_path = brain, public, extensions")
            connection.execute("set session_replication_role = replica")  # neither triggers nor foreign keys
            connection.execute(_MODEL, {"dimensions": DIMENSIONS})
            for tenant, notes in ((LARGE, NOTES), (SMALL, FEW)):
                connection.execute("insert into tenants values (%s)", (tenant,))
                connection.execute(_NOTES, {"tenant": tenant, "notes": notes, "few": FEW})
            connection.execute(_CHUNKS)
            connection.execute(_VECTORS, {"dimensions": DIMENSIONS})
            for statement in (_POSTINGS, _CORPUS):
                connection.execute(statement.encode())
            connection.execute("vacuum analyze")
            model = find_model(connection, "azar").model
        ensure_vector_index(database, model)
        yield database, model


def expected(database: Database, tenant: TenantId) -> set:
    with database.owner() as connection:
        rows = connection.execute(
            "select note_id from brain.notes where tenant_id = %s and departments = '{ventas}'", (tenant,)
        ).fetchall()
    return {row[0] for row in rows}


@pytest.mark.parametrize("few", [0, EXACT_SCAN_CHUNKS], ids=["walked", "as served"])
@pytest.mark.parametrize(("tenant", "departments"), [(SMALL, None), (LARGE, ["ventas"])], ids=["tenant", "department"])
def test_ten_of_fifty_are_found_by_meaning(crowded, tenant, departments, few) -> None:
    database, model = crowded
    limited = database.seen_by(departments)
    seen, drawn = expected(database, tenant), np.random.default_rng(7)

    for _ in range(10):
        vector = drawn.standard_normal(DIMENSIONS).astype(np.float32)
        same = {"model": model, "searched": "standard", "limit": 10, "timeout_ms": 30_000}
        found = search_semantic(limited, tenant, vector, exact_scan_chunks=few, **same)
        best = search_semantic(limited, tenant, vector, exact_scan_chunks=10**9, **same)

        assert len(found) == 10
        assert {chunk for chunk, _ in found} <= seen
        assert few == 0 or found == best  # a walk through the index is an approximation


@pytest.mark.parametrize(("tenant", "departments"), [(SMALL, None), (LARGE, ["ventas"])], ids=["tenant", "department"])
def test_ten_of_fifty_are_found_by_words(crowded, tenant, departments) -> None:
    database, _ = crowded

    found = search_fulltext(database.seen_by(departments), tenant, "tren", limit=10, timeout_ms=30_000).ranking

    assert len(found) == 10
    assert {chunk for chunk, _ in found} <= expected(database, tenant)
