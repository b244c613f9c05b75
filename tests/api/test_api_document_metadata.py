"""Type, topics, summary and counts of uploads, told with their structure and searched by."""

from datetime import UTC, datetime, timedelta

import pptx
from fastapi.testclient import TestClient
from jobs_done import DoJobs
from office_files import saved
from test_api_documents import uploaded

INVOICE = """# Factura n.º 118

Imprenta Lobo, CIF B12345674, a 4 de marzo

| Concepto | Uds. | Importe |
| --- | --- | --- |
| Tarjetas de visita | 500 | 60,00 € |
| Tarjetas dobles | 20 | 44,00 € |

Base imponible 104,00 €, IVA 21,84 €, total 125,84 €. Pago por transferencia antes del vencimiento.
El plazo de reclamación es de quince días desde la entrega del pedido.
"""


def slides(title: str) -> bytes:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = title
    return saved(deck)


def test_a_document_is_told_by_type_topics_and_counts(client: TestClient, do_jobs: DoJobs) -> None:
    document = uploaded(client, INVOICE, "Factura 118.md", visibility="private", classification="interno")
    do_jobs()

    metadata = client.get(f"/api/v2/documents/{document}/structure").json()["metadata"]

    assert (metadata["filename"], metadata["fileType"], metadata["uploadedBy"]) == ("Factura 118.md", "md", None)
    assert datetime.fromisoformat(metadata["uploadedAt"]) > datetime.now(UTC) - timedelta(hours=1)
    assert (metadata["language"], metadata["documentType"], metadata["madeBy"]) == ("es", "invoice", "rules")
    assert metadata["documentTypeConfidence"] > 0.5
    assert "tarjetas" in metadata["topics"]
    assert "Imprenta Lobo" in metadata["keyPhrases"]
    assert (metadata["tableCount"], metadata["imageCount"], metadata["sectionCount"]) == (1, 0, 1)
    assert (metadata["wordCount"], metadata["pageCount"]) == (49, None)
    assert metadata["summary"] == (
        "Pago por transferencia antes del vencimiento. El plazo de reclamación es de quince días desde la entrega del pedido."
    )
    assert (metadata["readingFormula"], metadata["extractionWarnings"]) == ("Fernández Huerta", [])
    assert 0 <= metadata["readingLevel"] <= 100
    assert (metadata["classification"], metadata["visibility"], metadata["department"]) == ("interno", "private", None)


def test_slides_are_a_presentation_whatever_they_say(client: TestClient, do_jobs: DoJobs) -> None:
    document = uploaded(client, slides("Factura, IVA e importe"), "a.pptx")
    do_jobs()

    metadata = client.get(f"/api/v2/documents/{document}/structure").json()["metadata"]

    assert (metadata["documentType"], metadata["documentTypeConfidence"]) == ("presentation", 1)


def test_documents_are_found_by_their_type(client: TestClient, do_jobs: DoJobs) -> None:
    uploaded(client, INVOICE, "Factura 118.md")
    uploaded(client, "Ayer compré tarjetas con Ana.", "Diario.md")
    do_jobs()

    filters = {"documentTypes": ["invoice", "contract"]}
    found = client.post("/api/retrieve", json={"query": "tarjetas", "filters": filters}).json()

    assert {hit["externalId"] for hit in found["results"]} == {"Factura 118.md"}
