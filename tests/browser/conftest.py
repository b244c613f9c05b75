"""The page in a real browser, served by a real server on a free port.

Chromium is the one that ``BRAIN_CHROMIUM`` names, or one found on the path.
"""

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from databases import cloned_database
from playwright.sync_api import Browser, Page, expect, sync_playwright

from rag_core.api.app import bound_socket, build_server, create_app
from rag_core.api.pages import search as pages
from rag_core.experiments.live_query import Answered
from rag_core.indexing.one_note import store_and_index
from rag_core.model.note import TenantId
from rag_core.model.retrieval import TimeExpression, TransformedQuery
from rag_core.notes.validation import parse_note
from rag_core.runtime.engine import DEMO_TENANT, Engine, open_engine
from rag_core.settings import read_settings

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("BRAIN_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

WAIT_MS = 30_000
"""How long a page may take to become what a test expects: other workers share the processors."""
expect.set_options(timeout=WAIT_MS)

LONG = "\n\n".join(
    f"El tren {number} me llevó a la estación número {number} y allí perdí un sombrero, aunque después la "
    "señora de la ventanilla me lo devolvió con mucha amabilidad."
    for number in range(1, 31)
).replace("El tren 20 ", "El paraguas verde de la abuela quedó olvidado en el museo. El tren 20 ")
CHAIN_IDS = tuple(f"00000000-0000-0000-0000-00000000000{number}" for number in (1, 2, 3))
TAGS = ("bici", "cartas", "cocina", "deporte", "dinero", "escuela", "familia", "fotos", "gatos", "huerto")
NOTES = (
    (
        "Reunión difícil",
        "Esta mañana llegué temprano. Hoy tuve un conflicto con mi jefe y me sentí muy ansioso. Fui a caminar.",
    ),
    (
        "Compra <b>urgente</b>",
        "Compré pan, leche & tomates. <script>alert('no')</script> Costó 3,5 euros 🍅.",
    ),
    ("Viajes en tren", LONG),
    (None, "El médico me recomendó dormir ocho horas porque el cansancio me da dolor de cabeza."),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for the tests of a module; Playwright's event loop runs in the test's thread until it is stopped."""
    if CHROMIUM is None:
        pytest.skip(f"no Chromium: none of {', '.join(NAMES)} is on the path and BRAIN_CHROMIUM is not set")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def site(server: str, template: str) -> Iterator[str]:
    """The address of a server that has notes of its owner's."""
    with (
        cloned_database(server, template) as database_url,
        _served(database_url, TenantId("default")) as address,
    ):
        yield address


@pytest.fixture(scope="session")
def demo_site(server: str, template: str) -> Iterator[str]:
    """The address of a server that has the notes of the demonstration alone."""
    with cloned_database(server, template) as database_url, _served(database_url, DEMO_TENANT) as address:
        yield address


@pytest.fixture(scope="session")
def empty_site(server: str, template: str) -> Iterator[str]:
    """The address of a server without notes."""
    with cloned_database(server, template) as database_url, _served(database_url, None) as address:
        yield address


@pytest.fixture
def understanding_site(site: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A site that takes every query for a question for causes, within a week where it may.

    What it finds first is found by a chain of three, and something was amiss on the way: all that the page can show.
    """
    monkeypatch.setattr(pages, "_answered", partial(_understanding, pages._answered))
    return site


def _understanding(answer: Callable[..., Answered], *asked: Any, **more: Any) -> Answered:
    answered, search = answer(*asked, **more), asked[1]
    found = answered.retrieval
    week = (datetime(2025, 11, 9, 23, tzinfo=UTC), datetime(2025, 11, 16, 23, tzinfo=UTC))
    words = TimeExpression(span=(0, 16), text="la semana pasada", since=week[0], until=week[1], is_relative=True)
    query = TransformedQuery(
        original_query=found.query,
        intent="causal",
        sub_queries=("¿Por qué llegué tarde?", "¿Qué comí?"),
        timestamp=datetime(2025, 11, 20, tzinfo=UTC),
        direction="causes",
        times=(words,) if search.reads_times else (),
    )
    chain = ("llegar tarde a la reunión con la cooperativa", "dormir mal", "café por la tarde")
    first = replace(found.hits[0], causal_path=CHAIN_IDS, causal_path_names=chain, rerank_score=0.5)
    understood = replace(
        found,
        hits=(first, *found.hits[1:]),
        transformed=query,
        interval=week if search.reads_times else None,
        warnings=("Búsqueda semántica no disponible, usando búsqueda por palabras clave",),
    )
    return replace(answered, retrieval=understood)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page; whatever its console calls an error, or an exception in its scripts, fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="es-ES")
    context.set_default_timeout(WAIT_MS)
    opened = context.new_page()
    problems: list[str] = []
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: problems.append(str(error)))
    yield opened
    context.close()
    assert problems == []


@contextmanager
def _served(database_url: str, owner: TenantId | None) -> Iterator[str]:
    settings = read_settings(database_url=database_url, tenant=None, request_timeout_ms=10_000)
    with open_engine(settings) as engine:
        if owner is not None:
            _store(engine, owner)
        with _serving(engine) as address:
            yield address


@pytest.fixture(scope="session")
def serve() -> Callable[[Engine], AbstractContextManager[str]]:
    """Serve the pages over open resources as long as the block lasts; gives their address."""
    return _serving


@contextmanager
def _serving(engine: Engine) -> Iterator[str]:
    with bound_socket(0) as listener:
        running = build_server(create_app(engine))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        while not running.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            running.should_exit = True
            thread.join(20)


def _store(engine: Engine, owner: TenantId) -> None:
    for number, (title, text) in enumerate(NOTES, 1):
        note = parse_note(
            external_id=f"n{number}",
            source="diario",
            title=title,
            text=text,
            created_at=f"2025-03-0{number}",
            language="es",
            metadata={"tags": ["casa", *TAGS]},
            zone=engine.settings.zone,
            max_characters=100_000,
        )
        store_and_index(engine.database, owner, note, engine.pipeline)
