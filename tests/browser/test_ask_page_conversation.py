"""A conversation on the page for questions, and the page as a whole."""

import pytest
from asking_page import EVIDENCE, QUESTION, SAID, Site, ask
from asking_page import asking as asking  # noqa: PLC0414  a fixture, re-exported to pytest
from asking_page import running as running  # noqa: PLC0414  a fixture, re-exported to pytest
from contrast import CONTRAST
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser


class TestAConversation:
    def test_goes_on_and_says_how_a_further_question_was_understood(self, page: Page, asking: Site) -> None:
        asking.model.reply = lambda body: (
            '{"question": "¿Cuánto gasté en libros en abril?"}'
            if body.get("format")
            else "En abril gasté 120 euros en libros [1]."
        )
        ask(page, asking, "¿Cuánto gasté en libros en marzo?")

        page.get_by_label("Tu pregunta").fill("¿Y en abril?")
        page.keyboard.press("Enter")

        expect(page.locator(".standalone")).to_contain_text("Entendido como: ¿Cuánto gasté en libros en abril?")
        expect(page.locator(".turn h2")).to_have_text(["¿Cuánto gasté en libros en marzo?", "¿Y en abril?"])

    def test_leaves_a_comment_that_is_being_written_alone_when_the_next_answer_comes(
        self, page: Page, asking: Site
    ) -> None:
        ask(page, asking)
        asking.model.holds_before = ("bicicleta",)
        page.get_by_label("Tu pregunta").fill("¿Qué se rompió el martes?")
        page.keyboard.press("Enter")
        expect(page.locator(".turn.running .answer")).to_contain_text("bomba nueva")
        page.get_by_text("Comentario", exact=True).first.click()
        page.get_by_label("Se guarda con tu").first.press_sequentially("Faltaba")

        asking.model.go_on()
        expect(page.locator(".turn .trust")).to_have_count(2)
        expect(page.get_by_role("button", name="Preguntar")).to_be_enabled()
        page.keyboard.type(" el IVA")

        expect(page.get_by_label("Se guarda con tu").first).to_have_value("Faltaba el IVA")
        expect(page.get_by_label("Se guarda con tu").first).to_be_focused()

    def test_can_be_left_opened_again_and_deleted(self, page: Page, asking: Site) -> None:
        ask(page, asking, "¿Qué se rompió el martes en casa?")
        page.get_by_role("link", name="Nueva conversación").click()
        expect(page.locator(".turn")).to_have_count(0)

        page.get_by_role("link", name="¿Qué se rompió el martes en casa?").click()
        expect(page.locator(".turn")).to_have_count(1)
        page.locator(".talks li", has=page.locator("[aria-current]")).get_by_text("Borrar", exact=False).first.click()
        page.get_by_role("button", name="Borrar para siempre").and_(page.locator(":visible")).click()

        expect(page).to_have_url(f"{asking.address}/preguntar")
        expect(page.get_by_role("link", name="¿Qué se rompió el martes en casa?")).to_have_count(0)


class TestTheWholePage:
    def test_works_without_javascript(self, browser: Browser, asking: Site) -> None:
        with browser.new_context(java_script_enabled=False, locale="es-ES") as context:
            page = context.new_page()
            ask(page, asking)
            expect(page.locator(".answer")).to_contain_text("180 euros")

            page.get_by_text("Comentario", exact=True).click()
            page.get_by_label("Se guarda con tu").fill("Bien")
            page.locator(".feedback").get_by_role("button", name="Sí").click()
            expect(page.locator(".thanks")).to_have_text("Tu opinión está guardada.")
            page.get_by_role("link", name="Fuente 1").first.click()

            expect(page.locator("mark#pasaje")).to_have_text(EVIDENCE)

    @pytest.mark.parametrize("width", [1280, 390, 320])
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_fits_the_window_with_a_quotation_open(self, page: Page, asking: Site, width: int, scheme: str) -> None:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        ask(page, asking, f"{QUESTION} {'a' * 120}")

        page.locator(".cite").first.hover()

        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_can_be_read_in_both_colours(self, page: Page, asking: Site, scheme: str) -> None:
        asking.model.reply = lambda _body: f"{SAID} La bomba costó 9000 dólares [1]."
        page.emulate_media(color_scheme=scheme)
        ask(page, asking)
        page.locator(".cite").first.hover()

        low = {
            place: contrast
            for place in (
                ".turn h2",
                ".cite > a",
                ".cite.doubtful > a",
                ".doubt",
                ".tip > span",
                ".uncited",
                ".legend",
                ".level",
                ".trust",
                ".warning",
                ".sources h3",
                ".sources time",
                ".sources blockquote a",
                ".check",
                ".check.unchecked",
                ".by",
                ".feedback button",
                ".hint",
                ".ask button",
                ".sections a",
                ".sections a[aria-current]",
                ".talks .quiet",
                ".forget summary",
            )
            if (contrast := page.evaluate(CONTRAST, place)) < 4.5
        }

        assert low == {}

    @pytest.mark.parametrize("path", ["/", "/preguntar"])
    def test_has_a_button_as_wide_as_its_field_where_the_window_is_narrow(
        self, page: Page, asking: Site, path: str
    ) -> None:
        page.set_viewport_size({"width": 390, "height": 800})
        page.goto(asking.address + path)

        field = page.locator("#q, #pregunta").bounding_box()
        button = page.locator(".search .line button").bounding_box()

        assert field is not None
        assert button is not None
        assert (button["x"], button["width"]) == (field["x"], field["width"])

    def test_is_reached_from_the_search(self, page: Page, asking: Site) -> None:
        page.goto(f"{asking.address}/?q=bomba+de+la+caldera")

        page.get_by_role("link", name="Preguntar", exact=True).click()
        expect(page.get_by_label("Tu pregunta")).to_be_focused()
        page.go_back()
        page.get_by_role("link", name="Preguntárselo a tus notas").click()

        expect(page.locator(".turn h2")).to_have_text("bomba de la caldera")
