"""Requests made from the description of the API to every route of it: none is a defect, whatever it holds.

``tests/e2e/test_many_requests.py`` sends 10,000.
"""

from collections.abc import Iterator

import pytest
from api.generated_requests import Api, ask, described_api
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FEW = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
NEW = {
    "/chat",
    "/api/query",
    "/api/feedback",
    "/api/sessions",
    "/api/v2/rag/search",
    "/api/v2/rag/chat",
    "/v1/chat/completions",
}


@pytest.fixture(scope="module")
def api(server: str, template: str) -> Iterator[Api]:
    """The API over a few notes."""
    with described_api(server, template) as described:
        yield described


def test_the_answering_routes_are_described(api: Api) -> None:
    assert {operation.path for operation in api.operations} >= NEW


@FEW
@given(data=st.data())
def test_a_generated_request_is_no_defect(api: Api, data: st.DataObject) -> None:
    ask(api, data, api.operations)


@FEW
@given(data=st.data())
def test_a_generated_question_is_no_defect(api: Api, data: st.DataObject) -> None:
    ask(api, data, [operation for operation in api.operations if operation.path in NEW])
