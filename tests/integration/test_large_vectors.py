"""Embedding models of more than 2,000 dimensions, of which pgvector indexes no whole vector."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import numpy as np
import pytest
from filling import TENANT, Filled, index_stale, store_note
from pgvector import Vector

from rag_core.configuration.schema import configure
from rag_core.model.embedding import EmbeddingModel
from rag_core.model.note import ChunkId, TenantId
from rag_core.model.retrieval import NO_FILTERS, Filters
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings
from rag_core.storage.database import open_database
from rag_core.storage.search import _semantic, _walk_settings, filter_parameters, search_semantic
from rag_core.storage.vector_index import drop_vector_index, ensure_vector_index, index_name

ALL = 10**6


def register(connection, *, name: str, dimensions: int, state: str) -> int:
    """Register a hashing model as `brain models add` does."""
    (model_id,) = connection.execute(
        "insert into brain.embedding_models (name, provider, version, dimensions, context_tokens, fusion_method,"
        " semantic_weight, fulltext_weight, searched_vectors, state)"
        " values (%s, 'hashing', '1', %s, 1000000, 'relative_score', 0.25, 0.75, 'contextual', %s) returning model_id",
        (name, dimensions, state),
    ).fetchone()
    return model_id


@pytest.fixture(params=[2_001, 3_072, 4_096])
def beginning(request: pytest.FixtureRequest, filled: Filled) -> str:
    """A database whose active model has that many dimensions, with the notes of ``many``."""
    return filled(f"vectors_of_{request.param}", partial(fill, dimensions=request.param))


def fill(url: str, *, dimensions: int) -> None:
    with open_database(read_settings(database_url=url)) as database, database.owner() as connection:
        connection.execute("update brain.embedding_models set state = 'retired'")
        register(connection, name="large", dimensions=dimensions, state="active")
    with open_engine(read_settings(database_url=url)) as engine:
        for number in range(40):
            text = f"Nota {number}: el tren de las {number} llega a la estación {number * 7}."
            source = "diario" if number % 2 else "correo"
            store_note(engine.database, TENANT, text, external_id=f"n{number + 1}", source=source)
        text = "El paraguas verde se quedó en el museo."
        store_note(engine.database, TENANT, text, external_id="paraguas", source="diario")
        index_stale(engine, TENANT)
        assert ensure_vector_index(engine.database, engine.model, exact_scan_chunks=0)


@pytest.fixture
def many() -> None:
    """Forty notes about trains, one about an umbrella, and an index over all; the test's database begins with them."""


def search(engine, owner, text="paraguas verde museo", *, few: int, filters: Filters = NO_FILTERS, limit: int = 10):
    return search_semantic(
        engine.database,
        owner,
        engine.embedder.embed([text], role="query")[0],
        model=engine.model,
        searched="contextual",
        limit=limit,
        timeout_ms=20_000,
        filters=filters,
        exact_scan_chunks=few,
    )


def plan_of_walk(engine, owner, filters: Filters = NO_FILTERS) -> str:
    vector = Vector(engine.embedder.embed(["paraguas"], role="query")[0])
    parameters = {"tenant": owner, "vector": vector, "limit": 5, "candidates": 10} | filter_parameters(filters, few=0)
    settings = _walk_settings(engine.model, 10) | {"enable_sort": "off", "enable_seqscan": "off"}
    with engine.database.transaction(owner, local=settings) as connection:
        statement = "explain " + _semantic(
            filters, engine.model, "contextual", is_whole=filters.is_empty, gap=0.0
        ).as_string(connection)
        return "\n".join(line for (line,) in connection.execute(statement, parameters).fetchall())


def assert_same_but_for_ties(found, exact) -> None:
    """Of several chunks equally far at the last place either may be found."""
    assert [score for _, score in found] == pytest.approx([score for _, score in exact])
    last = exact[-1][1] + 1e-6
    assert [chunk for chunk, score in found if score > last] == [chunk for chunk, score in exact if score > last]


def test_the_index_finds_what_a_comparison_of_all_finds(engine, tenant, many) -> None:
    exact, indexed = search(engine, tenant, few=ALL), search(engine, tenant, few=0)

    assert len(exact) == 10
    assert_same_but_for_ties(indexed, exact)


@pytest.mark.parametrize("few", [ALL, 0], ids=["few are allowed", "many are allowed"])
def test_filters_leave_the_scores_as_they_are(engine, tenant, many, few) -> None:
    everything = dict(search(engine, tenant, few=ALL, limit=50))

    found = search(engine, tenant, few=few, filters=Filters(sources=("diario",)), limit=50)

    assert len(found) == 21
    assert all(score == pytest.approx(everything[chunk]) for chunk, score in found)
    assert found[0][1] == max(everything.values())


def test_the_walk_uses_the_index(engine, tenant, many) -> None:
    name = index_name(engine.model, "contextual")

    assert f"Index Scan using {name}" in plan_of_walk(engine, tenant)
    assert f"Index Scan using {name}" in plan_of_walk(engine, tenant, Filters(since=datetime(2000, 1, 1, tzinfo=UTC)))


def test_a_small_tenant_gets_all_its_results_through_the_index(engine, tenant, make_note, index_notes, many) -> None:
    other = TenantId("otra")
    for number in range(10):
        make_note(f"Apunte {number} sobre el huerto y sus tomates.", owner=other)
    index_notes(other)

    mine, theirs = search(engine, tenant, few=0, limit=50), search(engine, other, few=0, limit=50)

    assert (len(mine), len(theirs)) == (41, 10)
    assert {chunk for chunk, _ in mine}.isdisjoint(chunk for chunk, _ in theirs)


def test_a_model_beside_it_has_an_index_and_results_of_its_own(engine, tenant, many) -> None:
    model = candidate(engine, dimensions=2_500)
    vectors = np.random.default_rng(7).standard_normal((41, 2_500)).astype(np.float32)
    chunks = plant(engine, tenant, model, vectors)

    assert ensure_vector_index(engine.database, model, exact_scan_chunks=0)
    found, own = nearest(engine, tenant, model, vectors[3]), search(engine, tenant, few=0)

    assert found[0] == (chunks[3], pytest.approx(1.0))
    assert_same_but_for_ties(own, search(engine, tenant, few=ALL))


def test_dimensions_that_the_index_does_not_know_decide_the_order(engine, tenant, many) -> None:
    model = candidate(engine, dimensions=4_096)
    vectors = np.zeros((41, 4_096), dtype=np.float32)
    vectors[:, 0] = 1
    vectors[:, 4_050] = np.linspace(-0.5, 0.5, 41)
    chunks = plant(engine, tenant, model, vectors)
    ensure_vector_index(engine.database, model, exact_scan_chunks=0)

    found = nearest(engine, tenant, model, vectors[40], limit=25)

    assert [chunk for chunk, _ in found] == chunks[:15:-1]


def candidate(engine, *, dimensions: int) -> EmbeddingModel:
    """A model beside the active one."""
    with engine.database.owner() as connection:
        model_id = register(connection, name="beside", dimensions=dimensions, state="candidate")
    return replace(engine.model, id=model_id, name="beside", dimensions=dimensions, state="candidate")


def plant(engine, owner, model, vectors) -> list[ChunkId]:
    """Give each chunk one of the vectors; the chunks in the vectors' order."""
    with engine.database.owner() as connection:
        rows = connection.execute("select chunk_id from brain.chunks order by chunk_id").fetchall()
        for (chunk,), vector in zip(rows, vectors, strict=True):
            connection.execute(
                "insert into brain.embeddings (tenant_id, model_id, kind, chunk_id, input_hash, vector)"
                " values (%s, %s, 'contextual', %s, sha256('x'), %s::real[]::vector)",
                (owner, model.id, chunk, vector.tolist()),
            )
    return [chunk for (chunk,) in rows]


def nearest(engine, owner, model, vector, *, limit: int = 5):
    return search_semantic(
        engine.database,
        owner,
        vector,
        model=model,
        searched="contextual",
        limit=limit,
        timeout_ms=20_000,
        exact_scan_chunks=0,
    )


def test_an_index_is_dropped_once(engine, tenant, many) -> None:
    assert drop_vector_index(engine.database, engine.model)
    assert not drop_vector_index(engine.database, engine.model)
    assert search(engine, tenant, few=0)[0][1] > 0


def test_the_whole_path_of_a_question_finds_the_note(engine, tenant, many) -> None:
    config = configure({}, strategy="semantic")

    found = retrieve(engine, tenant, "¿dónde se quedó el paraguas verde?", config=config, timeout_ms=20_000)

    assert found.hits[0].external_id == "paraguas"
