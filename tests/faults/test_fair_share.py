"""One tenant asks for as much work as it can; another, whose requests are small, is not made to wait for it."""

import itertools
import json
import statistics
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from serving import home, serving  # noqa: F401  the fixture is used by its name

from rag_core.access.keys import make_key
from rag_core.model.access import KeyGrant
from rag_core.model.note import TenantId
from rag_core.settings import read_settings
from rag_core.storage.api_keys import insert_key
from rag_core.storage.database import open_database

HOSTILE_CLIENTS = 8
ROUNDS = 7
REQUESTS = 60
"""Of the other tenant in a round: as many without the hostile one as beside it, so that both meet the same machine.

All rounds count together: whatever else the machine does meanwhile falls on both.
"""
NOTES = {
    "hostil": [f"Pedido {number}: " + "1234567890 " * 6_000 for number in range(20)],
    "tranquilo": [f"El tren número {number} llegó tarde a la estación de Vigo." for number in range(40)],
}
"""Numbers from end to end take longest to look through for personal data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Reply to a client, with the time it waited."""

    status: int
    seconds: float
    retry_after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A tenant's key on the running API."""

    port: int
    key: str

    def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", json.dumps(body).encode(), headers)
        began = monotonic()
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                answer.read()
                status, retry_after = answer.status, None
        except urllib.error.HTTPError as refused:
            refused.read()
            status, retry_after = refused.code, refused.headers["Retry-After"]
        return Reply(status=status, seconds=monotonic() - began, retry_after=retry_after)


def make_keys(folder: Path) -> dict[str, str]:
    """A key for each tenant, that may ask any number of questions."""
    made = {tenant: make_key() for tenant in NOTES}
    with (
        open_database(read_settings(home=folder, shared_buffers_mb=32)) as database,
        database.owner() as connection,
    ):
        for tenant, key in made.items():
            grant = KeyGrant(
                tenant=TenantId(tenant),
                name=tenant,
                scopes=("read", "write"),
                questions_per_minute=1_000_000,
                questions_per_hour=1_000_000,
            )
            insert_key(connection, grant, key.presented)
    return {tenant: key.text for tenant, key in made.items()}


@contextmanager
def attacked(client: Client) -> Iterator[list[Reply]]:
    """Eight clients of a tenant that search for its longest passages, each query another one, until the block ends."""
    replies: list[Reply] = []
    numbers, is_over = itertools.count(), threading.Event()

    def attack() -> None:
        while not is_over.is_set():
            query = {"query": f"1234567890 pedido {next(numbers)}", "limit": 20}
            replies.append(client.post("/api/v2/rag/search", query))

    threads = [threading.Thread(target=attack) for _ in range(HOSTILE_CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield replies
    finally:
        is_over.set()
        for thread in threads:
            thread.join(60)


def searches(client: Client, numbers: Iterator[int]) -> list[Reply]:
    return [client.post("/api/retrieve", {"query": f"tren número {next(numbers)} en Vigo"}) for _ in range(REQUESTS)]


def p95(replies: list[Reply]) -> float:
    return statistics.quantiles([reply.seconds for reply in replies], n=20)[-1]


@pytest.mark.slow
@pytest.mark.alone
def test_eight_hostile_requests_do_not_double_the_p95_of_another_tenant(
    home: Path,  # noqa: F811
) -> None:
    keys = make_keys(home)
    quiet: list[Reply] = []
    beside: list[Reply] = []
    hostile: list[Reply] = []
    with serving(home, BRAIN_ACCESS="keys", BRAIN_SHARED_BUFFERS_MB="32") as api:
        clients = {tenant: Client(port=api.port, key=key) for tenant, key in keys.items()}
        for tenant, texts in NOTES.items():
            for number, text in enumerate(texts):
                note = {"content": text, "externalId": f"n{number}", "language": "es"}
                assert clients[tenant].post("/api/notes", note).status == 201
        numbers = itertools.count()
        searches(clients["tranquilo"], numbers)  # caches and connections are warm
        for _ in range(ROUNDS):
            quiet += searches(clients["tranquilo"], numbers)
            with attacked(clients["hostil"]) as replies:
                beside += searches(clients["tranquilo"], numbers)
            hostile += replies

    rise = p95(beside) / p95(quiet) - 1
    print(f"p95 {p95(quiet):.3f} s, beside {len(hostile)} hostile requests {p95(beside):.3f} s: {rise:+.0%}")
    assert {reply.status for reply in beside} == {200}
    assert {reply.status for reply in hostile} <= {200, 429, 503, 504}
    assert all(reply.retry_after for reply in hostile if reply.status in {429, 503})
    assert rise < 0.5
