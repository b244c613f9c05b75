"""Uploads that Docling or LlamaParse read, stored in PostgreSQL, found, and told in German."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jobs_done import do_waiting
from parsing_servers import ParsingServer
from parsing_servers import parsing_server as parsing_server  # noqa: PLC0414 - a fixture, re-exported to pytest
from pdfs import PdfFile
from test_api_documents import workbook

from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings

UPLOAD = "/api/v2/documents/upload"


@pytest.fixture
def engine(database_url: str, parsing_server: ParsingServer) -> Iterator[Engine]:
    """The open resources, with both services set up."""
    parsing_server.key = "k"
    settings = read_settings(
        database_url=database_url,
        request_timeout_ms=10_000,
        docling_url=parsing_server.url,
        docling_api_key="k",
        llamaparse_enabled=True,
        llamaparse_url=parsing_server.url,
        llamaparse_api_key="k",
        llamaparse_classifications="public",
    )
    with open_engine(settings, pool_size=4) as opened:
        yield opened


def send(client: TestClient, options: Any = None, **fields: str) -> Any:
    file = PdfFile()
    file.page()
    file.text(72, 100, "Der Umsatz stieg um ein Fünftel.")
    given = {} if options is None else {"parseOptions": json.dumps(options)}
    return client.post(UPLOAD, files={"file": ("Bericht.pdf", file.data())}, data=given | fields)


def document_sent(client: TestClient, engine: Engine, options: Any, **fields: str) -> tuple[str, dict[str, Any]]:
    answer = send(client, options, **fields)
    assert answer.status_code == 202, answer.text
    do_waiting(engine)
    document = str(answer.json()["documentId"])
    return document, dict(client.get(f"/api/v2/documents/{document}/status").json())


def test_docling_reads_an_upload(client: TestClient, engine: Engine, parsing_server: ParsingServer) -> None:
    document, state = document_sent(
        client, engine, {"primary": "docling", "docling": {"ocrLanguages": ["de"]}}, classification="secret"
    )

    assert (state["status"], state["parserUsed"], state["pages"], state["warnings"]) == ("completed", "docling", 2, [])
    structure = client.get(f"/api/v2/documents/{document}/structure").json()
    assert structure["parserMetadata"]["parsingConfidence"] == 0.9
    assert {block["extractionMethod"] for block in structure["blocks"] if block["type"] == "table"} == {"docling"}
    assert [block["boundingBox"] for block in structure["blocks"] if block["type"] == "table"] == [[50, 172, 545, 282]]
    (hit, *_) = client.post("/api/retrieve", json={"query": "Umsatz 2024 131"}).json()["results"]
    assert hit["noteId"] == document
    assert parsing_server.forms[0]["ocr_lang"] == ["de"]


def test_llamaparse_reads_an_upload_that_may_leave(client: TestClient, engine: Engine) -> None:
    _, state = document_sent(client, engine, {"primary": "llamaparse"}, classification="public")

    assert (state["status"], state["parserUsed"], state["pages"]) == ("completed", "llamaparse", 1)


def test_llamaparse_gets_no_other_upload(client: TestClient, engine: Engine, parsing_server: ParsingServer) -> None:
    parsing_server.fault = "status"
    document_sent(client, engine, {"primary": "docling"}, classification="secret")
    refused = send(client, {"primary": "llamaparse"}, classification="secret")

    assert set(parsing_server.paths) == {"/v1/convert/file"}
    assert (refused.status_code, refused.json()["details"]) == (
        400,
        "llamaparse ist für diese Datei nicht eingerichtet; in parseOptions weglassen oder den Betreiber fragen",
    )


def test_a_fallback_is_told_in_german(client: TestClient, engine: Engine, parsing_server: ParsingServer) -> None:
    parsing_server.fault = "status"

    document, state = document_sent(client, engine, {"primary": "docling"})

    said = "native las die Datei stattdessen, denn docling konnte die Datei nicht lesen (Docling antwortete mit Status 500)"
    assert (state["status"], state["parserUsed"], state["warnings"]) == ("completed", "native", [said])
    assert client.get(f"/api/notes/{document}").json()["content"] == "Der Umsatz stieg um ein Fünftel."


def test_differing_tables_are_told_in_german(client: TestClient, engine: Engine) -> None:
    document, state = document_sent(client, engine, {"primary": "docling", "validateOutput": True})

    said = "die Zahl der Tabellen weicht ab (docling 1, native 0); mit dem Original vergleichen"
    assert state["warnings"] == [said]
    assert client.get(f"/api/v2/documents/{document}/structure").json()["parserMetadata"]["warnings"] == [
        {"type": "validation_mismatch", "message": said, "page": None, "blockId": None}
    ]


def test_a_table_that_two_parsers_agree_on_is_validated(
    client: TestClient, engine: Engine, parsing_server: ParsingServer
) -> None:
    table = "| Cosa | Euros |\n| --- | --- |\n| broca | 0 |\n| taladro | 1 |"
    parsing_server.pages = [{"page": 1, "md": table, "text": ""}]
    options = json.dumps({"primary": "llamaparse", "validateOutput": True})
    given = {"parseOptions": options, "classification": "public"}
    files = {"file": ("Taller.xlsx", workbook("broca", "taladro"))}
    document = client.post(UPLOAD, files=files, data=given).json()["documentId"]

    do_waiting(engine)

    structure = client.get(f"/api/v2/documents/{document}/structure").json()
    assert [block["extractionMethod"] for block in structure["blocks"] if block["type"] == "table"] == ["validated"]
    assert (structure["parserMetadata"]["parserUsed"], structure["parserMetadata"]["warnings"]) == ("llamaparse", [])


def test_the_services_are_unchanged_by_a_document_that_is_sent_again(client: TestClient, engine: Engine) -> None:
    first, _ = document_sent(client, engine, {"primary": "docling"})
    second, state = document_sent(client, engine, None)

    assert (first == second, state["parserUsed"]) == (True, "native")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"apiKey": "x"}, "Schlüssel von Diensten hat allein der Betreiber; apiKey weglassen"),
        ({"docling": {"imageExtraction": True}}, "Bilder werden nicht aus Dokumenten entnommen"),
        ({"tables": 1}, "tables ist unbekannt oder hat einen unzulässigen Wert"),
        ([], "parseOptions ist kein JSON-Objekt"),
    ],
)
def test_what_cannot_be_honoured_is_refused_in_german(client: TestClient, options: Any, said: str) -> None:
    answer = send(client, options)

    assert answer.status_code == 400
    assert said in answer.json()["details"]
