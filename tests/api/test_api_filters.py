"""``filters`` of ``POST /api/retrieve``, over a real index."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from api_answers import assert_spanish
from databases import cloned_database
from fastapi.testclient import TestClient

from rag_core.api.app import create_app
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings

STRATEGIES = ("fulltext", "semantic", "hybrid")
NOTES = (
    ("marzo", "Viajé en tren a Cádiz y llovía.", "diario", "es", "2025-03-10", ["viaje", "Familia"]),
    ("abril", "Viajé en tren a Vigo con mi prima.", "diario", "es", "2025-04-01", ["viaje"]),
    ("carta", "Viajé en tren a Lugo, cuenta la carta.", "cartas", "es", "2025-03-20", ["FAMILIA"]),
    ("zug", "Ich bin mit dem Zug nach Bremen gefahren, Tren.", "diario", "de", "2025-03-31T23:30", []),
)
Found = Callable[..., set[str]]


@pytest.fixture(scope="module")
def travels(server: str, template: str) -> Iterator[TestClient]:
    """Four notes about trains; no test of this module changes them."""
    with cloned_database(server, template) as database_url:
        settings = read_settings(database_url=database_url, tenant=None, request_timeout_ms=10_000)
        with (
            open_engine(settings) as engine,
            TestClient(create_app(engine), base_url="http://127.0.0.1", raise_server_exceptions=False) as client,
        ):
            for external_id, content, source, language, created_at, tags in NOTES:
                note = {"content": content, "source": source, "language": language, "createdAt": created_at}
                body = {**note, "externalId": external_id, "metadata": {"tags": tags}}
                assert client.post("/api/notes", json=body).status_code == 201
            yield client


@pytest.fixture
def found(travels: TestClient) -> Found:
    """The external ids of what a search finds."""

    def search(filters: dict[str, Any], *, strategy: str = "hybrid", query: str = "tren") -> set[str]:
        body = {"query": query, "topK": 50, "strategy": strategy, "filters": filters}
        answer = travels.post("/api/retrieve", json=body)
        assert answer.status_code == 200, answer.text
        return {result["externalId"] for result in answer.json()["results"]}

    return search


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, "marzo abril carta zug"),
        ({"tags": [], "sources": []}, "marzo abril carta zug"),
        ({"from": "2025-03-11", "to": "2025-03-31"}, "carta zug"),
        ({"from": "2025-04-01"}, "abril"),
        ({"to": "2025-03-20T00:00"}, "marzo"),
        ({"sources": ["cartas"]}, "carta"),
        ({"sources": ["cartas", "diario"], "languages": ["de"]}, "zug"),
        ({"languages": ["es"]}, "marzo abril carta"),
        ({"tags": ["familia"]}, "marzo carta"),
        ({"tags": ["FAMILIA", "viaje"]}, "marzo abril carta"),
        ({"tags": ["viaje"], "from": "2025-03-15"}, "abril"),
        ({"kinds": ["note"]}, "marzo abril carta zug"),
        ({"kinds": ["document"]}, ""),
        ({"documentTypes": ["note", "contract"]}, "marzo abril carta zug"),
        ({"documentTypes": ["contract", "document"]}, ""),
        ({"topics": ["familia"]}, "marzo carta"),
        ({"documentIds": ["abril", "diario:marzo"]}, "abril marzo"),
        ({"tags": ["nada"]}, ""),
    ],
    ids=str,
)
def test_only_notes_that_pass_every_filter_are_found(
    found: Found, filters: dict[str, Any], expected: str, strategy: str
) -> None:
    assert found(filters, strategy=strategy) == set(expected.split())


def test_a_note_is_named_by_its_id_too(travels: TestClient, found: Found) -> None:
    note_id = next(n["id"] for n in travels.get("/api/notes").json()["notes"] if n["externalId"] == "carta")

    assert found({"documentIds": [note_id]}) == {"carta"}


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ([], "filters: debe ser un objeto"),
        ({"fecha": "2025-03-01"}, "filters.fecha: campo desconocido"),
        ({"document_ids": ["n1"]}, "filters.document_ids: campo desconocido"),
        ({"from": "ayer"}, "filters.from: «ayer» no es una fecha ISO 8601 válida"),
        ({"from": "2025-03-02", "to": "2025-03-01"}, "from (2025-03-02) debe ser anterior a to (2025-03-01)"),
        ({"kinds": ["nota"]}, "filters.kinds.0: valor no admitido; se espera 'note' o 'document'"),
        (
            {"documentTypes": ["carta"]},
            "filters.documentTypes.0: valor no admitido; se espera 'note', 'document', 'contract', 'invoice'",
        ),
        ({"tags": [""]}, "filters.tags.0: no puede estar en blanco"),
        ({"tags": ["a\0b"]}, "filters.tags.0: contiene un carácter no admitido"),
        ({"sources": "diario"}, "filters.sources: debe ser una lista"),
        ({"languages": ["es"] * 101}, "filters.languages: sobran elementos; se admiten como máximo 100"),
        ({"documentIds": ["nada"]}, "filters.documentIds: no existe ninguna nota llamada «nada»"),
    ],
)
def test_filters_that_cannot_be_taken_are_refused_in_spanish(refusing: TestClient, filters: Any, said: str) -> None:
    answer = refusing.post("/api/retrieve", json={"query": "x", "filters": filters})

    assert said in assert_spanish(answer, 400, "Parámetros inválidos")


def test_an_external_id_of_several_sources_lists_them(client: TestClient, add_note) -> None:
    add_note("Una", externalId="n1", source="diario")
    add_note("Otra", externalId="n1", source="cartas")

    answer = client.post("/api/retrieve", json={"query": "x", "filters": {"documentIds": ["n1"]}})

    details = assert_spanish(answer, 400, "Parámetros inválidos")
    assert details == "filters.documentIds: «n1» está en varias fuentes; escribe uno de cartas:n1, diario:n1"


def test_a_note_of_another_tenant_is_no_note(client: TestClient, database_url: str, add_note) -> None:
    note_id = add_note("La receta de la abuela.")["id"]
    settings = read_settings(database_url=database_url, tenant="ajeno", request_timeout_ms=10_000)

    with open_engine(settings) as other, TestClient(create_app(other), base_url="http://127.0.0.1") as stranger:
        answer = stranger.post("/api/retrieve", json={"query": "receta", "filters": {"documentIds": [note_id]}})

    assert f"no existe ninguna nota llamada «{note_id}»" in assert_spanish(answer, 400)


def test_filters_are_described_with_examples(refusing: TestClient) -> None:
    schemas = refusing.get("/openapi.json").json()["components"]["schemas"]

    fields = schemas["FilterFields"]["properties"]
    assert set(fields) == {
        "from",
        "to",
        "kinds",
        "sources",
        "languages",
        "tags",
        "topics",
        "documentTypes",
        "documentIds",
    }
    assert [name for name, field in fields.items() if not field.get("examples")] == []
    assert schemas["FilterFields"]["additionalProperties"] is False
    assert {"$ref": "#/components/schemas/FilterFields"} in schemas["RetrieveRequest"]["properties"]["filters"]["anyOf"]
