"""Thousands of requests made from the description of the API: no defect, no traceback, no wrong language."""

from collections.abc import Iterator

import pytest
from api.generated_requests import Api, ask, described_api
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.e2e
MANY = settings(max_examples=3_000, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def api(server: str, template: str) -> Iterator[Api]:
    """The API over a few notes."""
    with described_api(server, template) as described:
        yield described


@MANY
@given(data=st.data())
def test_thousands_of_generated_requests_are_no_defect(api: Api, data: st.DataObject) -> None:
    ask(api, data, api.operations)
