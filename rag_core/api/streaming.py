"""Answers that take a while over HTTP: a thread of its own for each, told event by event, given up when its client goes away.

``awaited`` runs what ends in one body, ``streamed`` what tells as it goes, as server-sent events, ``searched`` a search, which takes
none of the threads for questions. All watch the connection: once the client has gone the ``Cancellation`` that the work was given
says so. What fails by that is no failure; a defect of ours is told all the same. Not here: what the events are, which is a contract's.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextlib import closing, suppress
from functools import partial
from typing import Any, TypeVar

import anyio
from anyio.to_thread import run_sync
from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.exceptions import HTTPException
from starlette.types import Receive

from rag_core.api.access import time_left_ms
from rag_core.api.errors import tell
from rag_core.errors import BusyError, RagError
from rag_core.resilience.cancellation import Cancellation
from rag_core.runtime.engine import Engine

HEARTBEAT_SECONDS = 10.0
"""Seconds between the heartbeats of a silent stream, short enough that no proxy closes it."""
ANSWERS_AT_ONCE = 32
"""Threads for questions: apart from those of searches, which must not wait behind language models."""
CLIENT_GONE = 499
"""Status of a request whose client has gone; it is only logged."""

Event = Mapping[str, Any]
"""One server-sent event, as JSON."""
Work = Callable[[Cancellation], Generator[Event, None, None]]
OnFailure = Callable[[Exception], Event]
"""The event that tells a failure."""
Result = TypeVar("Result")
_Item = Event | Exception | None
"""An event, or how the events ended."""

_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_HEARTBEAT = b": \n\n"
_RUNNING: set[asyncio.Task[None]] = set()
"""The loop itself holds its tasks by weak references only."""


def answering_places() -> anyio.CapacityLimiter:
    """The threads of one application for questions."""
    return anyio.CapacityLimiter(ANSWERS_AT_ONCE)


async def awaited(request: Request, work: Callable[[Cancellation], Result]) -> Result | Response:
    """Return the result of the work; an empty response where the client went away.

    Raises:
        BusyError: no thread was free for as long as the request may take.
        Exception: whatever the work raises.
    """
    return await _watched(request, partial(_begun, _timeout_ms(request), work), _places(request))


async def searched(request: Request, work: Callable[[Cancellation], Result]) -> Result | Response:
    """Return the result of a search, run in the threads of every other request.

    Raises:
        Exception: whatever the work raises.
    """
    return await _watched(request, work, None)


async def _watched(
    request: Request, work: Callable[[Cancellation], Result], limiter: anyio.CapacityLimiter | None
) -> Result | Response:
    watch = _Watch(request.receive)
    try:
        return await run_sync(work, watch.cancellation, limiter=limiter)
    except Exception as error:
        if not watch.cancellation.is_cancelled:
            raise
        _tell_defect(request, error)
        return Response(status_code=CLIENT_GONE)
    finally:
        watch.stop()


async def streamed(request: Request, work: Work, *, on_failure: OnFailure, ending: bytes = b"") -> Response:
    """The events of the work as they come, then ``ending``. A failure before the first is raised, a later one is the last event.

    Raises:
        BusyError, Exception: see ``awaited``.
    """
    watch, items = _Watch(request.receive), asyncio.Queue[_Item]()
    _start(partial(_produce, request, work, watch.cancellation, _putter(items)), _places(request))
    try:
        first = await items.get()
    except BaseException:  # a cancelled task too leaves nobody watching
        watch.stop()
        raise
    if first is None or isinstance(first, Exception):
        is_gone = watch.cancellation.is_cancelled
        watch.stop()
        if first is not None and not is_gone:
            raise first
        if first is not None:
            _tell_defect(request, first)
        return Response(status_code=CLIENT_GONE)
    parts = _parts(first, items, watch, on_failure, ending)
    return StreamingResponse(parts, media_type="text/event-stream", headers=_HEADERS)


def _start(produce: Callable[[], None], limiter: anyio.CapacityLimiter) -> None:
    task = asyncio.create_task(run_sync(produce, limiter=limiter))
    _RUNNING.add(task)
    task.add_done_callback(_RUNNING.discard)


def _putter(items: "asyncio.Queue[_Item]") -> Callable[[_Item], None]:
    """Return the function by which another thread hands items over; it does nothing once the server's loop has gone."""
    loop = asyncio.get_running_loop()

    def put(item: _Item) -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(items.put_nowait, item)

    return put


def _places(request: Request) -> anyio.CapacityLimiter:
    places: anyio.CapacityLimiter = request.app.state.answering
    return places


def _timeout_ms(request: Request) -> int:
    engine: Engine = request.app.state.engine
    return engine.settings.request_timeout_ms


def _begun(timeout_ms: int, work: Callable[[Cancellation], Result], cancellation: Cancellation) -> Result:
    """The work, unless all the time for it went by waiting for a thread."""
    if time_left_ms(timeout_ms) <= 0:
        raise BusyError(f"{ANSWERS_AT_ONCE} questions are being answered; try again")
    return work(cancellation)


def _tell_defect(request: Request, error: Exception) -> None:
    """Leave a trace of what no client is told of any more, unless it may have come of the client's going."""
    if not isinstance(error, RagError | HTTPException):
        tell(request, error, is_defect=True)


def _produce(request: Request, work: Work, cancellation: Cancellation, put: Callable[[_Item], None]) -> None:
    """Hand over every event, and how they ended."""
    try:
        with closing(_begun(_timeout_ms(request), work, cancellation)) as events:
            for event in events:
                if cancellation.is_cancelled:
                    break
                put(event)
    except Exception as error:  # noqa: BLE001  whoever reads the items tells it
        if cancellation.is_cancelled:  # nobody reads them
            _tell_defect(request, error)
            put(None)
        else:
            put(error)
    else:
        put(None)


class _Watch:
    """Looks whether a request's client is still there, from the beginning until ``stop``."""

    def __init__(self, receive: Receive) -> None:
        self.cancellation = Cancellation()
        self._task = asyncio.create_task(self._wait(receive))

    async def _wait(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.cancellation.cancel()

    def stop(self) -> None:
        """Look no more. Work that is still under way is given up: whatever it comes to, nobody waits for it."""
        self._task.cancel()
        self.cancellation.cancel()


async def _parts(
    first: Event, items: "asyncio.Queue[_Item]", watch: _Watch, on_failure: OnFailure, ending: bytes
) -> AsyncIterator[bytes]:
    """The body of a stream, until its last event or until nobody reads."""
    try:
        yield written(first)
        while not watch.cancellation.is_cancelled:
            try:
                item = await asyncio.wait_for(items.get(), HEARTBEAT_SECONDS)
            except TimeoutError:
                yield _HEARTBEAT
                continue
            if item is None:
                if ending:
                    yield ending
                return
            if isinstance(item, Exception):
                yield written(on_failure(item))
                return
            yield written(item)
    finally:
        watch.stop()


def written(event: Event) -> bytes:
    """An event as server-sent events have it, in one ``data`` line: JSON writes line ends out."""
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return f"data: {text}\n\n".encode(errors="backslashreplace")  # half a surrogate pair as JSON's own escape
