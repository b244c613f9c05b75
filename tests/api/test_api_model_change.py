"""A change of the embedding model under requests that never stop: none fails, and each answer is one model's."""

import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from ollama_server import OllamaServer
from ollama_server import ollama_server as ollama_server  # noqa: PLC0414 - a fixture, re-exported to pytest

from rag_core.api.app import create_app
from rag_core.model.embedding import WantedModel
from rag_core.model_change.promotion import promote
from rag_core.model_change.registration import register_model
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.storage.models import count_vectors_by_tenant, find_model
from rag_core.storage.queries import query

OTHER = "nomic-embed-text"
TEXTS = (
    "La casa azul está junto al río.",
    "Treinta y dos facturas sin pagar, todas de marzo.",
    "Mi jefe se enfadó conmigo en la reunión del lunes.",
    "El pan de masa madre salió demasiado denso.",
    "Llevé al perro al veterinario por la tos.",
    "Nadar por la mañana me quita las migrañas.",
)
QUERIES = ("casa junto al río", "facturas de marzo", "reunión con mi jefe", "pan denso", "tos del perro")
Answer = list[tuple[str, float]]


@pytest.fixture
def engine(database_url: str, ollama_server: OllamaServer) -> Iterator[Engine]:
    """An engine with the embedded model active and one on a server registered."""
    ollama_server.serve(OTHER, dimensions=48)
    settings = read_settings(
        database_url=database_url, request_timeout_ms=20_000, ollama_host=ollama_server.url, tenant="pruebas"
    )
    with open_engine(settings, pool_size=8) as opened:
        wanted = WantedModel(name=OTHER, provider="ollama")
        register_model(opened.database, wanted, settings=read_settings(ollama_host=ollama_server.url))
        yield opened


@pytest.fixture
def client(engine: Engine) -> Iterator[TestClient]:
    """A client of a server that runs all the time."""
    with TestClient(create_app(engine), base_url="http://127.0.0.1", raise_server_exceptions=False) as opened:
        for text in TEXTS:
            assert opened.post("/api/notes", json={"content": text}).status_code == 201
        yield opened


@contextmanager
def never_resting(*workers: Callable[[], None]) -> Iterator[None]:
    """Workers called again and again beside the block; what one raises is raised in the end."""
    stop = threading.Event()

    def repeat(work: Callable[[], None]) -> None:
        while not stop.is_set():
            work()

    with ThreadPoolExecutor(max_workers=len(workers)) as threads:
        running: list[Future[None]] = [threads.submit(repeat, work) for work in workers]
        try:
            yield
        finally:
            stop.set()
        for future in running:
            future.result()


def ask(client: TestClient, query: str, strategy: str) -> Answer:
    """Which chunks came with which scores; an answer without the search by meaning is none."""
    answer = client.post("/api/retrieve", json={"query": query, "strategy": strategy})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert "warnings" not in body["metadata"] or body["metadata"]["warnings"] == []
    found = [(hit["chunkId"], hit["score"]) for hit in body["results"]]
    assert found
    return found


def wait_until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        threading.Event().wait(0.02)


def missing(engine: Engine, name: str) -> int:
    with engine.database.owner() as connection:
        model = find_model(connection, name).model
        return sum(count.missing for count in count_vectors_by_tenant(connection, model.id).values())


def test_every_answer_during_a_change_and_back_is_one_models(client: TestClient, engine: Engine) -> None:
    cases = list(itertools.product(QUERIES, ("semantic", "hybrid")))
    by_hashing = {case: ask(client, *case) for case in cases}
    seen: list[tuple[tuple[str, str], Answer]] = []
    turns = itertools.cycle(cases)
    lock = threading.Lock()

    def reader() -> None:
        with lock:
            case = next(turns)
        found = ask(client, *case)
        with lock:
            seen.append((case, found))

    with never_resting(reader, reader, reader):
        promote(engine, OTHER, is_waiting=True)
        wait_until(lambda: seen[-1][1] != by_hashing[seen[-1][0]])
        by_other = {case: ask(client, *case) for case in cases}
        promote(engine, "hashing")
        wait_until(lambda: seen[-1][1] == by_hashing[seen[-1][0]])

    assert all(by_hashing[case] != by_other[case] for case in cases)
    assert [case for case, found in seen if found not in (by_hashing[case], by_other[case])] == []
    assert {found == by_other[case] for case, found in seen} == {True, False}


def test_no_note_written_during_a_change_fails_or_lacks_a_vector(client: TestClient, engine: Engine) -> None:
    numbers = itertools.count()
    made = client.post("/api/notes", json={"content": "Una nota que cambia sin parar."}).json()

    def writer() -> None:
        answer = client.post("/api/notes", json={"content": f"Apunte número {next(numbers)} sobre el huerto."})
        assert answer.status_code == 201, answer.text

    def editor() -> None:
        body = {"content": f"Una nota que cambia sin parar, vez {next(numbers)}."}
        answer = client.put(f"/api/notes/{made['id']}", json=body)
        assert answer.status_code == 200, answer.text

    with never_resting(writer, editor):
        wait_until(lambda: next(numbers) > 20)
        promote(engine, OTHER, is_waiting=True)
        first = next(numbers)
        wait_until(lambda: next(numbers) > first + 20)

    assert missing(engine, OTHER) == 0
    assert unindexed(engine) == 0
    assert ask(client, "Apunte número 3 sobre el huerto", "semantic")


def unindexed(engine: Engine) -> int:
    with engine.database.owner() as connection:
        row: Any = connection.execute("select count(*) from brain.notes where indexed_fingerprint is null").fetchone()
    return int(row[0])


def test_a_note_does_not_wait_for_a_promotion_longer_than_a_request_may_take(engine: Engine) -> None:
    impatient = replace(engine, settings=engine.settings.model_copy(update={"request_timeout_ms": 1000}))

    with (
        TestClient(create_app(impatient), base_url="http://127.0.0.1", raise_server_exceptions=False) as client,
        engine.database.owner() as connection,
        connection.transaction(),
    ):
        connection.execute(query("lock_active_model"))
        waited = client.post("/api/notes", json={"content": TEXTS[0]})
        asked = client.post("/api/retrieve", json={"query": QUERIES[0]})

    assert (waited.status_code, asked.status_code) == (504, 200)
    assert waited.json()["details"].startswith("La nota no se ha guardado")
