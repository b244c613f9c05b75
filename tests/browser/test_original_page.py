"""The page of the original beside a note's text, in a browser."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
from folders import Vault
from pdfs import PdfFile
from playwright.sync_api import Browser, Page, expect

from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Shown:
    """A served note of a PDF with two pages: its address, at a passage of the second one, and its file."""

    address: str
    file: Path


@pytest.fixture
def shown(database_url: str, serve: Callable[[Engine], AbstractContextManager[str]], tmp_path: Path) -> Iterator[Shown]:
    made = PdfFile()
    for place in ("Bilbao", "Soria"):
        made.page()
        made.text(72, 100, f"El ferrocarril de {place} costó mucho dinero.")
    settings = read_settings(database_url=database_url, tenant=None, request_timeout_ms=10_000)
    with open_engine(settings) as engine, serve(engine) as address:
        vault = Vault(path=tmp_path, database=engine.database, tenant=TenantId("default"))
        file = vault.write("Ferrocarril.pdf", made.data())
        vault.take()
        ((note, start),) = vault.rows("select note_id, position('El ferrocarril de Soria' in content) - 1 from notes")
        yield Shown(address=f"{address}/notas/{note}?cita={start}-{start + 23}", file=file)


def boxes(page: Page) -> tuple[dict[str, float], dict[str, float]]:
    text, picture = page.locator(".note .text").bounding_box(), page.locator(".original img").bounding_box()
    assert text is not None
    assert picture is not None
    return dict(text), dict(picture)


def test_the_page_stands_beside_the_text_and_opens_large_by_the_keyboard(page: Page, shown: Shown) -> None:
    page.goto(shown.address)

    picture = page.get_by_role("img", name="Página 2 de 2 del original, con el pasaje recuadrado")
    expect(picture).to_be_visible()
    expect(page.locator(".original img")).to_have_js_property("naturalWidth", 900)
    text, drawn = boxes(page)
    assert drawn["x"] >= text["x"] + text["width"]
    assert text["y"] < drawn["y"] + drawn["height"] / 2
    assert drawn["height"] <= 900
    page.locator(".original a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/pages/2?box=*")


def test_on_a_narrow_screen_the_page_stands_above_the_text(page: Page, shown: Shown) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(shown.address)
    page.get_by_role("link", name="Ver el original").click()

    expect(page.locator(".original img")).to_have_js_property("naturalWidth", 900)
    text, drawn = boxes(page)
    assert drawn["y"] + drawn["height"] <= text["y"]
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_without_javascript_pages_are_turned(browser: Browser, shown: Shown) -> None:
    context = browser.new_context(java_script_enabled=False, locale="es-ES")
    page = context.new_page()
    page.goto(shown.address)

    page.get_by_role("link", name="Página anterior").click()

    expect(page.get_by_role("img", name="Página 1 de 2 del original")).to_be_visible()
    expect(page.locator("#pasaje")).to_have_text("El ferrocarril de Soria")
    context.close()


def test_an_original_that_is_gone_is_told_with_the_remedy(browser: Browser, shown: Shown) -> None:
    shown.file.unlink()
    context = browser.new_context(locale="es-ES")
    page = context.new_page()

    page.goto(shown.address)

    expect(page.locator(".problem").filter(has_text="Vuelve a importarlo.")).to_be_visible()
    expect(page.locator(".original img")).to_be_hidden()
    context.close()
