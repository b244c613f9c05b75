"""Errors as OpenAI's clients read them."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

_KINDS: Mapping[int, tuple[str, str]] = {
    401: ("authentication_error", "invalid_api_key"),
    403: ("permission_error", "permission_denied"),
    404: ("not_found_error", "not_found"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
}


class OpenAIError(BaseModel):
    """An error."""

    message: str
    type: str
    param: str | None
    code: str


class OpenAIFailure(BaseModel):
    """Body of a failed request."""

    error: OpenAIError


def error_body(status: int, error: str, details: str) -> dict[str, Any]:
    """The body for a status; the message is the kind of failure and what to change."""
    usual = ("server_error", "server_error") if status >= 500 else ("invalid_request_error", "invalid_request")
    kind, code = _KINDS.get(status, usual)
    return {"error": {"message": f"{error}: {details}", "type": kind, "param": None, "code": code}}
