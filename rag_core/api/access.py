"""What an endpoint may ask for: the open resources of the process.

Nobody names a tenant: readers use ``engine.tenant()``, writers ``engine.writing_tenant()``. A reader's is asked
anew each time, because the first note of one's own hides the demo at once.
"""

from typing import Annotated, cast

from fastapi import Depends, Request

from rag_core.engine import Engine


async def _engine(request: Request) -> Engine:
    return cast("Engine", request.app.state.engine)


EngineOf = Annotated[Engine, Depends(_engine)]
