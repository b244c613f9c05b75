"""Several writers of one causal graph at once."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

from causal_notes import Ask, MakeNote, UpdateGraph, _batches, _new_note, _rows, _snapshot
from causal_notes import ask as ask  # noqa: PLC0414  a fixture, re-exported to pytest
from causal_notes import read_notes as read_notes  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.graph.rules import RuleExtractor, extract_causal_relations
from rag_core.graph.statements import Extraction
from rag_core.indexing.graph import update_graph
from rag_core.indexing.one_note import store_and_index
from rag_core.model.note import NoteId, TenantId, note_id_for
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import register_batches
from rag_core.storage.graph import count_graph, lock_unread_notes
from rag_core.storage.notes import delete_notes, ensure_tenant, store_notes


def test_of_two_runs_at_once_the_second_one_leaves_what_the_first_one_has_read(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph
) -> None:
    make_note("La tormenta provocó el apagón.")

    class Overtaken(RuleExtractor):
        def extract(self, text: str, *, language: object, sentences: object) -> Extraction:
            overtaking.append(read_notes().notes)
            before.extend(_snapshot(engine))
            return super().extract(text, language=language, sentences=sentences)

    overtaking: list[int] = []
    before: list[tuple[object, ...]] = []
    report = read_notes(extractor=Overtaken())

    assert (overtaking, report.notes, report.relations) == ([1], 0, 1)
    assert _snapshot(engine) == before


def test_writers_of_the_same_names_neither_fail_nor_lose_a_relation(
    engine: Engine, make_note: MakeNote, tenant: TenantId
) -> None:
    notes = [make_note("La tormenta provocó el apagón. El apagón provocó el incendio.") for _ in range(24)]
    register_batches(engine.database, tenant)
    with engine.database.owner() as connection:
        connection.execute("update brain.notes set batch_key = batch_key || abs(hashtext(note_id::text)) %% 4", [])
        connection.execute(
            "insert into brain.batches select distinct tenant_id, batch_key, 10 + right(batch_key, 1)::int from brain.notes"
        )
    keys = _batches(engine, tenant)

    def churn(key: str) -> None:
        for version in range(4):
            update_graph(engine.database, tenant, [key], extractor=_Renamed(f"r{version}"))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(churn, keys))

    counts = count_graph(engine.database, tenant, keys)
    assert (counts.notes, counts.entities, counts.relations) == (len(notes), 3, 2 * len(notes))
    assert _rows(engine, "entities") == 3


def test_a_note_deleted_by_an_open_transaction_keeps_no_writer_of_its_causes_waiting(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph, ask: Ask
) -> None:
    gone = make_note("La tormenta provocó el apagón.")
    read_notes()
    kept = make_note("El cangrejo provocó el apagón.")

    with ThreadPoolExecutor(1) as other, engine.database.transaction(tenant) as connection:
        delete_notes(connection, tenant, [gone])
        report = other.submit(read_notes).result(timeout=30)

    assert report.notes == 1
    assert [(hit.path, hit.chunk_id) for hit in ask("¿Por qué el apagón?")] == [(("apagón", "cangrejo"), kept)]
    assert _orphans(engine) == (0, 0, 0)


def test_only_what_changes_names_waits_for_another_writer_of_the_graph(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph
) -> None:
    plain, telling = make_note("Riego el huerto los martes."), make_note("La tormenta provocó el apagón.")
    read_notes()

    def delete(note: NoteId) -> None:
        with engine.database.transaction(tenant) as connection:
            delete_notes(connection, tenant, [note])

    with ThreadPoolExecutor(1) as other:
        with engine.database.transaction(tenant) as connection:
            lock_unread_notes(connection, tenant, {}, fingerprint=None)
            other.submit(delete, plain).result(timeout=30)
            waiting = other.submit(delete, telling)
            _wait_until_one_waits(engine)
            has_waited = not waiting.done()
        waiting.result(timeout=30)

    assert has_waited
    assert _rows(engine, "entities") == 0


def _wait_until_one_waits(engine: Engine) -> None:
    """Until some session waits for a lock, ten seconds at most."""
    waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    with engine.database.owner() as connection:
        for _ in range(500):
            if connection.execute(waiting).fetchone() != (0,):
                return
            connection.execute("select pg_sleep(0.02)")
    raise AssertionError("nobody waits")


def test_notes_written_changed_deleted_and_imported_at_once_with_the_same_causes_all_succeed(
    engine: Engine, tenant: TenantId
) -> None:
    things = [
        "la lluvia",
        "el apagón",
        "la avería",
        "el retraso",
        "la huelga",
        "el fallo del sensor",
        "el fallo del sensor azul",
    ]

    def write(writer: int) -> None:
        chance = Random(writer)
        for number in range(8):
            note = _new_note(_chain(chance, things), external_id=f"{writer}-{number}", source="api")
            store_and_index(engine.database, tenant, note, engine.pipeline)
            changed = replace(note, content=_chain(chance, things))
            store_and_index(engine.database, tenant, changed, engine.pipeline)
            if number % 3 == 0:
                with engine.database.transaction(tenant) as connection:
                    delete_notes(connection, tenant, [note_id_for(tenant, "api", note.external_id)])

    def load(writer: int) -> None:
        chance = Random(writer)
        for _ in range(8):
            page = [_new_note(_chain(chance, things), external_id=f"{writer}-{n}", source="fichero") for n in range(10)]
            with engine.database.transaction(tenant, has_copy=True) as connection:
                store_notes(connection, tenant, page)
            register_batches(engine.database, tenant)
            update_graph(engine.database, tenant, _batches(engine, tenant), extractor=RuleExtractor())

    with engine.database.transaction(tenant) as connection:
        ensure_tenant(connection, tenant)
    with ThreadPoolExecutor(8) as threads:
        work = [threads.submit(load if writer % 4 == 0 else write, writer) for writer in range(8)]
        for done in work:
            done.result(timeout=120)

    register_batches(engine.database, tenant)
    report = update_graph(engine.database, tenant, _batches(engine, tenant), extractor=RuleExtractor())
    assert (report.failed, count_graph(engine.database, tenant, _batches(engine, tenant)).notes) == (0, 6 * 5 + 2 * 10)
    assert _orphans(engine) == (0, 0, 0)


def _chain(chance: Random, things: list[str]) -> str:
    one, two, three, four = chance.sample(things, 4)
    return f"{one.capitalize()} provocó {two}. {three.capitalize()} provocó {four}. {chance.random()}"


def _orphans(engine: Engine) -> tuple[int, int, int]:
    """Names that nothing mentions, entities without a name, and entities whose key is no name of theirs."""
    with engine.database.owner() as connection:
        row = connection.execute(
            "select (select count(*) from brain.entity_aliases a where not exists (select from brain.mentions m"
            " where m.tenant_id = a.tenant_id and m.alias_key = a.alias_key)),"
            " (select count(*) from brain.entities e where not exists (select from brain.entity_aliases a"
            " where a.tenant_id = e.tenant_id and a.entity_id = e.entity_id)),"
            " (select count(*) from brain.entities e where not exists (select from brain.entity_aliases a"
            " where a.tenant_id = e.tenant_id and a.entity_id = e.entity_id and a.alias_key = e.key))"
        ).fetchone()
    assert row is not None
    return row


class _Renamed:
    """The rules under another name, so that every note is read again."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint

    def extract(self, text: str, *, language: object, sentences: object) -> Extraction:
        found = extract_causal_relations(text, language=language, sentences=sentences)
        return Extraction(statements=tuple(found), fingerprint=self.fingerprint)
