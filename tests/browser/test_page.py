"""The page as a reader sees and uses it, in Chromium."""

import re

import pytest
from contrast import CONTRAST
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

STARTS = [
    "/",
    "/?q=conflicto+con+mi+jefe",
    "/?q=xyzzyx&modo=palabras",
    "/?q=+",
    "/?q=jefe&desde=2025-03-02&hasta=2025-03-01",
]
CONDITIONS = (
    "/?q=tren&desde=2025-01-01&hasta=2025-12-31&etiqueta=casa&etiqueta=una+etiqueta+bastante+larga&fuente=diario"
)


class TestSearching:
    def test_a_query_and_enter_bring_the_passage_with_the_match_marked(self, page: Page, site: str) -> None:
        page.goto(site)

        page.get_by_label("Qué buscas").fill("conflicto con mi jefe")
        page.keyboard.press("Enter")

        card = page.locator(".card").first
        expect(card.get_by_role("heading")).to_have_text("Reunión difícil")
        expect(card.locator("mark").first).to_contain_text("Hoy tuve un conflicto con mi jefe")
        expect(card.locator("mark b").first).to_have_text("conflicto")
        expect(card).to_contain_text("1 de marzo de 2025")
        expect(card).to_contain_text("diario")
        expect(card.locator(".how")).to_contain_text(re.compile(r"por palabras\s+n\.º 1\s+por parecido\s+n\.º 1"))
        expect(page.get_by_role("status")).to_contain_text(re.compile(r"\d resultados en \d+ ms"))
        expect(page.get_by_label("Qué buscas")).to_have_value("conflicto con mi jefe")

    def test_a_click_on_a_strategy_searches_again_with_it(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=jefe")

        page.get_by_label("Por palabras").click()

        page.wait_for_url(re.compile("modo=palabras"))
        expect(page.get_by_label("Por palabras")).to_be_checked()
        expect(page.locator(".card")).to_have_count(1)
        expect(page.locator(".how dt")).to_have_text(["por palabras"])

    def test_it_works_by_the_keyboard_alone(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=tren")
        page.keyboard.press("/")
        expect(page.get_by_label("Qué buscas")).to_be_focused()

        page.keyboard.type("jefe")
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Buscar")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        expect(page.get_by_label("Por parecido")).to_be_checked()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")

        page.wait_for_url(re.compile("q=jefe&modo=palabras"))
        expect(page.locator(".card")).to_have_count(1)

    def test_the_first_tab_leads_to_the_content(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=jefe")

        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Ir al contenido")).to_be_focused()
        page.keyboard.press("Enter")

        expect(page.locator("main")).to_be_focused()

    def test_a_slash_within_the_box_is_a_slash(self, page: Page, site: str) -> None:
        page.goto(site)

        page.get_by_label("Qué buscas").press_sequentially("3/5")

        expect(page.get_by_label("Qué buscas")).to_have_value("3/5")

    def test_an_empty_query_is_said_beside_the_box(self, page: Page, site: str) -> None:
        page.goto(site)

        page.get_by_role("button", name="Buscar").click()

        expect(page.get_by_role("alert")).to_have_text("La consulta no puede estar vacía.")
        expect(page.get_by_label("Qué buscas")).to_have_attribute("aria-invalid", "true")

    def test_a_long_passage_is_cut_around_the_words_and_can_be_opened(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=paraguas+verde+de+la+abuela&modo=palabras")
        card = page.locator(".card").first
        shown = card.locator("> .passage")

        expect(shown).to_contain_text("El paraguas verde de la abuela quedó olvidado")
        assert len(shown.inner_text()) < 900
        card.get_by_text("Leer el pasaje completo").click()

        assert len(card.locator("details .passage").inner_text()) > 1000

    def test_what_is_hardly_like_the_query_is_folded_away(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=conflicto+jefe+ansioso+temprano+pan+tren+médico&modo=palabras")
        expect(page.get_by_role("status")).to_contain_text("5 resultados")
        expect(page.locator(".card:visible")).to_have_count(1)

        more = page.locator("main summary", has_text="Mostrar 4 resultados más")
        more.focus()
        page.keyboard.press("Enter")

        expect(page.locator(".card:visible")).to_have_count(5)
        expect(page.get_by_text("Ocultar los 4 últimos resultados")).to_be_visible()

    def test_a_note_cannot_put_markup_into_the_page(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=tomates")

        expect(page.locator(".card").first.get_by_role("heading")).to_have_text("Compra <b>urgente</b>")
        expect(page.locator(".card").first).to_contain_text("& tomates. <script>alert('no')</script>")
        assert page.locator("main script").count() == 0

    def test_a_query_cannot_put_markup_into_the_page(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")

        expect(page.get_by_label("Qué buscas")).to_have_value('"><script>alert(1)</script>')
        assert page.locator("main script").count() == 0

    def test_nothing_found_says_what_to_try(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=xyzzyx&modo=palabras")

        expect(page.get_by_role("heading", name="No hay nada sobre eso en las 4 notas")).to_be_visible()
        page.get_by_role("link", name="también por parecido").click()

        expect(page.get_by_label("Híbrida")).to_be_checked()

    def test_it_works_without_javascript(self, page: Page, site: str) -> None:
        context = page.context.browser.new_context(java_script_enabled=False, locale="es-ES")
        plain = context.new_page()
        plain.goto(site)

        plain.get_by_label("Qué buscas").fill("jefe")
        plain.get_by_label("Por palabras").check()
        plain.get_by_role("button", name="Buscar").click()

        expect(plain.locator(".card")).to_have_count(1)
        context.close()


class TestConditions:
    def test_dates_and_tags_are_chosen_in_a_panel(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=tren")

        page.get_by_text("Acotar la búsqueda").click()
        page.get_by_label("Desde el").fill("2025-03-03")
        page.get_by_label("casa").check()
        page.get_by_role("button", name="Aplicar").click()

        page.wait_for_url(re.compile(r"\?q=tren&modo=hibrida&desde=2025-03-03&etiqueta=casa$"))
        expect(page.locator(".chips .chip")).to_contain_text(["desde el 3 de marzo de 2025", "etiqueta: casa"])

    def test_only_notes_that_meet_them_are_shown(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=jefe+tomates&modo=palabras&desde=2025-03-02")

        expect(page.locator(".card h2")).to_have_text(["Compra <b>urgente</b>"])

    def test_a_condition_is_taken_away_with_its_cross(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=tren&modo=palabras&etiqueta=nada")
        expect(page.get_by_role("heading", name="No hay nada sobre eso entre las notas")).to_be_visible()

        page.get_by_role("link", name="etiqueta: nada").click()

        expect(page.locator(".card h2").first).to_have_text("Viajes en tren")
        expect(page.locator(".chips")).to_have_count(0)

    def test_a_tag_that_is_typed_is_completed_from_ones_own(self, page: Page, site: str) -> None:
        page.goto(site)
        page.get_by_text("Acotar la búsqueda").click()

        expect(page.get_by_label("Otra etiqueta")).to_have_attribute("list", "etiquetas")
        assert "huerto" in page.locator("#etiquetas option").evaluate_all("all => all.map(one => one.value)")

    def test_the_panel_works_by_the_keyboard(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=tren")
        page.locator(".conditions summary").focus()
        page.keyboard.press("Enter")

        page.get_by_label("casa").focus()
        page.keyboard.press("Space")
        page.keyboard.press("Enter")

        page.wait_for_url(re.compile("etiqueta=casa"))

    def test_it_works_without_javascript(self, page: Page, site: str) -> None:
        context = page.context.browser.new_context(java_script_enabled=False, locale="es-ES")
        plain = context.new_page()
        plain.goto(f"{site}/?q=tren")

        plain.get_by_text("Acotar la búsqueda").click()
        plain.get_by_label("Hasta el").or_(plain.get_by_label("hasta el")).fill("2025-03-01")
        plain.get_by_role("button", name="Aplicar").click()

        expect(plain.locator(".chips .chip")).to_have_count(1)
        context.close()

    def test_dates_that_cannot_be_are_told_and_the_panel_stays_open(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=tren&desde=2025-03-02&hasta=2025-03-01")

        expect(page.get_by_role("alert")).to_contain_text("debe ser anterior a")
        expect(page.get_by_label("Desde el")).to_have_value("2025-03-02")
        expect(page.get_by_label("Desde el")).to_be_visible()


class TestWhatWasUnderstood:
    def test_a_chain_is_read_from_the_cause_to_the_effect(self, page: Page, understanding_site: str) -> None:
        page.goto(f"{understanding_site}/?q=¿por+qué+llegué+tarde?")

        chain = page.get_by_role("list", name="De la causa al efecto").get_by_role("listitem")

        expect(chain).to_have_text(["café por la tarde", "dormir mal", "llegar tarde a la reunión con la cooperativa"])

    def test_the_time_understood_is_taken_away_by_a_click(self, page: Page, understanding_site: str) -> None:
        page.goto(f"{understanding_site}/?q=¿por+qué+llegué+tarde+la+semana+pasada?")

        page.get_by_role("link", name="la semana pasada: 10–16 nov").click()

        expect(page.get_by_text("sin tener en cuenta sus fechas")).to_be_visible()
        page.get_by_role("link", name="Tenerlas en cuenta").click()
        expect(page.get_by_role("link", name="la semana pasada: 10–16 nov")).to_be_visible()

    @pytest.mark.parametrize("width", [320, 1280])
    def test_nothing_of_it_is_wider_than_the_screen(self, page: Page, understanding_site: str, width: int) -> None:
        page.set_viewport_size({"width": width, "height": 800})

        page.goto(f"{understanding_site}/?q=tarde&desde=2025-01-01&etiqueta=casa")

        assert page.evaluate("document.documentElement.scrollWidth") == width


class TestTheNotePage:
    def test_a_result_leads_to_its_place_in_the_whole_note(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=paraguas+verde+de+la+abuela")

        page.locator(".card h2 a").first.click()

        expect(page.get_by_role("heading", level=1)).to_have_text("Viajes en tren")
        mark = page.locator("mark#pasaje")
        expect(mark).to_contain_text("El paraguas verde de la abuela")
        expect(mark).to_be_in_viewport()
        expect(page.locator(".text")).to_contain_text("El tren 1 me llevó")
        expect(page.locator(".text")).to_contain_text("El tren 30 me llevó")
        page.get_by_role("link", name="Volver a los resultados").click()
        expect(page.get_by_label("Qué buscas")).to_have_value("paraguas verde de la abuela")

    def test_a_note_without_a_title_has_one_to_click(self, page: Page, site: str) -> None:
        page.goto(f"{site}/?q=dolor+de+cabeza")

        page.get_by_role("link", name="Nota sin título").click()

        expect(page.locator(".text")).to_contain_text("El médico me recomendó dormir")


class TestTheStart:
    def test_the_newest_notes_are_listed(self, page: Page, site: str) -> None:
        page.goto(site)

        expect(page.locator(".counts")).to_have_text("4 notas")
        expect(page.locator(".recent .title")).to_have_text(
            ["Nota sin título", "Viajes en tren", "Compra <b>urgente</b>", "Reunión difícil"]
        )
        expect(page.get_by_label("Qué buscas")).to_be_focused()

    def test_without_notes_it_says_how_to_import_them(self, page: Page, empty_site: str) -> None:
        page.goto(empty_site)

        expect(page.get_by_role("heading", name="Todavía no hay notas")).to_be_visible()
        expect(page.get_by_text("brain import ~/Notas")).to_be_visible()
        expect(page.locator(".counts")).to_have_text("0 notas")

    def test_demo_notes_are_called_so(self, page: Page, demo_site: str) -> None:
        page.goto(demo_site)

        expect(page.locator(".counts")).to_have_text("Demostración 4 notas")
        page.get_by_text("Cómo usar las tuyas").click()

        expect(page.get_by_text("brain import ~/Notas")).to_be_visible()


class TestAccess:
    @pytest.mark.parametrize("width", [320, 390, 1280])
    @pytest.mark.parametrize("path", [*STARTS, CONDITIONS])
    def test_nothing_is_wider_than_the_screen(self, page: Page, site: str, path: str, width: int) -> None:
        page.set_viewport_size({"width": width, "height": 800})

        page.goto(site + path)
        page.locator(".conditions summary").click()

        assert page.evaluate("document.documentElement.scrollWidth") == width

    @pytest.mark.parametrize("path", STARTS)
    def test_the_page_is_named_structured_and_labelled(self, page: Page, site: str, path: str) -> None:
        page.goto(site + path)

        assert page.locator("html").get_attribute("lang") == "es"
        assert page.title()
        for landmark in ("banner", "main", "contentinfo", "search"):
            expect(page.get_by_role(landmark)).to_have_count(1)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert page.evaluate("[...document.querySelectorAll('input')].filter(i => !i.labels.length).length") == 0
        assert (
            page.evaluate(
                "[...document.querySelectorAll('a, button')].filter(e => !e.textContent.trim() && !e.ariaLabel).length"
            )
            == 0
        )
        assert page.evaluate("[...document.querySelectorAll('img')].filter(e => !e.hasAttribute('alt')).length") == 0
        assert (
            page.evaluate(
                "(ids => ids.length - new Set(ids).size)([...document.querySelectorAll('[id]')].map(e => e.id))"
            )
            == 0
        )
        assert page.evaluate("document.querySelectorAll('[style], style, script:not([src])').length") == 0

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_text_stands_out_from_its_ground(self, page: Page, understanding_site: str, scheme: str) -> None:
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{understanding_site}/?q=jefe&etiqueta=casa")

        low = {
            place: contrast
            for place in (
                ".counts",
                "h1",
                ".mode span",
                ".facts",
                ".passage",
                "mark",
                "mark b",
                ".how",
                ".how dd",
                ".chain span",
                ".chip",
                ".cross",
                ".tick span",
                ".tick input:checked + span",
                ".panel .field",
                ".understood .quiet",
                ".warning",
                "button",
                ".bottom a",
            )
            if (contrast := page.evaluate(CONTRAST, place)) < 4.5
        }

        assert low == {}
