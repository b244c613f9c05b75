"""Requests made from the description of the API to every route of it: none is a defect, whatever it holds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from api.asked_notes import BOILER, served_notes
from api.generated_requests import Operation, Sent, assert_answered, operations_of, requests, send
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FEW = 250
NEW = {"/chat", "/api/query", "/api/feedback", "/api/sessions", "/api/v2/rag/search", "/api/v2/rag/chat"}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Api:
    """A client, and what there is to ask."""

    client: TestClient
    operations: list[Operation]
    schemas: dict[str, Any]
    ids: list[str]


@pytest.fixture(scope="module")
def api(server: str, template: str) -> Iterator[Api]:
    """The notes, a conversation, and a question that was answered."""
    with served_notes(server, template) as client:
        description = client.get("/openapi.json").json()
        note = client.get("/api/notes").json()["notes"][0]["id"]
        session = client.post("/api/sessions").json()["id"]
        query = client.post("/api/query", json={"query": BOILER, "sessionId": session}).json()["queryId"]
        yield Api(
            client=client,
            operations=operations_of(description),
            schemas=description["components"]["schemas"],
            ids=[note, session, query, "00000000-0000-0000-0000-000000000007", "caldera", "casa"],
        )


def test_the_answering_routes_are_described(api: Api) -> None:
    assert {operation.path for operation in api.operations} >= NEW


@settings(max_examples=FEW, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_250_generated_requests_are_no_defect(api: Api, data: st.DataObject) -> None:
    _ask(api, data, api.operations)


@settings(max_examples=FEW, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_250_generated_questions_are_no_defect(api: Api, data: st.DataObject) -> None:
    _ask(api, data, [operation for operation in api.operations if operation.path in NEW])


@pytest.mark.e2e
@settings(max_examples=10_000, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_10000_generated_requests_are_no_defect(api: Api, data: st.DataObject) -> None:
    _ask(api, data, api.operations)


def _ask(api: Api, data: st.DataObject, operations: list[Operation]) -> None:
    sent: Sent = data.draw(requests(operations, api.schemas, api.ids))

    answer = send(api.client, sent)

    assert_answered(sent, answer)
