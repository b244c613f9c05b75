"""An embedding server that answers nobody: a search by meaning is given up, the rest is found in time."""

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from ollama_server import OllamaServer, ollama_server  # noqa: F401  the fixture is used by its name
from serving import Api, Reply, home, serving, wait_until  # noqa: F401  the fixture is used by its name

from rag_core.notes.importing import import_lines
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings

TIMEOUT_SECONDS = 2
STALL_SECONDS = 30
FAILURES = 5
"""Calls that come to nothing until the breaker opens."""
MODEL = "nomic-embed-text"
WARNING = "Búsqueda semántica no disponible, usando búsqueda por palabras clave"
PARTIAL = "Búsqueda parcial completada (tiempo límite excedido)"
_numbers = itertools.count(1)


def activate_ollama(home: Path, host: str) -> None:  # noqa: F811
    """Store a note and make a model of Ollama's the active one, as a promotion does."""
    settings = read_settings(home=home, shared_buffers_mb=32, ollama_host=host)
    with open_engine(settings) as engine:
        import_lines(
            engine.database,
            engine.writing_tenant(),
            [b'{"id": "n1", "text": "El tren lleg\xc3\xb3 tarde a la estaci\xc3\xb3n de Vigo."}'],
            source="notas",
            language="es",
            zone=settings.zone,
            max_characters=1000,
        )
        with psycopg.connect(engine.database.owner_conninfo, autocommit=True) as connection:
            connection.execute("update brain.embedding_models set state = 'retired'")
            connection.execute(
                "insert into brain.embedding_models (name, provider, version, dimensions, context_tokens, fusion_method,"
                " semantic_weight, fulltext_weight, searched_vectors, state)"
                " values (%s, 'ollama', '1', 64, 2048, 'rrf', 0.5, 0.5, 'contextual', 'active')",
                (MODEL,),
            )


@pytest.fixture
def stalled(home: Path, ollama_server: OllamaServer) -> Iterator[Api]:  # noqa: F811
    ollama_server.serve(MODEL, dimensions=64)
    activate_ollama(home, ollama_server.url)
    ollama_server.misbehave("stall", seconds=STALL_SECONDS)
    variables = {"OLLAMA_HOST": ollama_server.url, "BRAIN_REQUEST_TIMEOUT_MS": str(TIMEOUT_SECONDS * 1000)}
    with serving(home, BRAIN_SHARED_BUFFERS_MB="32", **variables) as api:
        yield api


def search(api: Api) -> Reply:
    """A query of its own each time, so that no cache answers."""
    return api.search(f"tren a Vigo, pregunta {next(_numbers)}", strategy="hybrid")


@pytest.mark.slow
def test_a_search_answers_within_its_deadline_with_a_warning_and_a_log_without_the_query(stalled: Api) -> None:
    reply = search(stalled)

    assert reply.status == 200
    assert [result["externalId"] for result in reply.body["results"]] == ["n1"]
    assert reply.body["metadata"]["warnings"] in ([WARNING], [PARTIAL])
    assert reply.seconds < TIMEOUT_SECONDS + 1
    log = stalled.log.read_text()
    assert '"degraded"' in log
    assert "pregunta" not in log


@pytest.mark.slow
def test_after_five_of_them_the_breaker_is_open_and_nobody_waits_any_more(
    stalled: Api,
    ollama_server: OllamaServer,  # noqa: F811
) -> None:
    with ThreadPoolExecutor(5) as threads:
        waited = list(threads.map(search, [stalled] * 5))
    # A search that a busy machine keeps until its deadline asks no model and counts for nothing; another takes its place.
    while len(ollama_server.bodies("/api/embed")) < FAILURES and len(waited) < 4 * FAILURES:
        waited.append(search(stalled))
    wait_until(lambda: "open" in stalled.get("/api/performance")["breakers"].values(), what="the breaker stays closed")
    asked = len(ollama_server.bodies("/api/embed"))

    fast = [search(stalled) for _ in range(5)]

    assert all(reply.status == 200 for reply in [*waited, *fast])
    assert len(ollama_server.bodies("/api/embed")) == asked
    assert {reply.body["metadata"]["warnings"][0] for reply in fast} == {WARNING}
    assert max(reply.seconds for reply in fast) < min(reply.seconds for reply in waited)
