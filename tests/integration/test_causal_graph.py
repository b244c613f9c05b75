"""The causal graph on a real database: what is stored of a note, what goes with it, and what a question finds."""

from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from causal_notes import LATE, SLEEP, Ask, FixedExtractor, MakeNote, UpdateGraph, _rows
from causal_notes import ask as ask  # noqa: PLC0414  a fixture, re-exported to pytest
from causal_notes import read_notes as read_notes  # noqa: PLC0414  a fixture, re-exported to pytest

from rag_core.configuration.schema import GraphRag, configure
from rag_core.errors import IndexingError
from rag_core.graph.entities import phrase
from rag_core.graph.rules import RuleExtractor
from rag_core.indexing.graph import update_graph
from rag_core.indexing.publishing import publish_staged
from rag_core.indexing.staging import embed_staged, stage_notes
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Filters
from rag_core.operation.demo_corpus import load_demo
from rag_core.retrieval.graph_paths import GraphHit
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import DEMO_TENANT, Engine
from rag_core.storage.batches import register_batches
from rag_core.storage.checks import run_check
from rag_core.storage.graph import NewAlias, name_entities
from rag_core.storage.notes import ensure_tenant


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
    assert run_check(engine.database, tenant, "check_graph_evidence").violations == 0


def test_a_relation_from_an_entity_to_itself_is_left_out(make_note: MakeNote, read_notes: UpdateGraph) -> None:
    make_note("La fuga del gas. La fuga del gas del sótano.")

    report = read_notes(extractor=FixedExtractor("fuga del gas", "fuga del gas del sótano"))

    assert report.relations == 0


@pytest.mark.parametrize("separator", ["/", " "])
def test_a_side_of_a_hundred_words_is_no_entity_and_harms_nothing(
    make_note: MakeNote, read_notes: UpdateGraph, separator: str
) -> None:
    long = separator.join(sha256(str(number).encode()).hexdigest()[:38] for number in range(100))
    make_note(f"La tormenta provocó {long}.")

    report = read_notes(extractor=FixedExtractor("tormenta", long))

    assert (report.notes, report.failed, report.relations) == (1, 0, 0)


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
