"""The corpus version: every committed change of what can be found makes it another one, and writers do not wait."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg
import pytest

from rag_core.indexing.publishing import maintain
from rag_core.model.note import TenantId
from rag_core.runtime.cache import build_caches, cached_retrieval, query_key
from rag_core.runtime.engine import Engine
from rag_core.storage.database import Database
from rag_core.storage.notes import delete_notes
from rag_core.storage.versions import corpus_version

LONG_MS = 10_000


@pytest.fixture
def version(database: Database, tenant: TenantId):
    return lambda owner=tenant: corpus_version(database, owner, timeout_ms=LONG_MS)


def test_it_stays_while_nothing_changes(version, make_note) -> None:
    make_note("Dormí mal.")

    assert version() == version()


def test_a_new_note_makes_it_another_one(version, make_note) -> None:
    before = version()

    make_note("Dormí mal.")

    assert version() != before


@pytest.mark.parametrize(
    "change",
    [
        {"text": "Dormí muy mal."},
        {"title": "Otra noche"},
        {"created_at": "2024-01-01"},
        {"metadata": {"ánimo": "bajo"}},
        {"language": "de"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_change_of_a_note_makes_it_another_one(version, make_note, change: dict[str, object]) -> None:
    given = {"text": "Dormí mal.", "external_id": "n1", "created_at": "2025-03-03"}
    make_note(**given)
    before = version()

    make_note(**given | change)

    assert version() != before


@pytest.mark.parametrize("column", ["tags = '{noche}'", "kind = 'document'", "source = 'otra'"])
def test_a_change_by_plain_sql_makes_it_another_one(
    database: Database, tenant: TenantId, version, make_note, column: str
) -> None:
    make_note("Dormí mal.")
    before = version()

    with database.transaction(tenant) as connection:
        connection.execute(f"update notes set {column}")

    assert version() != before


def test_a_deleted_note_makes_it_another_one(database: Database, tenant: TenantId, version, make_note) -> None:
    make_note("Dormí bien.")
    note = make_note("Dormí mal.")
    before = version()

    with database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [note])

    assert version() != before


def test_indexing_makes_it_another_one(version, make_note, index_notes) -> None:
    make_note("Dormí mal.")
    before = version()

    index_notes()

    assert version() != before


def test_vectors_of_chunks_that_are_there_already_make_it_another_one(
    database: Database, tenant: TenantId, version, make_note, index_notes
) -> None:
    make_note("Dormí mal.")
    index_notes()
    with database.transaction(tenant) as connection:
        connection.execute("create temporary table kept on commit drop as select * from embeddings")
        connection.execute("delete from embeddings")
        before = connection.execute("select count(*) from corpus_statistics").fetchone()

        connection.execute("insert into embeddings select * from kept")

        assert connection.execute("select count(*) from corpus_statistics").fetchone() > before


def test_what_the_causal_graph_learns_and_forgets_makes_it_another_one(
    database: Database, tenant: TenantId, version, make_note
) -> None:
    note = make_note("Dormí mal porque tomé café.")
    seen = [version()]

    for statement in (
        "insert into entities (tenant_id, entity_id, key, name) values (%(t)s, %(a)s, 'cafe', 'café'), (%(t)s, %(b)s, 'x', 'x')",
        "insert into entity_aliases values (%(t)s, 'cafe', %(a)s, 'es', 'café', '{caf}')",
        "insert into relations values (%(t)s, %(a)s, %(a)s, %(b)s, 'CAUSES', %(n)s, %(n)s, 0, 5, 1, 'prueba')",
        "update entities set name = 'Café'",
        "delete from relations",
    ):
        with database.transaction(tenant) as connection:
            connection.execute(statement, {"t": tenant, "a": UUID(int=1), "b": UUID(int=2), "n": note})
        seen.append(version())

    assert len(set(seen[2:])) == 4
    assert seen[2] != seen[0]


def test_it_was_never_there_before_whatever_is_folded_between(
    engine: Engine, tenant: TenantId, version, make_note, index_notes
) -> None:
    seen = [version()]

    for number in range(4):
        make_note(f"Noche número {number}.", external_id="n1")
        seen.append(version())
        index_notes()
        seen.append(version())
        if maintain(engine.database, tenant, engine.pipeline):
            seen.append(version())

    assert len(set(seen)) == len(seen) == 13


def test_a_change_that_is_rolled_back_leaves_it(database: Database, tenant: TenantId, version, make_note) -> None:
    make_note("Dormí mal.")
    before = version()

    with pytest.raises(RuntimeError), database.transaction(tenant) as connection:
        connection.execute("update notes set title = 'Otra'").rowcount  # noqa: B018  sent, so that it is rolled back
        raise RuntimeError

    assert version() == before


def test_a_change_is_invisible_until_it_is_committed(
    database: Database, database_url: str, tenant: TenantId, version, make_note
) -> None:
    make_note("Dormí mal.")
    before = version()

    with psycopg.connect(database_url) as writer:
        writer.execute("set search_path = brain")
        writer.execute("update notes set title = 'Otra'")
        during = version()

    assert during == before
    assert version() != before


def test_transactions_that_commit_in_another_order_than_they_began_are_not_missed(
    database_url: str, version, make_note
) -> None:
    make_note("Uno.", external_id="n1")
    make_note("Dos.", external_id="n2")
    with psycopg.connect(database_url) as first, psycopg.connect(database_url) as second:
        for writer, name in ((first, "n1"), (second, "n2")):
            writer.execute("set search_path = brain")
            writer.execute("update notes set title = 'Otra' where external_id = %s", (name,))
        seen = [version()]

        second.commit()
        seen.append(version())
        first.commit()
        seen.append(version())

    assert len(set(seen)) == 3


def test_writers_do_not_wait_for_each_other(database_url: str, make_note) -> None:
    make_note("Uno.", external_id="n1")
    make_note("Dos.", external_id="n2")

    with psycopg.connect(database_url) as first, psycopg.connect(database_url) as second:
        for writer, name in ((first, "n1"), (second, "n2")):
            writer.execute("set search_path = brain")
            writer.execute("set lock_timeout = '2s'")
            updated = writer.execute("update notes set title = 'Otra' where external_id = %s", (name,))

            assert updated.rowcount == 1


def test_many_writers_at_once_are_all_seen(database: Database, tenant: TenantId, version, make_note) -> None:
    ids = [make_note(f"Nota {number}.") for number in range(8)]
    seen: list[str] = [version()]
    lock = threading.Lock()

    def write(note) -> None:
        for round_number in range(5):
            with database.transaction(tenant) as connection:
                connection.execute("update notes set title = %s where note_id = %s", (str(round_number), note))
            found = version()
            with lock:
                seen.append(found)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, ids))

    assert len({tuple(one.split(".")) for one in seen}) >= 2
    assert int(version().split(".")[0]) - int(seen[0].split(".")[0]) == 40


def test_another_tenants_changes_leave_it(version, make_note) -> None:
    make_note("Dormí mal.")
    before = version()

    make_note("Schlecht geschlafen.", owner=TenantId("berta"), language="de")

    assert version() == before
    assert version(TenantId("berta")) != before


def test_a_query_kept_before_a_write_is_not_given_after_it(
    engine: Engine, tenant: TenantId, version, make_note
) -> None:
    from datetime import date

    from rag_core.configuration.schema import configure
    from rag_core.model.retrieval import NO_FILTERS
    from rag_core.retrieval.retrieve import retrieve

    cache = build_caches(query_seconds=300, embedding_seconds=0, context_seconds=0).query
    config = configure(strategy="fulltext")
    searches = itertools.count()
    make_note("El tren a Vigo llegó tarde.", external_id="n1")

    def search():
        next(searches)
        return retrieve(engine, tenant, "tren", config=config, timeout_ms=LONG_MS)

    def ask() -> list[str]:
        key = query_key(
            tenant=tenant,
            query="tren",
            config_hash="0" * 16,
            filters=NO_FILTERS,
            corpus_version=version(),
            today=date(2025, 3, 3),
            timeout_ms=LONG_MS,
        )
        found = cached_retrieval(cache, key, search, text="tren", timeout_ms=LONG_MS)
        return sorted(hit.external_id for hit in found.hits)

    before = [ask(), ask()]
    make_note("El tren a Lugo salió pronto.", external_id="n2")
    after = [ask(), ask()]

    assert before == [["n1"], ["n1"]]
    assert after == [["n1", "n2"], ["n1", "n2"]]
    assert next(searches) == 2
