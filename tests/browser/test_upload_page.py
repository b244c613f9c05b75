"""`/documentos` in a browser: files are sent and dropped, refused ones are told, and the list renews itself."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from rag_core.evaluation.jobs.queue import running_jobs
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.uploads import ingestion

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Site:
    """A served installation whose uploads wait until they are let go on."""

    address: str
    parsing: Callable[[], AbstractContextManager[object]]


@pytest.fixture
def site(database_url: str, serve: Callable[[Engine], AbstractContextManager[str]]) -> Iterator[Site]:
    assert ingestion.PARSING
    settings = read_settings(database_url=database_url, tenant=None, request_timeout_ms=10_000)
    with open_engine(settings) as engine, serve(engine) as address:
        yield Site(address=address, parsing=lambda: running_jobs(engine.database, lambda: engine, poll_seconds=0.05))


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    texts = {"Pan.md": "# Pan\n\nHarina y agua.", "gastos.csv": "Mes;Euros\nenero;12\n", "foto.exe": "\0"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [tmp_path / name for name in texts]


def test_files_are_sent_and_followed_until_they_are_ready(page: Page, site: Site, files: list[Path]) -> None:
    page.goto(f"{site.address}/documentos")
    page.get_by_label("Elige archivos").set_input_files(files)
    page.get_by_role("button", name="Subir").click()

    expect(page.get_by_role("alert")).to_contain_text("foto.exe: es un archivo .exe, que no se acepta")
    expect(page.get_by_role("cell", name="en espera")).to_have_count(2)
    with site.parsing():
        expect(page.get_by_role("cell", name="listo")).to_have_count(2)
    page.get_by_role("link", name="Pan.md").click()
    expect(page.get_by_role("heading", name="Pan", exact=True)).to_be_visible()


def test_files_can_be_dropped(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/documentos")

    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["Harina y agua."], "Pan.md"));
            const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
            document.querySelector(".upload").dispatchEvent(event);
        }"""
    )

    expect(page.get_by_role("rowheader", name="Pan.md")).to_be_visible()


def test_it_works_by_keyboard_and_without_javascript(browser: Browser, site: Site, files: list[Path]) -> None:
    context = browser.new_context(java_script_enabled=False, locale="es-ES")
    page = context.new_page()
    page.goto(f"{site.address}/documentos")
    page.get_by_label("Elige archivos").set_input_files(files[:2])
    page.get_by_role("button", name="Subir").press("Enter")

    expect(page.get_by_role("rowheader")).to_have_count(2)
    with site.parsing():
        for _ in range(100):
            page.get_by_role("link", name="Documentos").click()
            if page.get_by_role("cell", name="listo").count() == 2:
                break
    expect(page.get_by_role("cell", name="listo")).to_have_count(2)
    context.close()
