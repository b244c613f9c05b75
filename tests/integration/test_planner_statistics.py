"""The planner's figures after tables have grown: right at once, not when autovacuum comes by."""

from rag_core.indexing.publishing import maintain
from rag_core.storage.database import Database
from rag_core.storage.folding import fold_statistics
from rag_core.storage.vector_index import analyze_grown

FIGURES = """
select relpages, reltuples::bigint, pg_relation_size(oid) / current_setting('block_size')::int
from pg_class where oid = 'brain.posting_blocks'::regclass
"""
FORGET = "update pg_class set relpages = 1, reltuples = 1 where oid = 'brain.posting_blocks'::regclass"
NOTES = 30


def postings(database: Database) -> tuple[int, int, int]:
    """Pages and rows as the planner knows them, and pages as they are."""
    with database.owner() as connection:
        row = connection.execute(FIGURES).fetchone()
    assert row is not None
    return row


def forget(database: Database) -> None:
    with database.owner() as connection:
        connection.execute(FORGET)


def test_tables_that_grew_are_analysed_after_publication(engine, tenant, make_note, index_notes) -> None:
    for number in range(NOTES):
        make_note(" ".join(f"palabra{number * 100 + word}" for word in range(100)))
    index_notes()
    fold_statistics(engine.database, tenant)
    forget(engine.database)

    maintain(engine.database, tenant, engine.pipeline)

    known, rows, pages = postings(engine.database)
    assert known == pages
    assert rows == NOTES * 100


def test_tables_that_did_not_grow_are_left_alone(engine, tenant, make_note, index_notes) -> None:
    make_note("El tren llegó tarde a Vigo.")
    index_notes()
    analyze_grown(engine.database)

    assert analyze_grown(engine.database) == ()
