import pytest
from psycopg import sql

from rag_core.errors import QueryFailedError
from rag_core.model.note import TenantId
from rag_core.storage.database import Database

OPERATORS = {"alerts", "service_minutes"}
WITHOUT_TENANT = {"schema_migrations", "embedding_models", "api_keys", *OPERATORS}
INDEX_BY_CHUNK = {"embeddings", "posting_blocks", "corpus_statistics", "entity_stems"}
"""Chunk ids, numbers and word stems: what the searches read, which ask the note of each chunk before they give it out."""
ONES_OWN = {"sessions", "queries", "turns", "retrieval_metrics", "feedback"}
"""What one caller asked and was told, read by that caller."""
SETTINGS = {"tenants", "migrations", "rerankers", "configurations", "promotions"}
SAYS_NOTHING_OF_A_NOTE = INDEX_BY_CHUNK | ONES_OWN | SETTINGS


def tables(database: Database) -> list[str]:
    with database.owner() as connection:
        rows = connection.execute(
            "select relname from pg_class where relnamespace = 'brain'::regnamespace and relkind = 'r'"
        )
        return sorted(row[0] for row in rows.fetchall() if row[0] not in WITHOUT_TENANT)


def policies(database: Database) -> dict[str, set[tuple[str, bool]]]:
    """Name and whether it is permissive, of each policy, by table."""
    with database.owner() as connection:
        rows = connection.execute(
            "select c.relname, p.polname, p.polpermissive from pg_policy p join pg_class c on c.oid = p.polrelid"
        ).fetchall()
    return {table: {(name, permissive) for of, name, permissive in rows if of == table} for table, _, _ in rows}


def test_every_table_has_a_tenant_and_a_policy_on_it(database: Database) -> None:
    with database.owner() as connection:
        rows = connection.execute(
            """
            select c.relname, c.relrowsecurity, bool_or(a.attname = 'tenant_id' and a.attnotnull)
            from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
            where c.relnamespace = 'brain'::regnamespace and c.relkind = 'r' group by 1, 2
            """
        ).fetchall()
    permissive = {table: {name for name, is_one in found if is_one} for table, found in policies(database).items()}

    assert {row for row in rows if row[0] not in WITHOUT_TENANT} == {(name, True, True) for name in tables(database)}
    assert permissive == {name: {"tenant"} for name in tables(database)}


def test_every_table_keeps_departments_apart_or_says_nothing_of_a_note(database: Database) -> None:
    apart = {table for table, found in policies(database).items() if ("audience", False) in found}

    assert apart.isdisjoint(SAYS_NOTHING_OF_A_NOTE)
    assert apart | SAYS_NOTHING_OF_A_NOTE == set(tables(database))


@pytest.mark.parametrize("table", sorted(OPERATORS))
def test_the_application_role_cannot_read_the_operators_tables(
    database: Database, tenant: TenantId, table: str
) -> None:
    with pytest.raises(QueryFailedError, match="InsufficientPrivilege"), database.transaction(tenant) as connection:
        connection.execute(sql.SQL("select count(*) from {}").format(sql.Identifier(table)))


def test_a_tenant_reads_nothing_of_another(database: Database, tenant: TenantId, make_note) -> None:
    make_note("El secreto de la abuela está en el pozo.")
    stranger = TenantId("otra")

    with database.transaction(stranger) as connection:
        for table in tables(database):
            rows = connection.execute(sql.SQL("select count(*) from {}").format(sql.Identifier(table))).fetchone()
            assert rows == (0,), table


def test_without_a_tenant_nothing_is_read(database: Database, tenant: TenantId, make_note) -> None:
    make_note("Nadie debe leer esto.")

    with database.pool.connection() as connection:
        assert connection.execute("select count(*) from notes").fetchone() == (0,)


def test_the_tenant_ends_with_its_transaction(database: Database, tenant: TenantId, make_note) -> None:
    make_note("Una nota.")
    with database.transaction(tenant) as connection:
        assert connection.execute("select count(*) from notes").fetchone() == (1,)

    with database.pool.connection() as connection:
        assert connection.execute("select count(*) from notes").fetchone() == (0,)


def test_a_tenant_cannot_write_for_another(database: Database, tenant: TenantId) -> None:
    with (
        pytest.raises(QueryFailedError, match="row-level security"),
        database.transaction(TenantId("otra")) as connection,
    ):
        connection.execute("insert into batches (tenant_id, batch_key, sequence) values (%s, 'x', 0)", (tenant,))
        connection.execute("select 1").fetchone()


def test_the_application_cannot_change_a_chunk_behind_the_index(
    database: Database, tenant: TenantId, make_note
) -> None:
    make_note("Una nota.")

    with pytest.raises(QueryFailedError, match="permission denied"), database.transaction(tenant) as connection:
        connection.execute("update chunks set content = 'otra'")
        connection.execute("select 1").fetchone()
