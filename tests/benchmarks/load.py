"""Clients of the HTTP API, of the standard library: they must cost little beside the server they measure."""

import http.client
import itertools
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

TIMEOUT_SECONDS = 60
HEADERS = {"Content-Type": "application/json"}
_UNDEGRADED = b'"warnings":[]'


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer, not parsed."""

    status: int
    body: bytes

    @property
    def is_complete(self) -> bool:
        """Whether it is a result of all that was asked for."""
        return self.status == http.client.OK and _UNDEGRADED in self.body


class Client:
    """One connection that is kept alive."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.connection = http.client.HTTPConnection(*address, timeout=TIMEOUT_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()

    def search(self, question: str, *, strategy: str) -> Reply:
        """Ask, and read the whole answer."""
        body = json.dumps({"query": question, "strategy": strategy}).encode()
        self.connection.request("POST", "/api/retrieve", body, HEADERS)
        response = self.connection.getresponse()
        return Reply(status=response.status, body=response.read())


@dataclass(slots=True, kw_only=True)
class LoadReport:
    """Searches answered in so many seconds, how long each took, and those that failed or were degraded."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    errors: int = 0
    degraded: int = 0

    @property
    def answered(self) -> int:
        """Searches with a result, degraded or not."""
        return len(self.latencies)


def put_load(address: tuple[str, int], questions: Sequence[str], *, clients: int, seconds: float) -> LoadReport:
    """Let clients ask hybrid searches, each the next as soon as it has its answer, for so many seconds."""
    began = time.monotonic()
    with ThreadPoolExecutor(clients) as executor:
        running = [
            executor.submit(_ask_until, began + seconds, address, questions, first=number * 7)
            for number in range(clients)
        ]
        reports = [future.result() for future in running]
    return LoadReport(
        seconds=time.monotonic() - began,
        latencies=[latency for report in reports for latency in report.latencies],
        errors=sum(report.errors for report in reports),
        degraded=sum(report.degraded for report in reports),
    )


def _ask_until(moment: float, address: tuple[str, int], questions: Sequence[str], *, first: int) -> LoadReport:
    report = LoadReport()
    with Client(address) as client:
        for at in itertools.count(first):
            if time.monotonic() >= moment:
                break
            _ask(client, questions[at % len(questions)], report)
    return report


def _ask(client: Client, question: str, report: LoadReport) -> None:
    began = time.perf_counter()
    try:
        reply = client.search(question, strategy="hybrid")
    except (OSError, http.client.HTTPException):
        report.errors += 1
        client.connection.close()
        return
    if reply.status != http.client.OK:
        report.errors += 1
        return
    report.latencies.append(time.perf_counter() - began)
    report.degraded += not reply.is_complete
