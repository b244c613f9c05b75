"""The API over a database that several tests begin with a copy of."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi.testclient import TestClient

from rag_core.api.app import create_app
from rag_core.runtime.engine import open_engine
from rag_core.settings import read_settings


@contextmanager
def filling_client(url: str) -> Iterator[TestClient]:
    with (
        open_engine(read_settings(database_url=url, request_timeout_ms=10_000), pool_size=4) as engine,
        TestClient(create_app(engine), base_url="http://127.0.0.1") as client,
    ):
        yield client


def add_note(client: TestClient, content: str, **more: str) -> str:
    """Store a note; its id."""
    answer = client.post("/api/notes", json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])
