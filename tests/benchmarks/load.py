"""Clients of the HTTP API, of the standard library: they must cost little beside the server they measure."""

import http.client
import itertools
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

TIMEOUT_SECONDS = 60
HEADERS = {"Content-Type": "application/json"}
_UNDEGRADED = b'"warnings":[]'


class Client:
    """One connection that is kept alive, and how many of its searches were degraded."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.connection = http.client.HTTPConnection(*address, timeout=TIMEOUT_SECONDS)
        self.degraded = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()

    def search(self, question: str, *, strategy: str) -> None:
        """Ask, and read the whole answer.

        Raises:
            RuntimeError: it is not a result.
        """
        body = json.dumps({"query": question, "strategy": strategy}).encode()
        self.connection.request("POST", "/api/retrieve", body, HEADERS)
        response = self.connection.getresponse()
        answer = response.read()
        if response.status != http.client.OK:
            raise RuntimeError(f"{strategy} search for {question!r} was answered {response.status}: {answer!r}")
        self.degraded += _UNDEGRADED not in answer


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
        numbers = itertools.count()
        running = [executor.submit(_ask_until, began + seconds, address, questions, numbers) for _ in range(clients)]
        reports = [future.result() for future in running]
    return LoadReport(
        seconds=time.monotonic() - began,
        latencies=[latency for report in reports for latency in report.latencies],
        errors=sum(report.errors for report in reports),
        degraded=sum(report.degraded for report in reports),
    )


def _ask_until(moment: float, address: tuple[str, int], questions: Sequence[str], numbers: Iterator[int]) -> LoadReport:
    """All clients draw from the same numbers, so that none asks what another has asked."""
    report = LoadReport()
    with Client(address) as client:
        for at in numbers:
            if time.monotonic() >= moment:
                break
            _ask(client, questions[at % len(questions)], report)
        report.degraded = client.degraded
    return report


def _ask(client: Client, question: str, report: LoadReport) -> None:
    began = time.perf_counter()
    try:
        client.search(question, strategy="hybrid")
    except (OSError, http.client.HTTPException, RuntimeError):
        report.errors += 1
        client.connection.close()
        return
    report.latencies.append(time.perf_counter() - began)
