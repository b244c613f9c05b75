"""Explanations of `brain why`: the stage at which a note is lost, or how it came to its place."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from command_line import Brain
from databases import cloned_database
from filling import TENANT, Filled, engine_on, fill_with_notes

from rag_core.configuration.schema import configure
from rag_core.errors import NotFoundError
from rag_core.model.note import TenantId
from rag_core.model.retrieval import Filters
from rag_core.retrieval.explaining import Explanation, explain
from rag_core.runtime.engine import Engine
from rag_core.storage.connecting import application_pool
from rag_core.storage.database import Database

TRAIN = "tren a Cádiz"
LONG = "\n\n".join(
    f"# Etapa {number}\n\nEl tren a Cádiz y otra vez el tren a Cádiz. " + "Paramos junto al mar. " * 40
    for number in range(4)
)
NOTES: list[dict[str, Any]] = [
    {"text": LONG, "external_id": "largo", "title": "Tren a Cádiz"},
    {
        "text": "El tren a Cádiz salió tarde.",
        "external_id": "marzo",
        "title": "Retraso",
        "created_at": "2025-03-10",
        "metadata": {"tags": ["viajes"]},
    },
    {"text": "Compramos pan y queso para la cena.", "external_id": "pan", "created_at": "2025-03-12"},
    {
        "text": "Un tren para ventas a Cádiz.",
        "external_id": "ventas",
        "metadata": {"visibility": "department", "department": "Ventas"},
    },
    *(
        {"text": f"Apunte {number}: el tren pasa por el pueblo y no va a Cádiz.", "external_id": f"t{number}"}
        for number in range(6)
    ),
    {"text": "Ayer Marisol Beltrán arregló la caldera del sótano.", "external_id": "caldera"},
    {"text": "Marisol Beltrán nació en Sepúlveda y canta con nosotros.", "external_id": "marisol"},
    {"text": "El pueblo de los abuelos tiene una fuente.", "external_id": "fuente"},
    {"text": "La caldera del sótano pierde presión otra vez.", "external_id": "presion"},
    {"text": "En el pueblo hay fiesta y se arregló el quiosco.", "external_id": "quiosco"},
    {"text": "Quien vaya al sótano que apague la luz.", "external_id": "luz"},
]
MARCH = datetime(2025, 3, 1, tzinfo=UTC)
APRIL = datetime(2025, 4, 1, tzinfo=UTC)


def top_k(retrieval: int, reranking: int, final: int) -> dict[str, Any]:
    return {"topK": {"retrieval": retrieval, "reranking": reranking, "final": final}}


WIDE, ONE, TWO_OF_THREE = top_k(20, 10, 5), top_k(1, 1, 1), top_k(20, 3, 2)
STAGES, CAULDRON = "etapa del tren a Cádiz", "¿de qué pueblo es quien arregló la caldera del sótano?"
LOST: list[tuple[str, str, str, str, dict[str, Any], Filters]] = [
    ("filter", "marzo", TRAIN, "hybrid+rerank", {}, Filters(since=APRIL)),
    ("filter", "marzo", TRAIN, "hybrid+rerank", {}, Filters(until=MARCH)),
    ("filter", "marzo", TRAIN, "hybrid", {}, Filters(kinds=("document",))),
    ("filter", "marzo", TRAIN, "fulltext", {}, Filters(languages=("de",))),
    ("filter", "marzo", TRAIN, "semantic", {}, Filters(tags=("trabajo",))),
    ("leg", "pan", TRAIN, "fulltext", {}, Filters()),
    ("leg", "pan", TRAIN, "hybrid+rerank", {"hybridSearch": {"threshold": 0.4}}, Filters()),
    ("leg", "pan", TRAIN, "semantic", ONE, Filters()),
    ("fusion", "marzo", TRAIN, "fulltext", ONE, Filters()),
    ("fusion", "t2", TRAIN, "semantic", top_k(3, 2, 1), Filters()),
    ("fusion", "pan", TRAIN, "semantic", top_k(10, 3, 2), Filters()),
    ("reranking", "pan", TRAIN, "hybrid+rerank", WIDE, Filters()),
    ("reranking", "t5", TRAIN, "hybrid+rerank", TWO_OF_THREE, Filters()),
    ("reranking", "marzo", TRAIN, "hybrid+rerank", {"reranking": {"scoreThreshold": 1.0}}, Filters()),
    ("names", "luz", CAULDRON, "hybrid", top_k(20, 10, 4), Filters()),
    ("window", "ventas", STAGES, "hybrid", top_k(20, 10, 4), Filters()),
    ("window", "marzo", STAGES, "hybrid", WIDE, Filters()),
    ("window", "marzo", STAGES, "hybrid+rerank", top_k(20, 10, 2), Filters()),
    ("topK", "marzo", TRAIN, "fulltext", top_k(20, 10, 1), Filters()),
    ("topK", "t1", TRAIN, "semantic", top_k(20, 10, 2), Filters()),
    ("topK", "largo", TRAIN, "fulltext", WIDE, Filters()),
]


@pytest.fixture(scope="module")
def shared(server: str, filled: Filled) -> Iterator[Engine]:
    """An engine on one database, which the tests only read."""
    template = filled("why", lambda url: fill_with_notes(url, NOTES))
    with (
        cloned_database(server, template) as url,
        application_pool(url, pool_size=4) as pool,
        engine_on(Database(owner_conninfo=url, pool=pool)) as engine,
    ):
        yield engine


def explained(engine: Engine, note: str, query: str = TRAIN, **more: Any) -> Explanation:
    filters, strategy = more.pop("filters", Filters()), more.pop("strategy", "hybrid+rerank")
    config = configure(more, strategy=strategy)
    return explain(engine, TENANT, query, note, config=config, filters=filters, timeout_ms=30_000)


@pytest.mark.parametrize(("stage", "note", "query", "strategy", "values", "filters"), LOST)
def test_the_stage_that_loses_a_note_is_named(shared, stage, note, query, strategy, values, filters) -> None:
    found = explained(shared, note, query, strategy=strategy, filters=filters, **values)

    assert (found.stage, found.place) == (stage, None)
    assert found.changes


def test_what_would_have_to_differ_is_enough(shared: Engine) -> None:
    lost = explained(shared, "marzo", STAGES, strategy="hybrid", **WIDE)

    needed = {change.key: change.needed for change in lost.changes}["topK.final"]

    assert isinstance(needed, int)
    assert needed > 5
    assert explained(shared, "marzo", STAGES, strategy="hybrid", **top_k(20, 20, needed)).place == needed


def test_a_note_that_is_found_has_its_places_words_and_features(shared: Engine) -> None:
    found = explained(shared, "Retraso")  # its title

    legs = {leg.leg: leg for leg in found.legs}
    assert (found.stage, found.note.external_id, found.changes) == ("found", "marzo", [])
    assert found.place == found.steps[-1].place
    assert legs["fulltext"].words == ["cadiz", "tren"]
    assert {feature.name: feature.note for feature in found.features}["coverage"] == 1.0


def test_a_note_that_one_may_not_see_is_told_as_one_that_is_not_there(shared: Engine) -> None:
    stranger = replace(shared, database=shared.database.seen_by(["Compras"]))
    told = set()
    for engine, tenant, name in [(stranger, TENANT, "ventas"), (shared, "otros", "ventas"), (shared, TENANT, "nada")]:
        with pytest.raises(NotFoundError) as refused:
            explain(engine, TenantId(tenant), TRAIN, name, config=configure({}), timeout_ms=30_000)
        told.add(str(refused.value).replace("nada", "ventas"))

    assert len(told) == 1


def test_the_command_names_the_stage_and_what_would_have_to_differ(brain: Brain, make_note, index_notes) -> None:
    make_note("El tren a Cádiz salió tarde.", external_id="marzo", title="Retraso")
    index_notes()

    document = json.loads(brain("why", TRAIN, "Retraso", "--kind", "document", "--json").stdout)
    shown = brain("why", TRAIN, "marzo", "--kind", "document")
    missing = brain("why", TRAIN, "nada")

    assert document["stage"] == "filter"
    assert document["changes"] == [{"key": "filters.kinds", "now": "document", "needed": None}]
    assert "It does not meet the conditions." in shown.output
    assert "filters.kinds" in shown.output
    assert missing.exit_code == 1
    assert "no note is called 'nada'" in missing.output
