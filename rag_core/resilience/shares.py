"""Places that tenants and their keys share fairly: nobody takes so many that the next one who comes gets none.

Dynamic thresholds: whoever holds as many places as are free gets no more. Alone, a tenant gets half of them; two get a third each, and
there is always room for another. A key is held to a third, so that the other keys of its tenant get some. Who gets none waits in line,
and others pass whoever has had enough.

Source: Choudhury & Hahne, Dynamic queue length thresholds for shared-memory packet switches, IEEE/ACM ToN 6(2), 1998.
"""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from rag_core.errors import ShareTakenError

MOST_WAITING = 4
"""Times all places: more of one holder are not kept waiting, but refused at once."""
RETRY_SECONDS = 2
CONTENDED_SECONDS = 1.0
"""Time after its last request for which a tenant counts as being served."""
BURST_SECONDS = 0.001
PACED_SHARE = 0.2
"""Share of the interpreter, which one thread holds at a time, for the long computations of a tenant beside others."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Ticket:
    """A place asked for: ``granted`` is done once it is held."""

    tenant: str
    key: str | None
    granted: Future[None] = field(default_factory=Future)


class FairShares:
    """Limited number of places for all tenants together. Threads and event loops may share it.

    ``beside_others`` is the most that a tenant gets while another one is served, or was a moment ago; by default as many as when it
    is alone.
    """

    def __init__(self, total: int, *, beside_others: int | None = None) -> None:
        if total < 2:
            raise ValueError(f"total is {total}; expected at least 2, so that one tenant leaves a place")
        self.total = total
        self.beside_others = total if beside_others is None else beside_others
        self._tenants: Counter[str] = Counter()
        self._keys: Counter[str] = Counter()
        self._seen: dict[str, float] = {}
        self._waiting: list[_Ticket] = []
        self._lock = threading.Lock()

    @contextmanager
    def place(self, tenant: str, key: str | None = None, *, timeout_seconds: float) -> Iterator[None]:
        """Hold a place for the block; the thread waits for it.

        Raises:
            ShareTakenError: the tenant or the key has its share, and none became free in time.
        """
        ticket = self._ask(tenant, key)
        try:
            ticket.granted.result(timeout_seconds)
        except TimeoutError:
            self._give_up(ticket)
            raise self._taken() from None
        try:
            yield
        finally:
            self._give_back(ticket)

    @asynccontextmanager
    async def awaited_place(
        self, tenant: str, key: str | None = None, *, timeout_seconds: float
    ) -> AsyncIterator[None]:
        """Take a place like ``place``, without a waiting thread.

        Raises:
            ShareTakenError: see ``place``.
        """
        ticket = self._ask(tenant, key)
        if not ticket.granted.done():
            try:
                await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(ticket.granted)), timeout_seconds)
            except TimeoutError:
                self._give_up(ticket)
                raise self._taken() from None
            except BaseException:  # a cancelled task waits no longer
                self._give_up(ticket)
                raise
        try:
            yield
        finally:
            self._give_back(ticket)

    def held_by(self, tenant: str) -> int:
        """Return the number of places that the tenant holds."""
        with self._lock:
            return self._tenants[tenant]

    def is_contended(self, tenant: str) -> bool:
        """Tell whether another tenant is served now, or was a moment ago."""
        with self._lock:
            return self._is_contended(tenant)

    def _is_contended(self, tenant: str) -> bool:
        since = time.monotonic() - CONTENDED_SECONDS
        return any(self._tenants[other] or seen >= since for other, seen in self._seen.items() if other != tenant)

    def _ask(self, tenant: str, key: str | None) -> _Ticket:
        ticket = _Ticket(tenant=tenant, key=key)
        with self._lock:
            waiting = sum(other.tenant == tenant for other in self._waiting)
            if waiting >= MOST_WAITING * self.total:
                raise self._taken()
            self._waiting.append(ticket)
            self._grant()
        return ticket

    def _give_up(self, ticket: _Ticket) -> None:
        """Wait no longer; a place that was granted at this very moment is given back."""
        with self._lock:
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                return
        self._give_back(ticket)

    def _give_back(self, ticket: _Ticket) -> None:
        with self._lock:
            self._count(ticket, -1)
            self._grant()

    def _grant(self) -> None:
        """Give what is free to those who wait, in their order, but for holders that have their share."""
        for ticket in list(self._waiting):
            if self._may_take(ticket):
                self._waiting.remove(ticket)
                self._count(ticket, 1)
                ticket.granted.set_result(None)

    def _may_take(self, ticket: _Ticket) -> bool:
        free = self.total - self._tenants.total()
        is_key_within = ticket.key is None or 2 * self._keys[ticket.key] < free
        return self._tenants[ticket.tenant] < min(free, self._most(ticket.tenant)) and is_key_within

    def _most(self, tenant: str) -> int:
        return self.beside_others if self._is_contended(tenant) else self.total

    def _count(self, ticket: _Ticket, change: int) -> None:
        self._seen[ticket.tenant] = time.monotonic()
        for counter, name in ((self._tenants, ticket.tenant), (self._keys, ticket.key)):
            if name is not None:
                counter[name] += change
                if not counter[name]:
                    del counter[name]

    def _taken(self) -> ShareTakenError:
        return ShareTakenError(
            f"of the {self.total} places that all tenants share, this one has as many as it may; try again in "
            f"{RETRY_SECONDS} s, with fewer requests at a time",
            retry_after_seconds=RETRY_SECONDS,
        )


class Pace:
    """Called within a long computation: has it sleep so that the requests of other tenants are not slowed down by it.

    Threads of Python take turns at the interpreter, so one that computes for a second doubles the time of every other request
    meanwhile. Where no other tenant is served nobody sleeps.
    """

    def __init__(
        self,
        shares: FairShares,
        tenant: str,
        *,
        clock: Callable[[], float] = time.thread_time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._shares = shares
        self._tenant = tenant
        self._clock = clock
        self._sleep = sleep
        self._began: float | None = None

    def __call__(self) -> None:
        """Sleep after each millisecond of work for as long as the share of all of the tenant's requests asks for."""
        if self._began is None:  # by the clock of the thread that computes
            self._began = self._clock()
        used = self._clock() - self._began
        if used < BURST_SECONDS:
            return
        if self._shares.is_contended(self._tenant):
            self._sleep(used * (max(1, self._shares.held_by(self._tenant)) / PACED_SHARE - 1))
        self._began = self._clock()
