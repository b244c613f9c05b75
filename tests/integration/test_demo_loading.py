"""When the demo is loaded, and what it brings."""

from zoneinfo import ZoneInfo

from rag_core.evaluation.runs.passages import anchor, notes_to_read
from rag_core.model.note import TenantId
from rag_core.notes.importing import import_lines
from rag_core.operation.demo_corpus import SOURCE, demo_file, is_demo_wanted, load_demo
from rag_core.runtime.engine import DEMO_TENANT
from rag_core.settings import read_settings
from rag_core.storage.database import Database
from rag_core.storage.golden import fetch_golden_queries, fetch_note_contents
from rag_core.storage.overviews import count_totals


def test_an_empty_database_wants_the_demo_and_one_that_has_it_does_not(database: Database) -> None:
    assert is_demo_wanted(database)

    load_demo(database, read_settings())

    assert not is_demo_wanted(database)
    assert count_totals(database, DEMO_TENANT)[0] == 165
    with database.transaction(DEMO_TENANT) as connection:
        assert len(fetch_golden_queries(connection, DEMO_TENANT, set_name="default", category=None)) == 74


def test_every_query_of_the_demo_says_where_its_answer_stands(database: Database) -> None:
    load_demo(database, read_settings())

    with database.transaction(DEMO_TENANT) as connection:
        queries = fetch_golden_queries(connection, DEMO_TENANT, set_name="default", category=None)
        anchors = anchor(queries, fetch_note_contents(connection, DEMO_TENANT, notes_to_read(queries)))
    assert (len(queries), len(anchors.spans), anchors.lost) == (74, 74, 0)
    assert sum(len(one.spans) for query in queries for one in query.relevance) == 121
    assert all(query.key_facts for query in queries)


def test_a_load_that_was_interrupted_is_taken_up_again(database: Database) -> None:
    with demo_file("notes.jsonl").open("rb") as lines:
        import_lines(
            database,
            DEMO_TENANT,
            lines,
            source=SOURCE,
            language=None,
            zone=ZoneInfo("Europe/Madrid"),
            max_characters=1_000_000,
        )

    assert is_demo_wanted(database)


def test_a_database_with_somebodys_notes_does_not_want_the_demo(database: Database, tenant: TenantId) -> None:
    assert not is_demo_wanted(database)
