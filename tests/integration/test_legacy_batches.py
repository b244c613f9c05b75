"""Batches of legacy notes, and which batches are stale or pending."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from attached_notes import ask, attach_texts, put_state

from rag_core.graph.rules import RuleExtractor
from rag_core.indexing.graph import stale_batches_with_graph
from rag_core.storage import batches
from rag_core.storage.batches import list_batches, pending_batches, register_batches, stale_batches


def test_legacy_notes_have_batches_of_their_own_beside_the_others(engine, tenant, make_note) -> None:
    for number in range(3):
        make_note(f"Nota propia {number}.")
    attach_texts(engine, tenant, (f"Nota antigua {number}." for number in range(150)))

    keys = register_batches(engine.database, tenant)

    assert keys == ["pruebas-000000", "pruebas.legacy-000001", "pruebas.legacy-000002"]
    assert Counter(ask(engine, tenant, "select batch_key, legacy_state from notes")) == {
        ("pruebas-000000", None): 3,
        ("pruebas.legacy-000001", "pending"): 100,
        ("pruebas.legacy-000002", "pending"): 50,
    }
    assert [(batch.key, batch.is_legacy) for batch in list_batches(engine.database)] == [
        ("pruebas-000000", False),
        ("pruebas.legacy-000001", True),
        ("pruebas.legacy-000002", True),
    ]


def test_each_kind_fills_its_own_open_batch_first(engine, tenant, make_note) -> None:
    make_note("Una.")
    attach_texts(engine, tenant, {"a": "Antigua."})
    register_batches(engine.database, tenant)
    make_note("Otra.")
    attach_texts(engine, tenant, {"b": "Más antigua."})

    assert register_batches(engine.database, tenant) == []
    assert Counter(key for (key,) in ask(engine, tenant, "select batch_key from notes")) == {
        "pruebas-000000": 2,
        "pruebas.legacy-000001": 2,
    }


def test_many_notes_are_placed_in_pages_and_in_order(engine, tenant, monkeypatch) -> None:
    monkeypatch.setattr(batches, "REGISTER_NOTES", 70)
    attach_texts(engine, tenant, (f"Nota antigua {number}." for number in range(350)))

    keys = register_batches(engine.database, tenant)

    assert len(keys) == 4
    in_order = ask(
        engine,
        tenant,
        "select batch_key from notes order by created_at desc, note_id",
    )
    assert [key for (key,) in in_order] == [key for key in keys for _ in range(100)][:350]


def test_two_who_register_at_once_place_every_note_once(engine, tenant, monkeypatch) -> None:
    monkeypatch.setattr(batches, "REGISTER_NOTES", 40)
    attach_texts(engine, tenant, (f"Nota antigua {number}." for number in range(300)))

    with ThreadPoolExecutor(3) as threads:
        made = [
            key for keys in threads.map(lambda _: register_batches(engine.database, tenant), range(3)) for key in keys
        ]

    assert sorted(made) == [f"pruebas.legacy-{number:06}" for number in range(3)]
    assert (
        sorted(count for (count,) in ask(engine, tenant, "select count(*) from notes group by batch_key")) == [100] * 3
    )


def test_a_note_that_is_being_written_is_left_to_the_next_time(engine, tenant, make_note) -> None:
    note, other = make_note("Una."), make_note("Otra.")

    with engine.database.transaction(tenant) as connection:
        connection.execute("select from notes where note_id = %s for no key update", [note])
        register_batches(engine.database, tenant)
    assert ask(engine, tenant, "select note_id from notes where batch_key is null") == [(note,)]

    register_batches(engine.database, tenant)
    assert ask(engine, tenant, "select distinct batch_key from notes") == [("pruebas-000000",)]
    assert note != other


def test_batches_of_a_million_notes_keep_their_keys_apart(engine, tenant, make_note) -> None:
    with engine.database.owner() as connection:
        connection.execute(
            "insert into brain.batches (tenant_id, batch_key, sequence) values (%s, %s, 999999)",
            (tenant, f"{tenant}-999999"),
        )
        connection.execute("set search_path = brain")
    for number in range(101):
        make_note(f"Nota {number}.")

    assert register_batches(engine.database, tenant) == ["pruebas-1000000"]


def test_pending_notes_are_neither_stale_nor_to_be_read_and_their_batches_are_pending(
    engine, tenant, make_note
) -> None:
    make_note("Nota propia.")
    attach_texts(engine, tenant, {"a": "Nota antigua."})
    register_batches(engine.database, tenant)
    fingerprint = engine.pipeline.fingerprint

    assert stale_batches(engine.database, tenant, fingerprint=fingerprint) == ["pruebas-000000"]
    assert pending_batches(engine.database, tenant) == ["pruebas.legacy-000001"]
    assert stale_batches_with_graph(engine.database, tenant, fingerprint=fingerprint, extractor=RuleExtractor()) == [
        "pruebas-000000"
    ]


def test_a_migrated_note_whose_text_changed_is_stale_like_any_other(engine, tenant, index_notes) -> None:
    attach_texts(engine, tenant, {"a": "Nota antigua."})
    register_batches(engine.database, tenant)
    with engine.database.owner() as connection:
        connection.execute("update brain.notes set legacy_state = 'migrated'")

    assert stale_batches(engine.database, tenant, fingerprint=engine.pipeline.fingerprint) == ["pruebas.legacy-000000"]
    assert pending_batches(engine.database, tenant) == []


@pytest.mark.parametrize(("attempts", "listed"), [(2, True), (3, False)])
def test_notes_that_failed_three_times_are_passed_over(engine, tenant, make_note, attempts, listed) -> None:
    make_note("Nota propia.", external_id="propia")
    attach_texts(engine, tenant, {"antigua": "Nota antigua."})
    register_batches(engine.database, tenant)
    with engine.database.owner() as connection:
        connection.execute(
            "insert into brain.migration_failures (tenant_id, source, external_id, note_id, stage, attempts, reason) "
            "select tenant_id, source, external_id, note_id, 'chunking', %s, 'no' from brain.notes",
            [attempts],
        )

    stale = stale_batches(engine.database, tenant, fingerprint=engine.pipeline.fingerprint)

    assert (len(stale), len(pending_batches(engine.database, tenant))) == ((1, 1) if listed else (0, 0))


def test_after_a_rollback_nothing_is_stale(engine, tenant, make_note) -> None:
    make_note("Nota propia.")
    register_batches(engine.database, tenant)
    put_state(engine, tenant, "rolled_back")

    assert stale_batches(engine.database, tenant, fingerprint=engine.pipeline.fingerprint) == []
