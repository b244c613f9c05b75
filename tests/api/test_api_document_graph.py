"""The graph of a document: what it speaks of and what it says led to what, for whom the document is, in its own words."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from fastapi.testclient import TestClient
from jobs_done import DoJobs
from keyed_api import Keyed
from test_api_department_uploads import department, send
from test_api_documents import uploaded

from rag_core.api.app import create_app
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings

HAIL = "El granizo de abril provocó la pérdida de la cosecha."
SALE = "La pérdida de la cosecha provocó la venta del tractor viejo."
QUARREL = "La venta del tractor viejo provocó una discusión familiar."
TEXT = f"# Campo\n\n{HAIL}\n\n{SALE}\n"


def graph_of(client: TestClient, document: str) -> dict[str, Any]:
    answer = client.get(f"/api/v2/documents/{document}/graph")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.fixture
def document(client: TestClient, do_jobs: DoJobs) -> str:
    """A document with a chain of two causes."""
    sent = uploaded(client, TEXT, "Campo.md")
    do_jobs()
    return sent


def test_causes_and_effects_are_nodes_in_the_order_of_the_text(client: TestClient, document: str) -> None:
    nodes = graph_of(client, document)["nodes"]

    content = client.get(f"/api/notes/{document}").json()["content"]
    said = [[content[mention["start"] : mention["end"]] for mention in node["mentions"]] for node in nodes]
    assert [(node["name"], node["type"]) for node in nodes] == [
        ("granizo de abril", "CONCEPT"),
        ("pérdida de la cosecha", "CONCEPT"),
        ("venta del tractor viejo", "CONCEPT"),
    ]
    assert said == [["granizo de abril"], ["pérdida de la cosecha"] * 2, ["venta del tractor viejo"]]


def test_relations_are_edges_between_nodes_with_their_evidence(client: TestClient, document: str) -> None:
    graph = graph_of(client, document)

    content = client.get(f"/api/notes/{document}").json()["content"]
    hail, loss, sale = (node["id"] for node in graph["nodes"])
    assert graph["documentId"] == document
    assert [
        (edge["source"], edge["target"], edge["type"], edge["confidence"], edge["evidence"]) for edge in graph["edges"]
    ] == [(hail, loss, "CAUSES", 0.9, HAIL), (loss, sale, "CAUSES", 0.9, SALE)]
    assert [content[edge["start"] : edge["end"]] for edge in graph["edges"]] == [HAIL, SALE]
    assert len({edge["id"] for edge in graph["edges"]}) == 2


def test_the_structure_has_the_same_entities_in_its_own_chunks(client: TestClient, document: str) -> None:
    graph = graph_of(client, document)

    structure = client.get(f"/api/v2/documents/{document}/structure").json()

    places = [mention for node in graph["nodes"] for mention in node["mentions"]] + graph["edges"]
    assert structure["entities"] == graph["nodes"]
    assert {place["chunkId"] for place in places} <= {chunk["chunkId"] for chunk in structure["chunks"]}


def test_a_search_and_the_graph_call_an_entity_by_the_same_id(client: TestClient, document: str) -> None:
    body = {"query": "¿Por qué hubo una pérdida de la cosecha?", "includeGraphRefinement": True}

    context = client.post("/api/v2/rag/search", json=body).json()["graphContext"]

    assert {entity["id"] for entity in context["entities"]} <= {
        node["id"] for node in graph_of(client, document)["nodes"]
    }
    assert [relation["evidence"] for relation in context["relationships"]] == [HAIL]


def test_documents_share_entities_and_nothing_else(client: TestClient, do_jobs: DoJobs, document: str) -> None:
    other = uploaded(client, f"{SALE}\n\n{QUARREL}", "Casa.md")
    do_jobs()

    graph, others = graph_of(client, document), graph_of(client, other)

    assert [node["name"] for node in others["nodes"]] == [
        "pérdida de la cosecha",
        "venta del tractor viejo",
        "discusión familiar",
    ]
    assert [node["id"] for node in others["nodes"][:2]] == [node["id"] for node in graph["nodes"][1:]]
    assert [edge["evidence"] for edge in others["edges"]] == [SALE, QUARREL]
    assert [edge["evidence"] for edge in graph["edges"]] == [HAIL, SALE]
    assert [len(node["mentions"]) for node in graph["nodes"]] == [1, 2, 1]


def test_a_document_without_causes_has_an_empty_graph(client: TestClient, do_jobs: DoJobs) -> None:
    document = uploaded(client, "El tractor es rojo.")
    do_jobs()

    assert graph_of(client, document) == {"documentId": document, "nodes": [], "edges": []}
    assert client.get(f"/api/v2/documents/{document}/structure").json()["entities"] == []


def test_an_edited_document_has_the_graph_of_its_new_text(client: TestClient, document: str) -> None:
    changed = client.put(f"/api/notes/{document}", json={"content": QUARREL})
    assert changed.status_code == 200, changed.text

    graph = graph_of(client, document)

    assert [edge["evidence"] for edge in graph["edges"]] == [QUARREL]
    assert [node["name"] for node in graph["nodes"]] == ["venta del tractor viejo", "discusión familiar"]


def test_there_is_no_graph_where_there_is_no_structure(client: TestClient, do_jobs: DoJobs) -> None:
    queued = uploaded(client, TEXT)
    note = client.post("/api/notes", json={"content": HAIL}).json()["id"]

    for one in (queued, note, str(uuid4())):
        answers = [client.get(f"/api/v2/documents/{one}/{part}") for part in ("structure", "graph")]
        assert [(answer.status_code, answer.json()["details"]) for answer in answers] == [
            (404, "Dieses Dokument gibt es nicht")
        ] * 2


def test_more_entities_take_no_more_statements(
    client: TestClient, do_jobs: DoJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = uploaded(
        client, "\n\n".join(f"El granizo {one} provocó la avería del molino {one}." for one in range(9))
    )
    do_jobs()
    of_graph: list[str] = []
    execute = psycopg.Cursor.execute

    def noted(cursor: Any, statement: Any, *args: Any, **more: Any) -> Any:
        of_graph.extend(re.findall(r"(?:from|join) (mentions|relations|entit\w+)", str(statement)))
        return execute(cursor, statement, *args, **more)

    monkeypatch.setattr(psycopg.Cursor, "execute", noted)
    graph = graph_of(client, document)
    client.get(f"/api/v2/documents/{document}/structure")

    assert (len(graph["nodes"]), len(graph["edges"])) == (18, 9)
    assert of_graph == ["mentions", "relations", "mentions"]


class TestDepartments:
    """Documents of a department, and what the graph has of others'."""

    @pytest.fixture
    def engine(self, database_url: str, tmp_path: Path) -> Iterator[Engine]:
        settings = read_settings(
            database_url=database_url, home=tmp_path / "home", access="keys", request_timeout_ms=10_000
        )
        with open_engine(settings) as opened:
            yield opened

    @pytest.fixture
    def keyed(self, engine: Engine) -> Iterator[Keyed]:
        with TestClient(create_app(engine), base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
            yield Keyed(client=client, database=engine.database)

    def test_a_graph_is_for_whom_its_document_is(self, keyed: Keyed, do_jobs: DoJobs) -> None:
        sales, other = department(keyed, "ventas"), department(keyed, "compras")
        readers = {"own": sales, "other": other, "all": keyed.key("read"), "tenant": keyed.key("read", tenant="dos")}
        document = send(keyed, sales, TEXT.encode()).json()["documentId"]
        do_jobs()

        answers = {
            name: keyed.ask("GET", f"/api/v2/documents/{document}/graph", key=key) for name, key in readers.items()
        }

        assert {name: answer.status_code for name, answer in answers.items()} == {
            "own": 200,
            "other": 404,
            "all": 200,
            "tenant": 404,
        }
        assert len(answers["own"].json()["edges"]) == 2

    def test_entities_are_named_as_in_the_document_not_as_in_one_for_others(
        self, keyed: Keyed, do_jobs: DoJobs
    ) -> None:
        sales, other, everything = department(keyed, "ventas"), department(keyed, "compras"), keyed.key("read")
        send(keyed, other, "Las pérdidas de las cosechas provocaron el despido de Zarzaparrilla.".encode(), "b.md")
        do_jobs()
        document = send(keyed, sales, TEXT.encode()).json()["documentId"]
        do_jobs()

        for key in (sales, everything):
            answer = keyed.ask("GET", f"/api/v2/documents/{document}/graph", key=key)
            assert [node["name"] for node in answer.json()["nodes"]] == [
                "granizo de abril",
                "pérdida de la cosecha",
                "venta del tractor viejo",
            ]
            assert [edge["evidence"] for edge in answer.json()["edges"]] == [HAIL, SALE]
        with keyed.database.owner() as owner:
            names = {name for (name,) in owner.execute("select name from brain.entities").fetchall()}
        assert "pérdidas de las cosechas" in names
        assert "pérdida de la cosecha" not in names
