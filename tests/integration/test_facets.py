"""Facets that a tenant's notes can be filtered by, and the notes behind a causal path."""

from rag_core.graph.rules import RuleExtractor
from rag_core.indexing.graph import update_graph
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.storage.batches import list_batches
from rag_core.storage.database import Database
from rag_core.storage.facets import Facets, fetch_facets, fetch_path_evidence, one_spelling_each


def test_the_values_of_the_tenants_notes_are_listed(database: Database, tenant: TenantId, make_note) -> None:
    make_note("Uno", source="diario", metadata={"tags": ["viaje", "Nora"]})
    make_note("Dos", source="diario", metadata={"tags": ["nora"]})
    make_note("Tres", source="cartas", metadata={"tags": ["nora"]})
    make_note("Vier", source="briefe", language="de")

    facets = fetch_facets(database, tenant, timeout_ms=10_000)

    assert facets == Facets(
        sources=("briefe", "cartas", "diario"), languages=("es", "de"), tags=("nora", "viaje"), types=()
    )


def test_another_tenants_values_are_not(database: Database, tenant: TenantId, make_note) -> None:
    make_note("Suyo", source="ajena", metadata={"tags": ["secreto"]}, owner=TenantId("ajeno"))

    assert fetch_facets(database, tenant, timeout_ms=10_000) == Facets(sources=(), languages=(), tags=(), types=())


def test_a_step_of_a_causal_path_has_the_note_that_tells_it(
    engine: Engine, tenant: TenantId, make_note, index_notes
) -> None:
    note = make_note("No dormí bien porque tomé café por la tarde.")
    index_notes()
    batches = [batch.key for batch in list_batches(engine.database)]
    update_graph(engine.database, tenant, batches, extractor=RuleExtractor())
    with engine.database.transaction(tenant) as connection:
        cause, effect = connection.execute("select source_id::text, target_id::text from relations").fetchone()

    steps = {(cause, effect), (effect, cause)}
    found = fetch_path_evidence(engine.database, tenant, steps, timeout_ms=10_000)

    assert found == {(cause, effect): note}


def test_without_steps_nothing_is_asked(database: Database, tenant: TenantId) -> None:
    assert fetch_path_evidence(database, tenant, [], timeout_ms=10_000) == {}


def test_a_tag_is_spelled_as_it_is_spelled_most_often() -> None:
    counted = [("Nora", 6), ("viaje", 11), ("nora", 10), ("NORA", 1)]

    assert one_spelling_each(counted) == ("nora", "viaje")
