"""A model that says half a surrogate pair or a NUL, which no JSON and no table takes, is answered with all the same."""

from collections.abc import Iterator
from typing import Any

import pytest
from asked_notes import BOILER, Scripted, served_notes
from fastapi.testclient import TestClient

ROUTES: dict[str, dict[str, Any]] = {
    "/chat": {"message": BOILER},
    "/api/query": {"query": BOILER},
    "/api/v2/rag/chat": {"messages": [{"role": "user", "content": BOILER}]},
}


@pytest.fixture(scope="module")
def client(server: str, template: str) -> Iterator[TestClient]:
    chat = Scripted(["El técnico Julio Ma\ud83drín cobró 180 euros", "\0 por la bomba nueva [1\x07]."])
    with served_notes(server, template, chat=chat) as client:
        yield client


@pytest.mark.parametrize("path", ROUTES)
def test_the_answer_is_told_and_remembered(client: TestClient, path: str) -> None:
    response = client.post(path, json=ROUTES[path])

    assert response.status_code == 200
    body = response.json()
    assert body["answer"].startswith("El técnico Julio Marín cobró 180 euros por la bomba nueva [")
    query_id = body["meta"]["queryId"] if path == "/chat" else body["queryId"]
    rated = client.post("/api/feedback", json={"queryId": query_id, "rating": 5})
    assert rated.status_code < 300, rated.text
