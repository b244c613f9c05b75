"""Checks of an answer of the API."""

import httpx

ENGLISH = (
    "should",
    "must be",
    "required",
    "input",
    "not permitted",
    "less than",
    "greater than",
    "not found",
    "not allowed",
    " or ",
    " the ",
    " expected ",
    "error parsing",
)


def assert_spanish(answer: httpx.Response, status: int, error: str | None = None) -> str:
    """The details of a failure, which is told as the contract says."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error", "details"}
    assert body["error"]
    assert body["details"]
    said = f"{body['error']} {body['details']}".lower()
    assert [word for word in ENGLISH if word in said] == []
    if error is not None:
        assert body["error"] == error
    return str(body["details"])
