"""The pages' catalogues are complete, and nothing of a page stands outside them."""

import re
from datetime import UTC, date, datetime
from pathlib import Path
from string import Formatter
from zoneinfo import ZoneInfo

import pytest
from page_texts import (
    PAGES,
    TEMPLATES,
    texts_of_module,
    texts_of_template,
    untranslated_in_module,
    untranslated_in_template,
    used_texts,
)

from rag_core.api.errors import TELLING
from rag_core.api.pages.texts import SOURCE, counted, day, day_of, decimal, localised, speak, spoken, tr
from rag_core.api.pages.web import rendered
from rag_core.translation import read_catalogue

TRANSLATED = [language for language in TELLING if language != SOURCE]


@pytest.fixture(autouse=True)
def _spanish_again():
    yield
    speak("es")


def catalogue(language: str) -> dict[str, str]:
    return read_catalogue(PAGES / f"texts/{language}.po")


@pytest.mark.parametrize("language", TRANSLATED)
class TestCatalogues:
    def test_every_text_of_the_pages_is_translated_and_no_other(self, language: str) -> None:
        assert set(catalogue(language)) == used_texts()

    def test_no_translation_is_empty(self, language: str) -> None:
        assert [text for text, translated in catalogue(language).items() if not translated.strip()] == []

    def test_translations_have_the_placeholders_and_tags_of_their_texts(self, language: str) -> None:
        differing = {text: told for text, told in catalogue(language).items() if parts(text) != parts(told)}

        assert differing == {}

    def test_no_text_stands_twice(self, language: str) -> None:
        lines = (PAGES / f"texts/{language}.po").read_text("utf-8").splitlines()
        texts = [line.partition(" ")[2] for line in lines if line.startswith("msgid") and not line.endswith(' ""')]

        assert sorted(texts) == sorted(set(texts))


def parts(text: str) -> list[str]:
    """Placeholders and tags."""
    braces = [f"{{{name}}}" for _, name, _, _ in Formatter().parse(text) if name]
    return sorted([*braces, *re.findall(r"%\(\w+\)s|</?\w+[^>]*>", text)])


@pytest.mark.parametrize(
    "path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES).with_suffix(""))
)
def test_a_template_shows_no_text_that_is_not_translated(path: Path) -> None:
    assert list(untranslated_in_template(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "path", sorted(PAGES.rglob("*.py")), ids=lambda path: str(path.relative_to(PAGES).with_suffix(""))
)
def test_a_module_shows_no_text_that_is_not_translated(path: Path) -> None:
    assert list(untranslated_in_module(path.read_text("utf-8"))) == []


@pytest.mark.parametrize("path", sorted((PAGES / "web/static").glob("*.js")), ids=lambda path: path.name)
def test_a_script_has_no_text_of_its_own(path: Path) -> None:
    code = re.sub(r"^\s*//.*$|\s//.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)

    assert re.findall(r'"[A-ZÁÉÍÓÚ¿][^"]* [^"]*"|"[^"]*[áéíóúñ¿ß][^"]*"', code) == []


class TestPlantedTexts:
    """What the tests above would find."""

    @pytest.mark.parametrize(
        "source",
        [
            "<p>Otro texto</p>",
            '<a title="Otro texto" href="/">{{ name }}</a>',
            '{{ "Otro texto" if count else name }}',
            "<p>{{ _('Uno') }} otro</p>",
        ],
    )
    def test_in_a_template_one_is_found(self, source: str) -> None:
        assert len(list(untranslated_in_template(source))) == 1

    @pytest.mark.parametrize("source", ['title = "Otro texto"', 'title = f"Otro texto {name}"'])
    def test_in_a_module_one_is_found(self, source: str) -> None:
        assert len(list(untranslated_in_module(source))) == 1

    def test_a_new_text_is_missed_in_the_catalogues(self) -> None:
        new = {*texts_of_template('{{ _("Texto plantado") }}'), *texts_of_module('tr("Otro texto plantado")')}

        assert new == {"Texto plantado", "Otro texto plantado"}
        assert new.isdisjoint(catalogue("en"))


class TestFormats:
    @pytest.mark.parametrize(
        ("language", "expected"),
        [
            ("es", ("3 de marzo de 2025", "0,50", "1.190 preguntas")),
            ("en", ("3 March 2025", "0.50", "1,190 questions")),
            ("de", ("3. März 2025", "0,50", "1.190 Fragen")),
        ],
    )
    def test_dates_and_numbers_follow_the_language(self, language, expected: tuple[str, ...]) -> None:
        speak(language)

        told = (day(date(2025, 3, 3)), decimal(0.5, decimals=2), counted("{count} pregunta", "{count} preguntas", 1190))

        assert told == expected

    def test_one_takes_the_singular(self) -> None:
        speak("de")

        assert counted("{count} pregunta", "{count} preguntas", 1) == "1 Frage"

    def test_a_day_is_that_of_the_zone(self) -> None:
        assert day_of(datetime(2025, 3, 3, 23, 30, tzinfo=UTC), ZoneInfo("Europe/Madrid")) == "4 de marzo de 2025"

    @pytest.mark.parametrize(
        ("language", "expected"),
        [
            ("es", "La consulta supera el máximo de 2000 caracteres"),
            ("en", "The query is longer than 2000 characters; shorten it"),
            ("de", "Die Suchanfrage ist länger als 2000 Zeichen; kürze sie"),
        ],
    )
    def test_a_message_of_the_core_is_found_by_its_template(self, language, expected: str) -> None:
        speak(language)

        assert localised("La consulta supera el máximo de 2000 caracteres") == expected


def test_a_text_without_translation_stays_spanish() -> None:
    speak("en")

    assert tr("Texto que nadie ha traducido") == "Texto que nadie ha traducido"


def test_a_template_rendered_in_one_language_is_rendered_anew_in_the_next() -> None:
    pages = []
    for language in ("es", "en", "de", "es"):
        speak(language)
        pages.append(rendered("thanks.html", back="/"))

    assert [re.findall('<html lang="(..)">', page) for page in pages] == [["es"], ["en"], ["de"], ["es"]]
    assert ["Danke für deine Bewertung" in page for page in pages] == [False, False, True, False]
    assert pages[0] == pages[3]
    assert spoken() == "es"
