"""The page on which questions are asked, open in a browser."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import pytest
from databases import cloned_database
from ollama_server import OllamaServer, running_ollama_server
from playwright.sync_api import Page, expect

from rag_core.indexing.one_note import store_and_index
from rag_core.notes.validation import parse_note
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings

MODEL = "llama"
QUESTION = "¿Cuánto cobró el técnico por la bomba de la caldera?"
EVIDENCE = "El técnico Julio Marín cobró 180 euros por la bomba nueva."
SAID = (
    "El técnico cobró 180 euros por la bomba nueva [1]. La caldera de gas se rompió el martes [1]. "
    "Vino <b>en bicicleta</b> desde Cuenca."
)
NOTES = (
    ("Caldera <i>de gas</i>", f"El martes se rompió la caldera de gas. {EVIDENCE} 🍅 Luego llovió."),
    ("Gastos", "En marzo gasté 300 euros en libros. En abril gasté 120 euros en libros."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The address of the pages, and the language model behind them."""

    address: str
    model: OllamaServer


@pytest.fixture(scope="module")
def running(server: str, template: str, serve: Callable[[Engine], AbstractContextManager[str]]) -> Iterator[Site]:
    """Two notes and a model's stand-in, for all tests."""
    with cloned_database(server, template) as database_url, running_ollama_server() as model:
        model.serve(MODEL)
        settings = read_settings(
            database_url=database_url, tenant=None, chat_model=MODEL, ollama_host=model.url, request_timeout_ms=10_000
        )
        with open_engine(settings) as engine:
            _store(engine)
            with serve(engine) as address:
                yield Site(address=address, model=model)


@pytest.fixture
def asking(running: Site) -> Site:
    """The page with a model that behaves and has said what it always says."""
    running.model.behave()
    running.model.reply = lambda _body: SAID
    while running.model.left_alone.acquire(blocking=False):
        pass
    return running


def _store(engine: Engine) -> None:
    for number, (title, text) in enumerate(NOTES, 1):
        note = parse_note(
            external_id=f"n{number}",
            source="diario",
            title=title,
            text=text,
            created_at=f"2025-03-0{number}",
            language="es",
            metadata=None,
            zone=engine.settings.zone,
            max_characters=100_000,
        )
        store_and_index(engine.database, engine.writing_tenant(), note, engine.pipeline)


def ask(page: Page, site: Site, question: str = QUESTION) -> None:
    """Ask, and wait until the answer is whole."""
    page.goto(f"{site.address}/preguntar")
    page.get_by_label("Tu pregunta").fill(question)
    page.get_by_role("button", name="Preguntar").click()
    expect(page.locator(".turn .trust")).to_be_visible()
