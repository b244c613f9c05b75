"""The causal graph on a real database: what is stored of a note, what goes with it, and what a question finds."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from random import Random
from zoneinfo import ZoneInfo

import pytest

from rag_core.configuration.schema import GraphRag, configure
from rag_core.errors import IndexingError
from rag_core.graph.entities import phrase
from rag_core.graph.rules import RuleExtractor, extract_causal_relations
from rag_core.graph.statements import CausalStatement, Extraction
from rag_core.indexing.graph import GraphReport, relate_note, update_graph
from rag_core.indexing.one_note import store_and_index
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.note import NewNote, NoteId, TenantId, content_hash, note_id_for
from rag_core.model.retrieval import Filters
from rag_core.notes.validation import parse_note
from rag_core.operation.demo_corpus import load_demo
from rag_core.retrieval.graph_paths import GraphHit, search_graph
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import DEMO_TENANT, Engine
from rag_core.storage.batches import register_batches
from rag_core.storage.checks import check_graph_evidence
from rag_core.storage.graph import NewAlias, count_graph, list_graph_stale_batches, lock_unread_notes, name_entities
from rag_core.storage.notes import delete_notes, ensure_tenant, store_notes

MakeNote = Callable[..., NoteId]
UpdateGraph = Callable[..., GraphReport]
Ask = Callable[..., list[GraphHit]]

SLEEP = "No dormí bien porque tomé café por la tarde."
LATE = "Al día siguiente llegué tarde a la reunión por no haber dormido bien."


@pytest.fixture
def read_notes(engine: Engine, tenant: TenantId) -> UpdateGraph:
    """Read every note of the tenant."""

    def run(owner: TenantId = tenant, **given: object) -> GraphReport:
        register_batches(engine.database, owner)
        return update_graph(engine.database, owner, _batches(engine, owner), **{"extractor": RuleExtractor(), **given})

    return run


@pytest.fixture
def ask(engine: Engine, tenant: TenantId) -> Ask:
    """Ask the tenant's graph in Spanish."""

    def search(question: str, *, owner: TenantId = tenant, **given: object) -> list[GraphHit]:
        asked = {
            "language": "es",
            "direction": "causes",
            "config": GraphRag(),
            "limit": 20,
            "timeout_ms": 5_000,
            **given,
        }
        return search_graph(engine.database, owner, question, **asked)

    return search


def _batches(engine: Engine, owner: TenantId) -> list[str]:
    with engine.database.owner() as connection:
        rows = connection.execute("select batch_key from brain.batches where tenant_id = %s", [owner]).fetchall()
    return [row[0] for row in rows]


def _new_note(text: str, *, external_id: str = "a", source: str = "notas") -> NewNote:
    return parse_note(
        external_id=external_id,
        source=source,
        title=None,
        text=text,
        created_at=None,
        language="es",
        metadata=None,
        zone=ZoneInfo("Europe/Madrid"),
        max_characters=1_000_000,
    )


def _rows(engine: Engine, table: str) -> int:
    with engine.database.owner() as connection:
        row = connection.execute(f"select count(*) from brain.{table}").fetchone()
    assert row is not None
    return row[0]


def test_a_chain_over_two_notes_is_found_from_its_end_at_two_steps(
    make_note: MakeNote, read_notes: UpdateGraph, ask: Ask
) -> None:
    coffee, late = make_note(SLEEP), make_note(LATE)

    report = read_notes()
    hits = ask("¿Por qué llegué tarde a la reunión?")

    assert (report.notes, report.entities, report.relations) == (2, 3, 2)
    assert [(hit.chunk_id, hit.depth, hit.relevance) for hit in hits] == [
        (late, 1, pytest.approx(1 - 1 / 6)),
        (coffee, 2, pytest.approx(1 - 1 / 3)),
    ]
    assert hits[1].path[0] == "llegué tarde a la reunión"
    assert hits[1].path[2] == "tomé café por la tarde"
    assert len(set(hits[1].path_ids)) == 3


def test_a_chain_names_its_relations_with_kind_confidence_and_evidence(
    make_note: MakeNote, read_notes: UpdateGraph, ask: Ask
) -> None:
    make_note(SLEEP)
    make_note(LATE)
    read_notes()

    late, coffee = ask("¿Por qué llegué tarde a la reunión?")

    (first,) = late.relations
    assert coffee.relations[0] == first
    assert (first.target_id, first.source_id) == tuple(str(entity) for entity in late.path_ids)
    assert first.evidence in LATE
    assert [one.evidence in text for one, text in zip(coffee.relations, (LATE, SLEEP), strict=True)] == [True, True]
    assert all(one.kind in {"CAUSES", "TRIGGERS", "LEADS_TO"} and 0 < one.confidence <= 1 for one in coffee.relations)


def test_a_relation_keeps_the_kind_that_was_read(make_note: MakeNote, read_notes: UpdateGraph, ask: Ask) -> None:
    make_note("La tormenta desencadenó el apagón.")
    read_notes()

    (hit,) = ask("¿Por qué el apagón?")

    assert [one.kind for one in hit.relations] == ["TRIGGERS"]


def test_effects_are_found_forwards_and_causes_backwards(
    make_note: MakeNote, read_notes: UpdateGraph, ask: Ask
) -> None:
    make_note(SLEEP)
    make_note(LATE)
    read_notes()

    forwards = ask("¿Qué pasa si tomo café por la tarde?", direction="effects")
    backwards = ask("¿Qué pasa si tomo café por la tarde?")

    assert [hit.path[-1] for hit in forwards] == [hits_name(forwards, 1), "llegué tarde a la reunión"]
    assert [hit.depth for hit in forwards] == [1, 2]
    assert backwards == []


def hits_name(hits: list[GraphHit], depth: int) -> str:
    return next(hit.path[-1] for hit in hits if hit.depth == depth)


def test_a_question_about_nothing_known_finds_nothing(make_note: MakeNote, read_notes: UpdateGraph, ask: Ask) -> None:
    make_note(SLEEP)
    read_notes()

    assert ask("¿Por qué ladra el perro?") == []
    assert ask("¿por qué?") == []


def test_the_default_reaches_depth_two_and_no_further(make_note: MakeNote, read_notes: UpdateGraph, ask: Ask) -> None:
    make_note("La tormenta provocó el apagón.")
    make_note("El apagón provocó el incendio.")
    make_note("El incendio provocó la huida.")
    read_notes()

    by_default = ask("¿Por qué la huida?")
    to_the_end = ask("¿Por qué la huida?", config=GraphRag(min_relevance=0.5))

    assert [hit.path[-1] for hit in by_default] == ["incendio", "apagón"]
    assert [hit.path[-1] for hit in to_the_end] == ["incendio", "apagón", "tormenta"]


def test_two_effects_of_one_cause_and_a_cycle_are_walked_to_the_end(
    make_note: MakeNote, read_notes: UpdateGraph, ask: Ask
) -> None:
    make_note("El estrés provocó insomnio.")
    make_note("El insomnio provocó migraña.")
    make_note("La migraña provocó estrés.")
    make_note("La tormenta provocó migraña.")
    read_notes()

    hits = ask("¿Por qué tengo migraña?", config=GraphRag(min_relevance=0.5))

    assert [(hit.path[-1], hit.depth) for hit in sorted(hits, key=lambda hit: (hit.depth, hit.path[-1]))] == [
        ("insomnio", 1),
        ("tormenta", 1),
        ("estrés", 2),
    ]


def test_a_second_run_reads_nothing_and_changes_nothing(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph
) -> None:
    make_note(SLEEP)
    make_note(LATE)
    first = read_notes()
    before = _snapshot(engine)

    second = read_notes()

    assert (second.notes, second.entities, second.relations) == (0, first.entities, first.relations)
    assert _snapshot(engine) == before
    assert list_graph_stale_batches(engine.database, tenant, fingerprint="rules-2") == []


def _snapshot(engine: Engine) -> list[tuple[object, ...]]:
    with engine.database.owner() as connection:
        return connection.execute("select xmin::text, * from brain.relations order by relation_id").fetchall()


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
    assert (names, notes) == ([("apagón",), ("tormenta",)], [(kept,)])


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


def test_differing_numbers_are_different_entities(make_note: MakeNote, read_notes: UpdateGraph, ask: Ask) -> None:
    make_note("El cangrejo provocó la avería de la parcela 14.")
    make_note("La araña provocó la avería de la parcela 15.")
    read_notes()

    assert [hit.path[-1] for hit in ask("¿Por qué la avería de la parcela 14?")] == ["cangrejo"]


def test_a_question_sees_only_its_own_tenants_notes(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph, ask: Ask
) -> None:
    other = TenantId("otra")
    make_note("La tormenta provocó el apagón.", owner=other)
    make_note("El cangrejo provocó el apagón.")
    read_notes()
    read_notes(other)

    assert [hit.path[-1] for hit in ask("¿Por qué el apagón?")] == ["cangrejo"]
    assert [hit.path[-1] for hit in ask("¿Por qué el apagón?", owner=other)] == ["tormenta"]


def test_every_note_on_the_way_passes_the_filters(make_note: MakeNote, read_notes: UpdateGraph, ask: Ask) -> None:
    make_note("La tormenta provocó el apagón.", created_at="2025-03-01", source="diario", metadata={"tags": ["casa"]})
    make_note("El apagón provocó el incendio.", created_at="2025-01-01", source="correo")
    read_notes()
    wide = GraphRag(min_relevance=0.5)

    everything = ask("¿Por qué el incendio?", config=wide)
    since = ask("¿Por qué el incendio?", config=wide, filters=Filters(since=datetime(2025, 2, 1, tzinfo=UTC)))
    tagged = ask("¿Por qué el apagón?", config=wide, filters=Filters(tags=("casa",)))
    foreign = ask("¿Por qué el apagón?", config=wide, filters=Filters(sources=("correo",)))

    assert [len(hits) for hits in (everything, since, tagged, foreign)] == [2, 0, 1, 0]


def test_a_chunk_with_two_links_of_the_chain_counts_at_the_nearer_one(
    make_note: MakeNote, read_notes: UpdateGraph, ask: Ask
) -> None:
    make_note("La tormenta provocó el apagón. El apagón provocó el incendio.")
    read_notes()

    hits = ask("¿Por qué el incendio?")

    assert [(hit.depth, hit.path[-1]) for hit in hits] == [(1, "apagón")]


def test_the_evidence_is_the_chunk_that_holds_the_sentence(
    engine: Engine,
    tenant: TenantId,
    make_note: MakeNote,
    read_notes: UpdateGraph,
    index_notes: Callable[[], object],
    ask: Ask,
) -> None:
    filler = "Hoy hemos paseado por el parque y nadie ha dicho gran cosa de nada. " * 60
    make_note(f"{filler}\n\nLa tormenta provocó el apagón.\n\n{filler}")
    index_notes()
    read_notes()

    (hit,) = ask("¿Por qué el apagón?")

    with engine.database.owner() as connection:
        row = connection.execute("select content from brain.chunks where chunk_id = %s", [hit.chunk_id]).fetchone()
    assert row is not None
    assert "La tormenta provocó el apagón." in row[0]
    assert _rows(engine, "chunks") > 2
    assert check_graph_evidence(engine.database, tenant, None).violations == 0


class FixedExtractor:
    """An extractor of a later version that reads one statement in every note."""

    fingerprint = "fixed-1"

    def __init__(self, cause: str, effect: str, *, given: str = "fixed-1") -> None:
        self.cause, self.effect, self.given = cause, effect, given

    def extract(self, text: str, *, language: object, sentences: object) -> Extraction:
        spans = [(text.index(part), text.index(part) + len(part)) for part in (self.cause, self.effect)]
        statement = CausalStatement(
            cause=spans[0], effect=spans[1], kind="CAUSES", evidence=(0, len(text)), confidence=1.0
        )
        return Extraction(statements=(statement,), fingerprint=self.given)


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

    assert (first.notes, second.notes, second.relations) == (1, 1, 1)


def test_a_relation_from_an_entity_to_itself_is_left_out(make_note: MakeNote, read_notes: UpdateGraph) -> None:
    make_note("La fuga del gas. La fuga del gas del sótano.")

    report = read_notes(extractor=FixedExtractor("fuga del gas", "fuga del gas del sótano"))

    assert report.relations == 0


def test_a_note_edited_while_it_was_read_keeps_what_it_said_until_the_next_run(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph
) -> None:
    make_note("La tormenta provocó el apagón.", external_id="a")

    class Editing(FixedExtractor):
        def extract(self, text: str, *, language: object, sentences: object) -> Extraction:
            make_note("El apagón no tuvo causa ni tormenta.", external_id="a")
            return super().extract(text, language=language, sentences=sentences)

    report = read_notes(extractor=Editing("tormenta", "apagón"))

    assert (report.notes, report.relations) == (0, 0)
    assert count_graph(engine.database, tenant, _batches(engine, tenant)).notes == 0


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


def test_a_note_that_cannot_be_stored_is_left_stale_and_keeps_no_other_from_being_read(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph, caplog: pytest.LogCaptureFixture
) -> None:
    make_note("La tormenta provocó el apagón.")
    refused = make_note("El zorzal provocó el incendio.")
    make_note("El apagón provocó la huida.")
    _refuse_mentions_of(engine, refused)

    first = read_notes()
    again = read_notes()

    assert (first.notes, first.failed, first.relations) == (2, 1, 2)
    assert (again.notes, again.failed) == (0, 1)
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

    assert (stored.is_embedded, _rows(engine, "chunks"), _rows(engine, "graph_notes")) == (True, 1, 0)
    with engine.database.owner() as connection:
        connection.execute("alter table brain.mentions drop constraint refused")
    assert read_notes().relations == 1


def _refuse_mentions_of(engine: Engine, note: NoteId) -> None:
    with engine.database.owner() as connection:
        connection.execute(f"alter table brain.mentions add constraint refused check (note_id <> '{note}')")


@pytest.mark.parametrize("separator", ["/", " "])
def test_a_side_of_a_hundred_words_is_no_entity_and_harms_nothing(
    make_note: MakeNote, read_notes: UpdateGraph, separator: str
) -> None:
    long = separator.join(sha256(str(number).encode()).hexdigest()[:38] for number in range(100))
    make_note(f"La tormenta provocó {long}.")

    report = read_notes(extractor=FixedExtractor("tormenta", long))

    assert (report.notes, report.failed, report.relations) == (1, 0, 0)


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


def test_a_phrase_given_an_entity_that_is_not_there_is_an_error(engine: Engine, tenant: TenantId) -> None:
    alias = NewAlias(key="es:tormenta", language="es", name="tormenta", stems=("tormenta",))

    with (
        pytest.raises(IndexingError, match="1 phrases were to mean an entity and 0 do"),
        engine.database.transaction(tenant) as connection,
    ):
        ensure_tenant(connection, tenant)
        name_entities(connection, tenant, [alias], entity_of={"es:tormenta": "es:otra"}, ids={})


def test_relations_of_other_kinds_are_not_walked(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph, ask: Ask
) -> None:
    make_note("La tormenta provocó el apagón.")
    read_notes()

    with engine.database.owner() as connection:
        connection.execute("update brain.relations set kind = 'RELATED_TO'")

    assert ask("¿Por qué el apagón?") == []


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


def test_what_a_note_said_before_has_no_say_in_what_its_phrases_mean(
    make_note: MakeNote, read_notes: UpdateGraph
) -> None:
    make_note("La fuga del gas del sótano y la fuga del gas de la cocina.")
    read_notes(extractor=FixedExtractor("fuga del gas", "cocina"))
    later = FixedExtractor("fuga del gas del sótano", "fuga del gas de la cocina", given="fixed-2")
    later.fingerprint = "fixed-2"

    report = read_notes(extractor=later)

    assert (report.entities, report.relations) == (2, 1)


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


def test_the_graph_of_one_tenant_is_another_ones_no_business(
    engine: Engine, tenant: TenantId, make_note: MakeNote, read_notes: UpdateGraph
) -> None:
    make_note("La tormenta provocó el apagón.")
    read_notes()
    other = TenantId("otra")

    with engine.database.transaction(other) as connection:
        ensure_tenant(connection, other)
        seen = [
            connection.execute(f"select count(*) from {table}").fetchone()
            for table in ("entities", "entity_aliases", "entity_stems", "mentions", "relations", "graph_notes")
        ]

    assert seen == [(0,)] * 6


def test_the_demo_question_finds_a_cause_of_the_cause_that_text_search_misses(engine: Engine, ask: Ask) -> None:
    question = "¿Por qué el Sr. Ferrer faltó a la boda de su sobrina?"
    load_demo(engine.database, engine.settings)
    _index_demo(engine)
    without_graph = configure({"graphRAG": {"enabled": False}}, strategy="hybrid", top_k=5)

    by_text = retrieve(engine, DEMO_TENANT, question, config=without_graph, timeout_ms=30_000).hits
    by_graph = ask(question, owner=DEMO_TENANT)

    told_in = {note: hit for hit in by_graph for note in _notes_of(engine, hit)}
    assert "2025-11-13-traje-planchado" in [hit.external_id for hit in by_text]
    assert "2025-11-15-cuarto-de-maquinas" not in [hit.external_id for hit in by_text]
    assert told_in["2025-11-15-cuarto-de-maquinas"].depth == 2
    assert told_in["2025-11-15-cuarto-de-maquinas"].path == (
        "Sr. Ferrer faltó a la boda de su sobrina",
        "ascensor del edificio se quedó parado",
        "gotera en el cuarto de máquinas",
    )


def test_the_demo_cause_shares_no_content_word_with_its_question(engine: Engine) -> None:
    load_demo(engine.database, engine.settings)

    with engine.database.owner() as connection:
        row = connection.execute(
            "select title || content from brain.notes where external_id = '2025-11-15-cuarto-de-maquinas'"
        ).fetchone()

    assert row is not None
    question = phrase("¿Por qué el Sr. Ferrer faltó a la boda de su sobrina?", "es")
    assert question.content & phrase(row[0], "es").content == frozenset()


def _index_demo(engine: Engine) -> None:
    keys = register_batches(engine.database, DEMO_TENANT)
    stage_notes(engine.database, DEMO_TENANT, keys, engine.pipeline)
    embed_staged(engine.database, DEMO_TENANT, keys, engine.pipeline)
    publish_staged(engine.database, DEMO_TENANT, keys, engine.pipeline)
    update_graph(engine.database, DEMO_TENANT, keys, extractor=RuleExtractor())


def _notes_of(engine: Engine, hit: GraphHit) -> list[str]:
    with engine.database.owner() as connection:
        rows = connection.execute(
            "select n.external_id from brain.notes n join brain.chunks c using (tenant_id, note_id) where c.chunk_id = %s",
            [hit.chunk_id],
        ).fetchall()
    return [row[0] for row in rows]
