"""Strategy ``routed``: a search is as its question asks for, in one list, and can be evaluated beside the others."""

from collections import Counter

import pytest
from animals import beginning as beginning  # noqa: PLC0414  a fixture, re-exported to pytest
from animals import golden as golden  # noqa: PLC0414  a fixture, re-exported to pytest
from answer_path import ANA, answered, ask
from command_line import Brain, printed_json
from filling import index_stale
from stored_rows import fetch_question

from rag_core.configuration.schema import configure
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Retrieval
from rag_core.retrieval.retrieve import retrieve
from rag_core.runtime.engine import Engine

TALK = "Hablamos de los gastos del coche: los gastos suben cada año y nadie sabe por qué suben tanto los gastos. "
FILLER = "Después paseamos por el parque y dimos de comer a los patos del estanque. "
TABLE = "| Fecha | Gastos del coche |\n|---|---|\n| 3 de mayo | 310 € |\n| 9 de junio | 120 € |\n"


@pytest.fixture
def garage(engine: Engine, tenant: TenantId, make_note) -> Engine:
    """Notes that talk about expenses, one at length, and one with a table of them."""
    for number, person in enumerate(("Eva", "Raúl", "Inés", "Marcos", "Lola", "Hugo", "Nuria")):
        make_note(f"{TALK} Estaba {person}.", external_id=f"charla-{number}")
    make_note((TALK * 2 + FILLER * 40) * 4, external_id="larga")
    make_note(f"# Coche\n\nAquí está todo.\n\n{TABLE}", external_id="tabla")
    index_stale(engine, tenant)
    return engine


def found(engine: Engine, tenant: TenantId, query: str, *, strategy: str = "routed", **more) -> Retrieval:
    config = configure(strategy=strategy, top_k=6)  # type: ignore[arg-type]
    return retrieve(engine, tenant, query, config=config, timeout_ms=30_000, **more)


def test_a_question_about_figures_finds_tables_first(garage: Engine, tenant: TenantId) -> None:
    asked = "¿A cuánto ascienden los gastos del coche?"

    plain, routed = found(garage, tenant, asked, strategy="hybrid"), found(garage, tenant, asked)

    assert plain.hits[0].table is None
    assert routed.routed == "table_focused"
    assert routed.hits[0].table is not None
    assert len(routed.hits) == 6
    assert len({hit.chunk_id for hit in routed.hits}) == 6
    assert "tables" in routed.stages


def test_a_question_for_all_finds_a_passage_of_every_note_before_a_second_of_any(
    garage: Engine, tenant: TenantId
) -> None:
    asked = "Haz un resumen de todos los paseos por el parque con los patos"

    plain, routed = found(garage, tenant, asked, strategy="hybrid+rerank"), found(garage, tenant, asked)

    notes = [hit.note_id for hit in routed.hits]
    assert plain.hits[0].note_id == plain.hits[1].note_id
    assert routed.routed == "multi_index"
    assert len(set(notes)) < len(notes) <= 6
    assert len(set(notes[: len(set(notes))])) == len(set(notes))


def test_a_question_that_shows_no_word_to_look_up_goes_by_meaning_alone(garage: Engine, tenant: TenantId) -> None:
    routed = found(garage, tenant, "¿Qué es esto?")

    assert (routed.routed, routed.strategy) == ("vector_only", "semantic")
    assert all(set(hit.ranks) == {"semantic"} for hit in routed.hits)


def test_what_lists_more_than_is_served_begins_with_what_is_served(garage: Engine, tenant: TenantId) -> None:
    asked = "¿A cuánto ascienden los gastos del coche?"

    served, deep = found(garage, tenant, asked), found(garage, tenant, asked, use_cache=False, depth=50)

    assert [hit.chunk_id for hit in deep.hits[:6]] == [hit.chunk_id for hit in served.hits]
    assert len(deep.hits) > 6
    assert max(Counter(hit.chunk_id for hit in deep.hits).values()) == 1


def test_what_the_configuration_switches_off_stays_off(garage: Engine, tenant: TenantId) -> None:
    config = configure({"reranking": {"enabled": False}, "graphRAG": {"enabled": False}}, strategy="routed")

    routed = retrieve(garage, tenant, "¿Por qué suben los gastos?", config=config, timeout_ms=30_000)

    assert (routed.routed, routed.strategy) == ("hybrid_with_graph_refinement", "hybrid")
    assert routed.figures.graph_ms is None


def test_the_routing_of_an_answer_is_recorded(garage: Engine, tenant: TenantId) -> None:
    answer = answered(
        ask(garage, tenant, "¿Quién es el jefe del taller de Ana Gil?", config=configure(strategy="routed"))
    )

    with garage.database.transaction(tenant) as connection:
        kept = fetch_question(connection, tenant, answer.query_id, user_hash=ANA)
    assert (kept.query_type, kept.entities_found) == ("relational", 1)
    assert kept.suggested_strategy == kept.routed_strategy == "hybrid_with_graph_refinement"


@pytest.mark.usefixtures("golden")
def test_it_is_evaluated_as_a_strategy_of_its_own(brain: Brain) -> None:
    routed = printed_json(brain("evaluate", "--strategy", "routed", "--json"))
    plain = printed_json(brain("evaluate", "--strategy", "hybrid+rerank", "--json"))

    assert (routed["strategy"], plain["strategy"]) == ("routed", "hybrid+rerank")
    assert routed["config_hash"] != plain["config_hash"]
    assert routed["metrics"]["hit_rate_at"]["10"] == 1.0
    assert routed["comparison"] is None
