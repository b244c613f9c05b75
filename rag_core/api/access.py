"""What an endpoint may ask for: who calls, and the open resources of the process, bound to what that caller may see.

Nobody names a tenant: readers use ``engine.tenant()``, writers ``engine.writing_tenant()``, and both are the tenant of the key.
Without keys a reader's is asked anew each time, because the first note of one's own hides the demo at once. The engine has the
embedding model that is active as the request begins.
"""

import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Annotated, cast

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from rag_core.access import Caller
from rag_core.access.callers import Callers
from rag_core.access.limits import QuestionLimits
from rag_core.errors import AccessDeniedError
from rag_core.experiments.serving import LiveExperiments
from rag_core.runtime.engine import Engine
from rag_core.runtime.live_engine import LiveEngine

arrived_at: ContextVar[float] = ContextVar("arrived_at")
"""When the request came in, by the monotonic clock: the wait for a free worker is part of its time."""


ASKED_METHOD = "brain.asked_method"
"""Where the scope of a request keeps its method: endpoints see HEAD as GET."""
CALLER = "brain.caller"
"""Where it keeps who calls; nothing on an address that is open to everybody."""
COOKIE = "brain_key"


def time_left_ms(engine: Engine) -> int:
    """Milliseconds that the request may still take; 0 or less when it waited too long. All of them outside a request."""
    waited_seconds = time.monotonic() - arrived_at.get(time.monotonic())
    return engine.settings.request_timeout_ms - int(1000 * waited_seconds)


def shown_key(headers: Headers) -> str | None:
    """The key that a request shows: as bearer token, else in ``X-API-Key``, else in the page's cookie; an empty one is none."""
    kind, *token = headers.get("authorization", "").split(maxsplit=1) or [""]
    if kind.lower() == "bearer" and token:
        return token[0].rstrip()
    return headers.get("x-api-key") or cookie_parser(headers.get("cookie", "")).get(COOKIE) or None


async def find_caller(callers: Callers, text: str) -> Caller:
    """Who shows this key, without waiting for the database where that is known.

    Raises:
        UnauthenticatedError, DatabaseUnavailableError, DeadlineExceededError: see ``Callers.find``.
    """
    known = callers.remembered(text)
    return await run_in_threadpool(callers.find, text) if known is None else known


async def _caller(request: Request) -> Caller:
    return cast("Caller", request.scope[CALLER])


CallerOf = Annotated[Caller, Depends(_caller)]
"""Who calls; what they need to be here was looked at before."""


def bound(engine: Engine, caller: Caller) -> Engine:
    """The engine as this caller may use it: the key's tenant, and the notes of its departments. Everything else is shared."""
    if caller.tenant is None:
        return engine
    return replace(
        engine,
        settings=engine.settings.model_copy(update={"tenant": caller.tenant}),
        database=engine.database.of_key(caller.departments),
    )


def check_named_tenant(engine: Engine, name: str | None) -> None:
    """Let a request name no other tenant than its own, which the key says; ``engine`` is the bound one.

    Raises:
        AccessDeniedError: it names another, whether that exists or not.
    """
    if name and name != engine.tenant():
        raise AccessDeniedError("the request names a tenant that is not its key's; leave the tenant out")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallersLiveEngine:
    """For writers, who may have to begin again with another embedding model: the live engine, bound to their caller."""

    live: LiveEngine
    caller: Caller

    def renewed(self) -> Engine:
        """See ``LiveEngine.renewed``."""
        return bound(self.live.renewed(), self.caller)


async def _live(request: Request, caller: CallerOf) -> CallersLiveEngine:
    return CallersLiveEngine(live=request.app.state.live_engine, caller=caller)


LiveEngineOf = Annotated[CallersLiveEngine, Depends(_live)]


async def _experiments(request: Request) -> LiveExperiments:
    return cast("LiveExperiments", request.app.state.experiments)


ExperimentsOf = Annotated[LiveExperiments, Depends(_experiments)]
"""For what readers ask without saying how it is to be searched."""


async def _engine(live: LiveEngineOf) -> Engine:
    engine = await run_in_threadpool(live.live.current) if live.live.is_due else live.live.at_hand
    return bound(engine, live.caller)


EngineOf = Annotated[Engine, Depends(_engine)]


async def _process_engine(request: Request) -> Engine:
    return cast("LiveEngine", request.app.state.live_engine).at_hand


ProcessEngineOf = Annotated[Engine, Depends(_process_engine)]
"""For what is about the process and no tenant: whoever takes it must read no notes with it."""


async def _limit(request: Request, caller: CallerOf) -> Callable[[], None]:
    limits = cast("QuestionLimits", request.app.state.question_limits)
    return lambda: limits.check(caller)


QuestionLimitOf = Annotated[Callable[[], None], Depends(_limit)]
"""Counts a question of the caller's, and raises ``RateLimitedError`` where it is one too many; for the routes that answer."""
