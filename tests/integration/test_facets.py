"""What a tenant's notes can be filtered by."""

from rag_core.model import TenantId
from rag_core.storage.database import Database
from rag_core.storage.facets import Facets, fetch_facets, one_spelling_each


def test_the_values_of_the_tenants_notes_are_listed(database: Database, tenant: TenantId, make_note) -> None:
    make_note("Uno", source="diario", metadata={"tags": ["viaje", "Nora"]})
    make_note("Dos", source="diario", metadata={"tags": ["nora"]})
    make_note("Tres", source="cartas", metadata={"tags": ["nora"]})
    make_note("Vier", source="briefe", language="de")

    facets = fetch_facets(database, tenant, timeout_ms=10_000)

    assert facets == Facets(sources=("briefe", "cartas", "diario"), languages=("es", "de"), tags=("nora", "viaje"))


def test_another_tenants_values_are_not(database: Database, tenant: TenantId, make_note) -> None:
    make_note("Suyo", source="ajena", metadata={"tags": ["secreto"]}, owner=TenantId("ajeno"))

    assert fetch_facets(database, tenant, timeout_ms=10_000) == Facets(sources=(), languages=(), tags=())


def test_a_tag_is_spelled_as_it_is_spelled_most_often() -> None:
    counted = [("Nora", 6), ("viaje", 11), ("nora", 10), ("NORA", 1)]

    assert one_spelling_each(counted) == ("nora", "viaje")
