"""The search page's condition on types of documents: offered, ticked, kept in addresses, and taken away."""

import html
import re

import pytest
from fastapi.testclient import TestClient
from jobs_done import DoJobs
from test_api_document_metadata import INVOICE, slides
from test_api_documents import uploaded


@pytest.fixture
def documents(client: TestClient, do_jobs: DoJobs) -> None:
    """An invoice and a presentation that both speak of an invoice."""
    uploaded(client, INVOICE, "Factura 118.md")
    uploaded(client, slides("Factura, IVA e importe"), "a.pptx")
    do_jobs()


def titles(page: str) -> list[str]:
    return sorted(set(re.findall(r'<h2 id="r\d+"><a [^>]*>(.*?)</a>', page)))


@pytest.mark.usefixtures("documents")
@pytest.mark.parametrize(
    ("types", "found"),
    [
        ([], ["Factura n.º 118", "Factura, IVA e importe"]),
        (["invoice"], ["Factura n.º 118"]),
        (["presentation"], ["Factura, IVA e importe"]),
        (["invoice", "presentation"], ["Factura n.º 118", "Factura, IVA e importe"]),
        (["contract"], []),
    ],
)
def test_documents_of_the_ticked_types_are_found(client: TestClient, types: list[str], found: list[str]) -> None:
    page = client.get("/", params={"q": "factura", "tipo": types}).text

    assert titles(page) == found
    assert set(re.findall(r'name="tipo" value="(\w+)" checked', page)) == set(types)


@pytest.mark.usefixtures("documents")
@pytest.mark.parametrize(
    ("language", "legend", "labels", "chip"),
    [
        ("es", "Tipo de documento", ["factura", "presentación"], "tipo: factura"),
        ("de", "Art des Dokuments", ["Rechnung", "Präsentation"], "Art: Rechnung"),
        ("en", "Document type", ["invoice", "presentation"], "type: invoice"),
    ],
)
def test_types_that_there_are_are_offered_in_the_readers_language(
    client: TestClient, language: str, legend: str, labels: list[str], chip: str
) -> None:
    page = client.get("/?q=factura&tipo=invoice", headers={"Accept-Language": language}).text

    assert f"<legend>{legend}</legend>" in page
    assert re.findall(r'name="tipo" value="\w+"[^>]*><span>(.*?)</span>', page) == labels
    assert re.findall(r'<a class="chip" href="(.*?)".*?</span>([^<]+)<span', page) == [("/?q=factura", chip)]


@pytest.mark.usefixtures("documents")
def test_a_note_leads_back_to_the_types(client: TestClient) -> None:
    page = client.get("/?q=factura&tipo=invoice").text
    address = html.unescape(re.findall(r'href="(/notas/[^"]*)#pasaje"', page)[0])

    assert 'href="/?q=factura&amp;tipo=invoice">Volver a los resultados' in client.get(address).text


def test_without_documents_no_types_are_offered(client: TestClient) -> None:
    assert 'name="tipo"' not in client.get("/").text


def test_a_type_that_there_is_not_is_told(client: TestClient, add_note: object) -> None:
    assert "«Tipo de documento»: valor no admitido" in client.get("/?q=x&tipo=novela").text


def test_too_many_types_are_refused(client: TestClient) -> None:
    assert client.get("/", params={"tipo": ["invoice"] * 101}).status_code == 400
