"""Signing in and out on the page, in a browser that says itself where its forms come from."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from rag_core.access.keys import make_key
from rag_core.model.access import KeyGrant
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.api_keys import insert_key

pytestmark = pytest.mark.browser


@pytest.fixture
def keyed(
    database_url: str, tmp_path: Path, serve: Callable[[Engine], AbstractContextManager[str]]
) -> Iterator[tuple[str, str]]:
    """The address of pages that ask for keys, and a key that reads."""
    made = make_key()
    settings = read_settings(database_url=database_url, home=tmp_path, access="keys", request_timeout_ms=10_000)
    with open_engine(settings) as engine:
        grant = KeyGrant(tenant=TenantId("uno"), name="ana", scopes=("read",))
        with engine.database.owner() as connection:
            insert_key(connection, grant, made.presented)
        with serve(engine) as address:
            yield address, made.text


def test_somebody_signs_in_comes_where_they_wanted_to_be_and_signs_out(page: Page, keyed: tuple[str, str]) -> None:
    address, key = keyed

    page.goto(f"{address}/?q=huerto")
    expect(page).to_have_url(f"{address}/entrar?volver=%2F%3Fq%3Dhuerto")
    field = page.get_by_label("Tu clave de acceso")
    expect(field).to_be_focused()
    field.fill(key)
    page.get_by_role("button", name="Entrar").click()

    expect(page).to_have_url(f"{address}/?q=huerto")
    assert page.evaluate("document.cookie") == ""
    page.get_by_role("button", name="Salir").click()
    expect(page).to_have_url(f"{address}/entrar")
    page.goto(f"{address}/")
    expect(page).to_have_url(f"{address}/entrar?volver=%2F")


def test_a_key_that_opens_nothing_is_said_beside_the_field(browser: Browser, keyed: tuple[str, str]) -> None:
    with browser.new_context(locale="es-ES") as context:  # the console calls the answer, 401, an error
        page = context.new_page()
        page.goto(f"{keyed[0]}/entrar")

        page.get_by_label("Tu clave de acceso").fill("nada")
        page.keyboard.press("Enter")

        expect(page.get_by_role("alert")).to_have_text("La clave de acceso no es válida.")
        expect(page.get_by_label("Tu clave de acceso")).to_have_attribute("aria-invalid", "true")


def test_a_page_of_another_port_cannot_use_the_cookie(browser: Browser, keyed: tuple[str, str]) -> None:
    address, key = keyed
    with browser.new_context(locale="es-ES") as context:  # the console calls the answer, 403, an error
        page = context.new_page()
        page.goto(f"{address}/entrar")
        page.get_by_label("Tu clave de acceso").fill(key)
        page.get_by_role("button", name="Entrar").click()
        expect(page.get_by_role("button", name="Salir")).to_be_visible()
        page.route("http://127.0.0.1:1/**", lambda route: route.fulfill(content_type="text/html", body=_FORM % address))

        page.goto("http://127.0.0.1:1/")
        with page.expect_response(f"{address}/salir") as answered:
            page.get_by_role("button", name="Gratis").click()

        assert answered.value.status == 403
        assert [cookie["name"] for cookie in context.cookies(address)] == ["brain_key"]


_FORM = '<!doctype html><form method="post" action="%s/salir"><button>Gratis</button></form>'
