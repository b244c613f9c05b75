"""Changes of the causal graph by an edit, a deletion or another extractor."""

from collections.abc import Callable

import pytest
from causal_notes import LATE, SLEEP, Ask, FixedExtractor, MakeNote, UpdateGraph, _batches, _new_note, _rows, _snapshot
from causal_notes import ask as ask  # noqa: PLC0414  a fixture, re-exported to pytest
from causal_notes import read_notes as read_notes  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.graph.statements import Extraction
from rag_core.indexing.graph import relate_note
from rag_core.indexing.one_note import store_and_index
from rag_core.model.note import NoteId, TenantId, content_hash, note_id_for
from rag_core.runtime.engine import Engine
from rag_core.storage.graph import count_graph, list_graph_stale_batches
from rag_core.storage.notes import delete_notes


def test_a_second_run_reads_nothing_and_changes_nothing(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph
) -> None:
    make_note(SLEEP)
    make_note(LATE)
    first = read_notes()
    before = _snapshot(engine)

    second = read_notes()

    assert second.notes == 0
    assert second.entities == first.entities
    assert second.relations == first.relations
    assert _snapshot(engine) == before
    assert list_graph_stale_batches(engine.database, tenant, fingerprint="rules-2") == []


def test_indexing_anew_makes_the_note_stale_and_reading_it_again_restores_its_relations(
    engine: Engine,
    tenant: TenantId,
    make_note: MakeNote,
    read_notes: UpdateGraph,
    index_notes: Callable[[], object],
    ask: Ask,
) -> None:
    make_note(LATE)
    read_notes()
    before = ask("¿Por qué llegué tarde a la reunión?")

    index_notes()
    between = ask("¿Por qué llegué tarde a la reunión?")
    read_notes()
    after = ask("¿Por qué llegué tarde a la reunión?")

    assert between == []
    assert [hit.path_ids for hit in after] == [hit.path_ids for hit in before]
    assert after[0].chunk_id != before[0].chunk_id


def test_an_edit_replaces_what_the_note_said(
    make_note: MakeNote, read_notes: UpdateGraph, ask: Ask, engine: Engine
) -> None:
    make_note("La tormenta provocó el apagón.", external_id="a")
    read_notes()

    make_note("El cangrejo provocó el apagón.", external_id="a")
    read_notes()

    assert [hit.path for hit in ask("¿Por qué el apagón?")] == [("apagón", "cangrejo")]
    assert _rows(engine, "entities") == 2


def test_deleting_a_note_leaves_no_name_of_it(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph
) -> None:
    kept = make_note("La tormenta provocó el apagón.")
    gone = make_note("El apagón provocó el incendio.")
    read_notes()

    with engine.database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [gone])

    with engine.database.owner() as connection:
        names = connection.execute("select name from brain.entities order by 1").fetchall()
        notes = connection.execute("select distinct note_id from brain.mentions").fetchall()
    assert names == [("apagón",), ("tormenta",)]
    assert notes == [(kept,)]


def test_an_entity_that_loses_the_phrase_it_was_made_from_takes_on_another(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph, ask: Ask
) -> None:
    for subject in ("perro", "huerto", "violín", "tren", "mercado", "examen"):
        make_note(f"Hoy solo apunto algo del {subject}.")
    first = make_note("La fuga del gas provocó la explosión.")
    read_notes()
    make_note("La fuga del gas del sótano provocó el desalojo.")
    read_notes()
    before = ask("¿Qué efectos tuvo la fuga del gas?", direction="effects")

    with engine.database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [first])

    after = ask("¿Qué efectos tuvo la fuga del gas?", direction="effects")
    assert {hit.path for hit in before} == {("fuga del gas", "explosión"), ("fuga del gas", "desalojo")}
    assert [hit.path for hit in after] == [("fuga del gas del sótano", "desalojo")]


def test_one_note_is_related_at_once_unless_it_has_been_read(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph, ask: Ask
) -> None:
    text = "La tormenta provocó el apagón."
    note = make_note(text)
    facts = {"content": text, "language": "es", "content_hash": content_hash("es", None, text)}

    relate_note(engine.database, tenant, note, **facts)
    by_rules = ask("¿Por qué el apagón?")
    read_notes(extractor=FixedExtractor("apagón", "tormenta"))
    relate_note(engine.database, tenant, note, **facts)

    assert [hit.path for hit in by_rules] == [("apagón", "tormenta")]
    assert [hit.path for hit in ask("¿Por qué la tormenta?")] == [("tormenta", "apagón")]


def test_another_extractor_reads_every_note_again(make_note: MakeNote, read_notes: UpdateGraph, ask: Ask) -> None:
    make_note("La tormenta provocó el apagón.")
    read_notes()

    report = read_notes(extractor=FixedExtractor("apagón", "tormenta"))

    assert report.notes == 1
    assert [hit.path for hit in ask("¿Por qué la tormenta?")] == [("tormenta", "apagón")]
    assert ask("¿Por qué el apagón?") == []


def test_a_note_read_by_simpler_means_is_read_again_by_the_next_run(
    make_note: MakeNote, read_notes: UpdateGraph
) -> None:
    make_note("La tormenta provocó el apagón.")
    failing = FixedExtractor("tormenta", "apagón", given="rules-2")

    first, second = read_notes(extractor=failing), read_notes(extractor=FixedExtractor("tormenta", "apagón"))

    assert first.notes == 1
    assert second.notes == 1
    assert second.relations == 1


def test_a_note_edited_while_it_was_read_keeps_what_it_said_until_the_next_run(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph
) -> None:
    make_note("La tormenta provocó el apagón.", external_id="a")

    class Editing(FixedExtractor):
        def extract(self, text: str, *, language: object, sentences: object) -> Extraction:
            make_note("El apagón no tuvo causa ni tormenta.", external_id="a")
            return super().extract(text, language=language, sentences=sentences)

    report = read_notes(extractor=Editing("tormenta", "apagón"))

    assert report.notes == 0
    assert report.relations == 0
    assert count_graph(engine.database, tenant, _batches(engine, tenant)).notes == 0


def test_a_note_that_cannot_be_stored_is_left_stale_and_keeps_no_other_from_being_read(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph, caplog: pytest.LogCaptureFixture
) -> None:
    make_note("La tormenta provocó el apagón.")
    refused = make_note("El zorzal provocó el incendio.")
    make_note("El apagón provocó la huida.")
    _refuse_mentions_of(engine, refused)

    first = read_notes()
    again = read_notes()

    assert first.notes == 2
    assert first.failed == 1
    assert first.relations == 2
    assert again.notes == 0
    assert again.failed == 1
    assert len(list_graph_stale_batches(engine.database, tenant, fingerprint="rules-2")) == 1
    told = [vars(record) for record in caplog.records if record.name == "brain"]
    assert [(record["levelname"], record["error"]) for record in told] == [("WARNING", "QueryFailedError")] * 2
    assert "zorzal" not in caplog.text


def test_a_note_whose_graph_cannot_be_stored_is_stored_all_the_same_and_read_by_the_next_run(
    engine: Engine, tenant: TenantId, read_notes: UpdateGraph
) -> None:
    note = _new_note("La tormenta provocó el apagón.")
    _refuse_mentions_of(engine, note_id_for(tenant, note.source, note.external_id))

    stored = store_and_index(engine.database, tenant, note, engine.pipeline)

    assert stored.is_embedded is True
    assert _rows(engine, "chunks") == 1
    assert _rows(engine, "graph_notes") == 0
    with engine.database.owner() as connection:
        connection.execute("alter table brain.mentions drop constraint refused")
    assert read_notes().relations == 1


def _refuse_mentions_of(engine: Engine, note: NoteId) -> None:
    with engine.database.owner() as connection:
        connection.execute(f"alter table brain.mentions add constraint refused check (note_id <> '{note}')")


def test_a_note_of_more_than_twenty_thousand_characters_is_left_to_the_next_run(
    engine: Engine, tenant: TenantId, read_notes: UpdateGraph
) -> None:
    said = "La tormenta provocó el apagón."
    longest, longer = f"{said}{' ' * (20_000 - len(said))}", f"{said}{' ' * (20_001 - len(said))}"

    store_and_index(engine.database, tenant, _new_note(longest, external_id="a"), engine.pipeline)
    store_and_index(engine.database, tenant, _new_note(longer, external_id="b"), engine.pipeline)

    assert _rows(engine, "graph_notes") == 1
    assert read_notes().notes == 1
    assert _rows(engine, "relations") == 2


def test_what_a_note_said_before_has_no_say_in_what_its_phrases_mean(
    make_note: MakeNote, read_notes: UpdateGraph
) -> None:
    make_note("La fuga del gas del sótano y la fuga del gas de la cocina.")
    read_notes(extractor=FixedExtractor("fuga del gas", "cocina"))
    later = FixedExtractor("fuga del gas del sótano", "fuga del gas de la cocina", given="fixed-2")
    later.fingerprint = "fixed-2"

    report = read_notes(extractor=later)

    assert report.entities == 2
    assert report.relations == 1
