"""What an endpoint may ask for: the open resources of the process, with the embedding model that is active as it begins.

Nobody names a tenant: readers use ``engine.tenant()``, writers ``engine.writing_tenant()``. A reader's is asked
anew each time, because the first note of one's own hides the demo at once.
"""

import time
from contextvars import ContextVar
from typing import Annotated, cast

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from rag_core.engine import Engine
from rag_core.experiments.serving import LiveExperiments
from rag_core.live_engine import LiveEngine

arrived_at: ContextVar[float] = ContextVar("arrived_at")
"""When the request came in, by the monotonic clock: the wait for a free worker is part of its time."""


ASKED_METHOD = "brain.asked_method"
"""Where the scope of a request keeps its method: endpoints see HEAD as GET."""


def time_left_ms(engine: Engine) -> int:
    """Milliseconds that the request may still take; 0 or less when it waited too long. All of them outside a request."""
    waited_seconds = time.monotonic() - arrived_at.get(time.monotonic())
    return engine.settings.request_timeout_ms - int(1000 * waited_seconds)


async def _live(request: Request) -> LiveEngine:
    return cast("LiveEngine", request.app.state.live_engine)


LiveEngineOf = Annotated[LiveEngine, Depends(_live)]
"""For writers alone, who may have to begin again with another embedding model."""


async def _experiments(request: Request) -> LiveExperiments:
    return cast("LiveExperiments", request.app.state.experiments)


ExperimentsOf = Annotated[LiveExperiments, Depends(_experiments)]
"""For what readers ask without saying how it is to be searched."""


async def _engine(live: LiveEngineOf) -> Engine:
    return await run_in_threadpool(live.current) if live.is_due else live.at_hand


EngineOf = Annotated[Engine, Depends(_engine)]
