"""The graph of a note in a browser: by the keyboard, without JavaScript, on any screen."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest
from contrast import CONTRAST
from playwright.sync_api import Browser, Page, expect

from rag_core.indexing.one_note import store_and_index
from rag_core.model.note import TenantId, note_id_for
from rag_core.notes.validation import parse_note
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings

pytestmark = pytest.mark.browser
DEFAULT = TenantId("default")
NOTES = {
    "Cena": "Cené con Birgit Lohmann y con Rosa Ferrer.",
    "Comida": "Comí con Birgit Lohmann.",
    "Una llamada que duró toda la tarde del domingo": "Hablé con Rosa Ferrer y con Tomás Quintana.",
}


@pytest.fixture
def graph(database_url: str, serve: Callable[[Engine], AbstractContextManager[str]]) -> Iterator[str]:
    """The address of a note's graph."""
    settings = read_settings(database_url=database_url, tenant=None, request_timeout_ms=10_000)
    with open_engine(settings) as engine, serve(engine) as address:
        for title, text in NOTES.items():
            note = parse_note(
                external_id=title,
                source="diario",
                title=title,
                text=text,
                created_at="2025-03-01",
                language="es",
                metadata={},
                zone=settings.zone,
                max_characters=1_000,
            )
            store_and_index(engine.database, DEFAULT, note, engine.pipeline)
        yield f"{address}/grafo?nota={note_id_for(DEFAULT, 'diario', 'Cena')}"


def test_the_arrows_go_from_node_to_node_and_enter_opens_one(page: Page, graph: str) -> None:
    page.goto(graph)
    focused = page.locator("svg a:focus")
    page.locator("svg a").first.focus()

    page.keyboard.press("ArrowRight")
    first = focused.get_attribute("aria-label")
    page.keyboard.press("ArrowDown")
    second = focused.get_attribute("aria-label")
    expect(page.locator(".edges .lit")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-label", "Cena, nota")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    page.wait_for_url(re.compile("entidad="))
    assert {first, second} == {"Birgit Lohmann, persona", "Rosa Ferrer, persona"}
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Grafo de {(first or '').partition(',')[0]}")


def test_without_scripts_nodes_and_table_lead_on(browser: Browser, graph: str) -> None:
    context = browser.new_context(java_script_enabled=False, locale="es-ES")
    page = context.new_page()
    page.goto(graph)

    page.get_by_role("link", name="Rosa Ferrer, persona").click()
    page.wait_for_url(re.compile("entidad="))
    page.get_by_role("table").get_by_role("link", name="Comida").wait_for(state="detached")
    page.get_by_role("table").get_by_role("link", name="Cena").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Cena")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_screen_and_is_named_and_legible(page: Page, graph: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    for width in (320, 390, 1366):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(graph)

        assert page.evaluate("document.documentElement.scrollWidth") == width
    unnamed = "[...document.querySelectorAll('a')].filter(e => !e.textContent.trim() && !e.ariaLabel).length"
    assert page.evaluate(unnamed) == 0
    assert page.evaluate("document.querySelectorAll('[style], style, script:not([src])').length") == 0
    expect(page.get_by_role("group", name="Grafo de Cena")).to_be_visible()
    boxes = "[...document.querySelectorAll('svg a')].filter(e => e.querySelector('text').getBBox().width > 206).length"
    assert page.evaluate(boxes) == 0
    assert page.evaluate(CONTRAST, ".graph td") >= 4.5
