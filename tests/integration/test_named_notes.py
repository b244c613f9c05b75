"""Names in notes as they are stored: when, for whom, until when, and by whose decision."""

from collections.abc import Callable

import pytest
from causal_notes import read_notes as read_notes  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.errors import InvalidInputError, NotFoundError
from rag_core.graph.mentions import MAX_MENTIONS
from rag_core.model.note import NoteId, TenantId
from rag_core.operation.status import read_status
from rag_core.runtime.engine import Engine
from rag_core.storage import entities as store
from rag_core.storage.graph import list_graph_stale_batches

MakeNote = Callable[..., NoteId]
ReadNotes = Callable[..., object]
TABLES = ("named_entities", "entity_names", "entity_name_blocks", "named_mentions", "named_notes", "named_relations")


def names(engine: Engine, tenant: TenantId, kind: str = "PERSON") -> dict[str, list[str]]:
    """The names of each entity."""
    with engine.database.transaction(tenant) as connection:
        found = [one for one in store.list_entities(connection, tenant) if one.kind == kind]
        return {
            one.name: sorted(name.name for name in store.fetch_entity_names(connection, tenant, one.id))
            for one in found
        }


def entity(engine: Engine, tenant: TenantId, name: str) -> store.ListedEntity:
    with engine.database.transaction(tenant) as connection:
        return next(one for one in store.list_entities(connection, tenant, search=name) if one.name == name)


def count(engine: Engine, table: str) -> int:
    with engine.database.owner() as connection:
        row = connection.execute(f"select count(*) from brain.{table}").fetchone()
    assert row is not None
    return row[0]


def test_names_of_notes_are_one_entity_where_the_rules_say_so(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    make_note("Cené con Birgit Lohmann. Por la tarde llamó Birgit.")
    make_note("Lo firma B. Lohmann, no Max Lohmann.")
    read_notes()

    assert names(engine, tenant) == {"Birgit Lohmann": ["B. Lohmann", "Birgit Lohmann"], "Max Lohmann": ["Max Lohmann"]}


def test_each_mention_lies_in_its_note_and_says_how_it_was_found(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    make_note("Mi jefa, Birgit Lohmann, se ríe.")
    read_notes()

    found = entity(engine, tenant, "Birgit Lohmann")
    with engine.database.transaction(tenant) as connection:
        places = store.fetch_entity_places(connection, tenant, found.id, limit=10)

    assert [(one.around[one.offset : one.offset + one.end - one.start], one.method) for one in places] == [
        ("Mi jefa", "kinship"),
        ("Birgit Lohmann", "list"),
    ]


def test_names_of_other_notes_tell_the_kind(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    make_note("El proyecto Mirlo empieza.")
    read_notes()
    make_note("El jueves toca Mirlo otra vez.")
    read_notes()

    assert entity(engine, tenant, "Mirlo").notes == 2


def test_nothing_is_left_of_a_note_that_was_deleted(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    note = make_note("Birgit Lohmann trabaja en Renfe por 20 €.")
    read_notes()
    assert (count(engine, "named_mentions"), count(engine, "named_relations")) == (3, 1)

    with engine.database.transaction(tenant) as connection:
        connection.execute("delete from notes where note_id = %s", [note])

    assert [count(engine, table) for table in TABLES] == [0] * 6


def test_relations_are_told_of_both_ends_until_the_note_says_no_more(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    note = make_note("Llueve. Birgit Lohmann trabaja en Renfe.", external_id="a")
    read_notes()
    ids = [entity(engine, tenant, name).id for name in ("Birgit Lohmann", "Renfe")]
    with engine.database.transaction(tenant) as connection:
        told = [store.fetch_entity_relations(connection, tenant, one, limit=10) for one in ids]
        edges = connection.execute("select kind, note_id from edges order by 1").fetchall()
    make_note("Birgit Lohmann ya no trabaja en Renfe.", external_id="a")
    with engine.database.transaction(tenant) as connection:
        unread = store.fetch_entity_relations(connection, tenant, ids[0], limit=10)
    read_notes()

    assert [[(one.kind, one.is_source, one.name, one.evidence) for one in found] for found in told] == [
        [("WORKS_FOR", True, "Renfe", "Birgit Lohmann trabaja en Renfe.")],
        [("WORKS_FOR", False, "Birgit Lohmann", "Birgit Lohmann trabaja en Renfe.")],
    ]
    assert edges == [("MENTIONS", note), ("MENTIONS", note), ("WORKS_FOR", note)]
    assert unread == []
    assert count(engine, "named_relations") == 0


def test_a_relation_that_many_notes_state_is_told_once_by_the_newest(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    for day in ("2025-03-01", "2025-03-03", "2025-03-02"):
        make_note(f"Birgit Lohmann trabaja en Renfe, {day}.", created_at=day)
    read_notes()
    birgit = entity(engine, tenant, "Birgit Lohmann")

    with engine.database.transaction(tenant) as connection:
        told = store.fetch_entity_relations(connection, tenant, birgit.id, limit=10)

    assert [one.evidence for one in told] == ["Birgit Lohmann trabaja en Renfe, 2025-03-03."]


def test_cause_and_effect_are_edges_too(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    make_note("Llegué tarde porque el tren se averió.")
    read_notes()

    with engine.database.transaction(tenant) as connection:
        kinds = connection.execute("select kind, evidence_start from edges").fetchall()

    assert kinds == [("CAUSES", 0)]


def test_a_link_is_an_edge_to_the_note_it_means(engine: Engine, tenant: TenantId, make_note: MakeNote) -> None:
    one, other = make_note("Ver [[Mirlo]]."), make_note("Es un proyecto.")
    with engine.database.owner() as connection:
        connection.execute(
            "insert into brain.note_names (tenant_id, note_id, source, name_key, rank) values (%s, %s, 'notas', 'mirlo', 3)",
            [tenant, other],
        )
        connection.execute(
            "insert into brain.note_links (tenant_id, note_id, link_index, kind, start_char, end_char, target, target_key)"
            " values (%s, %s, 0, 'wiki', 4, 13, 'Mirlo', 'mirlo')",
            [tenant, one],
        )

    with engine.database.transaction(tenant) as connection:
        edges = connection.execute("select kind, source_id, target_id, evidence_start from edges").fetchall()

    assert edges == [("REFERENCES", one, other, 4)]


def test_a_changed_note_names_what_it_says_now_and_decisions_stay(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    make_note("Cené con Birgit Lohmann y con Rosa Ferrer.", external_id="a")
    read_notes()
    with engine.database.transaction(tenant) as connection:
        store.rename_entity(connection, tenant, entity(engine, tenant, "Birgit Lohmann").id, "La jefa", actor="ana")

    make_note("Comí con Birgit Lohmann.", external_id="a")
    unread = names(engine, tenant)
    read_notes()

    assert unread == {}
    assert names(engine, tenant) == {"La jefa": ["Birgit Lohmann"]}


def test_notes_are_stale_until_their_names_are_read(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    from rag_core.graph.rules import RULES_FINGERPRINT

    make_note("Cené con Birgit Lohmann.")
    read_notes()
    fresh = list_graph_stale_batches(engine.database, tenant, fingerprint=RULES_FINGERPRINT)

    with engine.database.owner() as connection:
        connection.execute("update brain.named_notes set fingerprint = 'names-0'")

    assert fresh == []
    assert len(list_graph_stale_batches(engine.database, tenant, fingerprint=RULES_FINGERPRINT)) == 1


def test_the_lag_is_the_age_of_the_oldest_text_that_the_graph_has_not_read(
    engine: Engine, tenant: TenantId, make_note: MakeNote, index_notes: Callable[..., object], read_notes: ReadNotes
) -> None:
    note = make_note("Cené con Birgit Lohmann.")
    make_note("Comí con Rosa Ferrer.")
    index_notes()
    with engine.database.owner() as connection:
        connection.execute("update brain.notes set updated_at = now() - interval '1 hour' where note_id = %s", [note])
        connection.execute("delete from brain.named_notes")
    lag = read_status(engine, tenant)["graph_lag_seconds"]

    read_notes()

    assert 3_600 <= lag < 4_200
    assert read_status(engine, tenant)["graph_lag_seconds"] is None


def test_a_merge_is_recorded_and_a_split_reverses_it(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    make_note("Cené con Birgit Lohmann y con Rosa Ferrer.")
    read_notes()
    one, other = entity(engine, tenant, "Rosa Ferrer"), entity(engine, tenant, "Birgit Lohmann")

    with engine.database.transaction(tenant) as connection:
        store.merge_entities(connection, tenant, one.id, other.id, actor="ana")
        merged = {
            name.name: (name.method, name.decided_by) for name in store.fetch_entity_names(connection, tenant, other.id)
        }
        back = store.split_entity(connection, tenant, other.id, ["Rosa Ferrer"], actor="bea")

    assert merged == {"Birgit Lohmann": ("exact", "rules"), "Rosa Ferrer": ("merge", "ana")}
    assert back == one.id
    assert names(engine, tenant) == {"Birgit Lohmann": ["Birgit Lohmann"], "Rosa Ferrer": ["Rosa Ferrer"]}


def test_what_cannot_be_decided_is_said(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    make_note("Cené con Birgit Lohmann en Sevilla.")
    read_notes()
    person, place = entity(engine, tenant, "Birgit Lohmann"), entity(engine, tenant, "Sevilla")

    with engine.database.transaction(tenant) as connection:
        with pytest.raises(InvalidInputError, match="only entities of one kind"):
            store.merge_entities(connection, tenant, person.id, place.id, actor="ana")
        with pytest.raises(InvalidInputError, match="no other name"):
            store.split_entity(connection, tenant, person.id, ["Birgit Lohmann"], actor="ana")
        with pytest.raises(NotFoundError, match="has no name 'Rosa'"):
            store.split_entity(connection, tenant, person.id, ["Rosa"], actor="ana")


def test_departments_hide_names_counts_and_what_stands_beside(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    make_note("Cené con Birgit Lohmann en Sevilla.")
    make_note(
        "Frau Birgit Anna Lohmann-Quimbaya: despido de Birgit Lohmann y Rosa Ferrer. Birgit Lohmann trabaja en Renfe.",
        metadata={"visibility": "department", "department": "Ventas"},
    )
    read_notes()
    seen = engine.database.seen_by(["compras"])
    birgit = entity(engine, tenant, "Birgit Lohmann")

    with seen.transaction(tenant) as connection:
        listed = {one.name: one.notes for one in store.list_entities(connection, tenant, sees_all=False)}
        beside = store.fetch_entities_beside(connection, tenant, birgit.id, limit=10, sees_all=False)
        related = store.fetch_entity_relations(connection, tenant, birgit.id, limit=10, sees_all=False)
        edges = connection.execute("select kind from edges order by 1").fetchall()
        counts = [connection.execute(f"select count(*) from {table}").fetchone() for table in TABLES]

    assert listed == {"Birgit Lohmann": 1, "Sevilla": 1}
    assert [one.name for one in beside] == ["Sevilla"]
    assert (related, edges) == ([], [("MENTIONS",), ("MENTIONS",)])
    assert counts == [(2,), (2,), (0,), (2,), (1,), (0,)]


def test_another_tenant_sees_nothing(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    make_note("Cené con Birgit Lohmann.")
    read_notes()

    with engine.database.transaction(TenantId("otra")) as connection:
        counts = [connection.execute(f"select count(*) from {table}").fetchone() for table in TABLES]

    assert counts == [(0,)] * 6


def test_a_note_of_many_names_is_stored_within_bounds(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: ReadNotes
) -> None:
    surnames = ["Q" + "".join("abcdefghij"[int(digit)] for digit in f"{number:04}") for number in range(10_000)]
    make_note(", ".join(f"Ana {surname}" for surname in surnames))

    read_notes()

    assert count(engine, "named_mentions") == MAX_MENTIONS
