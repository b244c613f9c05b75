"""``RequestContext``: who calls, and the open resources of the process as far as that caller may see.

Nobody names a tenant: readers use ``context.tenant``, writers ``context.writing_tenant``, and both are the tenant of the key.
Without keys a reader's is asked anew in each request, because the first note of one's own hides the demo at once. The engine has
the embedding model that is active as the request begins.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Annotated, cast
from zoneinfo import ZoneInfo

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from rag_core.access import Caller
from rag_core.access.callers import Callers
from rag_core.access.limits import QuestionLimits
from rag_core.configuration.served import ServedConfiguration
from rag_core.errors import AccessDeniedError
from rag_core.experiments.serving import LiveExperiments
from rag_core.model.note import TenantId
from rag_core.runtime.engine import Engine
from rag_core.runtime.live_engine import LiveEngine
from rag_core.settings import Settings
from rag_core.storage.database import Connection, Database

arrived_at: ContextVar[float] = ContextVar("arrived_at")
"""Time at which the request came in, by the monotonic clock: the wait for a free worker is part of its time."""


ASKED_METHOD = "brain.asked_method"
"""Key of the method in the scope of a request: endpoints see HEAD as GET."""
CALLER = "brain.caller"
"""Key of the caller in the scope of a request; absent on an address that is open to everybody."""
ROUTING = "brain.routing"
"""Key of the routing of a search in the scope of its request, for the log."""
COOKIE = "brain_key"


def time_left_ms(timeout_ms: int) -> int:
    """Milliseconds left to a request that may take ``timeout_ms``; 0 or less when it waited too long. All of them outside a request."""
    return timeout_ms - int(1000 * (time.monotonic() - arrived_at.get(time.monotonic())))


def shown_key(headers: Headers) -> str | None:
    """The key that a request shows: as bearer token, else in ``X-API-Key``, else in the page's cookie; an empty one is none."""
    kind, *token = headers.get("authorization", "").split(maxsplit=1) or [""]
    if kind.lower() == "bearer" and token:
        return token[0].rstrip()
    return headers.get("x-api-key") or cookie_parser(headers.get("cookie", "")).get(COOKIE) or None


async def find_caller(callers: Callers, text: str) -> Caller:
    """Find the caller with this key, without waiting for the database where the caller is known.

    Raises:
        UnauthenticatedError, DatabaseUnavailableError, DeadlineExceededError: see ``Callers.find``.
    """
    known = callers.remembered(text)
    return await run_in_threadpool(callers.find, text) if known is None else known


@dataclass(frozen=True, kw_only=True)
class RequestContext:
    """One request's caller and resources; ``engine`` is bound to what the caller may see.

    ``count_question`` counts a question of the caller's, and raises ``RateLimitedError`` where it is one too many.
    """

    engine: Engine
    caller: Caller
    live_engine: LiveEngine
    experiments: LiveExperiments
    count_question: Callable[[], None]

    @cached_property
    def tenant(self) -> TenantId:
        """The tenant whose notes a reader sees; without keys the first use asks the database."""
        return self.engine.tenant()

    @property
    def writing_tenant(self) -> TenantId:
        """The tenant whose notes a writer changes."""
        return self.engine.writing_tenant()

    @property
    def settings(self) -> Settings:
        """The settings, with the caller's tenant."""
        return self.engine.settings

    @property
    def database(self) -> Database:
        """The database as the caller may see it."""
        return self.engine.database

    @property
    def timeout_ms(self) -> int:
        """Milliseconds that a request may take."""
        return self.engine.settings.request_timeout_ms

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of dates that name none."""
        return self.engine.settings.zone

    def transaction(self) -> AbstractContextManager[Connection]:
        """A transaction of the reader's tenant whose statements take no longer than a request may; see ``Database.transaction``."""
        return self.database.transaction(self.tenant, timeout_ms=self.timeout_ms)

    def served(self) -> ServedConfiguration:
        """The configuration that the reader's searches get; the request's own is merged over its ``config``."""
        return self.engine.served(self.tenant)

    def seen_by(self, departments: Sequence[str]) -> "RequestContext":
        """Return this request narrowed to the notes that these departments see; the tenant stays the caller's."""
        settings = self.settings.model_copy(update={"tenant": self.tenant})
        return replace(
            self, engine=replace(self.engine, settings=settings, database=self.database.seen_by(departments))
        )

    def renewed_engine(self) -> Engine:
        """The engine of the model that is active now, for a writer who was told that it changed; see ``LiveEngine.renewed``."""
        return bound(self.live_engine.renewed(), self.caller)


def bound(engine: Engine, caller: Caller) -> Engine:
    """The engine as this caller may use it: the key's tenant, and the notes of its departments. Everything else is shared."""
    if caller.tenant is None:
        return engine
    return replace(
        engine,
        settings=engine.settings.model_copy(update={"tenant": caller.tenant}),
        database=engine.database.of_key(caller.departments),
    )


def check_named_tenant(name: str | None, own: TenantId) -> None:
    """Let a request name no other tenant than its own, which the key says.

    Raises:
        AccessDeniedError: it names another, whether that exists or not.
    """
    if name and name != own:
        raise AccessDeniedError("the request names a tenant that is not its key's; leave the tenant out")


async def _context(request: Request) -> RequestContext:
    state, caller = request.app.state, cast("Caller", request.scope[CALLER])
    live: LiveEngine = state.live_engine
    limits: QuestionLimits = state.question_limits
    engine = await run_in_threadpool(live.current) if live.is_due else live.at_hand
    return RequestContext(
        engine=bound(engine, caller),
        caller=caller,
        live_engine=live,
        experiments=state.experiments,
        count_question=partial(limits.check, caller),
    )


Context = Annotated[RequestContext, Depends(_context)]


async def _process_engine(request: Request) -> Engine:
    return cast("LiveEngine", request.app.state.live_engine).at_hand


ProcessEngineOf = Annotated[Engine, Depends(_process_engine)]
"""For what is about the process and no tenant: whoever takes it must read no notes with it."""
