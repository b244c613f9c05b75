"""The running API of this home, asked over loopback in the place of a process that would open everything itself.

No question is sent before the API has proved that it is this home's. Imports little: a command that asks takes no other time.
"""

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict
from http.client import HTTPConnection, HTTPException, HTTPResponse
from importlib.metadata import version
from pathlib import Path
from socket import SHUT_RDWR
from threading import Timer
from typing import Any, Final

from rag_core.access.pseudonyms import Pseudonyms, has_secret, pseudonyms
from rag_core.errors import ConfigurationError, InvalidPeriodError, RagError
from rag_core.home.remembered_ports import remembered_ports
from rag_core.terminal.home_proof import ADDRESS, environment_of, home_proof
from rag_core.terminal.requests import PATH, Event, TerminalQuestion, TerminalSearch

GREETING_SECONDS: Final = 2.0
ANSWER_SECONDS: Final = 120.0
"""Longest silence; there are heartbeats every few seconds."""
_USUAL_PORT: Final = 8000
_ROUTES: Final = {TerminalSearch: "search", TerminalQuestion: "ask"}


class ApiUnusableError(RagError):
    """No API answers in this process's place; the message, where there is one, says why an API that runs does not."""


def ask_running_api(
    asked: TerminalSearch | TerminalQuestion, variables: Mapping[str, str] = os.environ
) -> Iterator[Event]:
    """The events by which the API of this home answers.

    Raises:
        ApiUnusableError: none runs, it is of another version or has other settings, or it broke off.
        RagError: its answer is an error.
    """
    home, port = _home(variables), _port(variables)
    names = _names(home, variables)
    with closing(HTTPConnection(ADDRESS, port, timeout=GREETING_SECONDS)) as connection:
        try:
            with _ended_after(connection, GREETING_SECONDS):
                _greet(connection, names, home=home, port=port)
            connection.sock.settimeout(ANSWER_SECONDS)
            body = {"asked": asdict(asked), "environment": environment_of(variables, names)}
            answer = _posted(connection, f"{PATH}/{_ROUTES[type(asked)]}", body, key=names.terminal_key)
            _check_answered(answer)
        except (OSError, HTTPException, ValueError) as error:
            raise ApiUnusableError from error
        yield from _events(answer)


def _home(variables: Mapping[str, str]) -> Path:
    return Path(variables.get("BRAIN_HOME", ".brain")).expanduser().resolve()


def _port(variables: Mapping[str, str]) -> int:
    """The port of the settings, without their library, whose import takes longer than an answer."""
    named = variables.get("BRAIN_API_PORT")
    if named is None:
        return remembered_ports(_home(variables)).get("api_port", _USUAL_PORT)
    if not (named.isdecimal() and 0 < int(named) <= 65_535):
        raise ApiUnusableError
    return int(named)


def _names(home: Path, variables: Mapping[str, str]) -> Pseudonyms:
    """Pseudonyms of the home; no secret is made for one that has none, because no API runs there."""
    secret = variables.get("BRAIN_SECRET") or None
    if secret is None and not has_secret(home):
        raise ApiUnusableError
    try:
        return pseudonyms(home) if secret is None else Pseudonyms(secret=secret.encode())
    except ConfigurationError as error:
        raise ApiUnusableError from error


def _greet(connection: HTTPConnection, names: Pseudonyms, *, home: Path, port: int) -> None:
    """Let the API prove that it is this home's, and check its version; what follows goes over the same connection."""
    nonce = secrets.token_hex(16)
    answer = _posted(connection, PATH, {"nonce": nonce})
    found = json.loads(answer.read(65_536))
    expected = home_proof(names, home=home, address=ADDRESS, port=port, nonce=nonce)
    if not isinstance(found, dict) or not secrets.compare_digest(str(found.get("proof")).encode(), expected.encode()):
        raise ApiUnusableError
    if connection.sock is None:
        raise ApiUnusableError
    if found.get("version") != version("brain-sync"):
        raise ApiUnusableError("the running API is of another version; start `brain up` again for quick answers")


@contextmanager
def _ended_after(connection: HTTPConnection, seconds: float) -> Iterator[None]:
    """End the connection when the block takes longer: a time-out of a socket is for each piece that comes."""
    connection.connect()
    timer = Timer(seconds, connection.sock.shutdown, [SHUT_RDWR])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _posted(connection: HTTPConnection, path: str, body: Any, *, key: str | None = None) -> HTTPResponse:
    headers = {"Content-Type": "application/json"} | ({} if key is None else {"Authorization": f"Bearer {key}"})
    connection.request("POST", path, json.dumps(body).encode(), headers)
    return connection.getresponse()


def _check_answered(answer: HTTPResponse) -> None:
    if answer.status == 409:
        differing = ", ".join(json.loads(answer.read())["differing"])
        raise ApiUnusableError(
            f"the running API has another value of {differing}; set it here as it is there for quick answers"
        )
    if answer.status != 200:
        raise ApiUnusableError


def _events(answer: HTTPResponse) -> Iterator[Event]:
    """The events up to the one that says they are all.

    Raises:
        ApiUnusableError: that one did not come.
    """
    lines = _lines(answer)
    while (event := next(lines, None)) is not None and event["kind"] not in {"end", "broken"}:
        if event["kind"] == "error":
            raise (InvalidPeriodError if event["isUsage"] else RagError)(event["error"])
        if event["kind"] != "begun":
            yield event
    if event is None or event["kind"] == "broken":
        raise ApiUnusableError("the running API broke off; its log says why")


def _lines(answer: HTTPResponse) -> Iterator[dict[str, Any]]:
    """The JSON of server-sent events, until the connection ends, however it does."""
    try:
        for line in answer:
            if line.startswith(b"data: ") and line.endswith(b"\n"):
                yield json.loads(line.removeprefix(b"data: "))
    except (OSError, HTTPException, ValueError):
        return
