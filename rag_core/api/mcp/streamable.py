"""``POST /mcp``: one message of the protocol a request, without a session, so that any process may answer the next.

The SDK is imported at the first request: it takes a third of a second.
"""

from typing import TYPE_CHECKING, Any

import anyio
from fastapi import APIRouter, Request, Response
from starlette.types import Message, Receive, Scope, Send

from rag_core.api.access import Context
from rag_core.api.errors import http_reply, reply_to, tell
from rag_core.errors import RagError
from rag_core.mcp.access import ToolAccess

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

router = APIRouter(tags=["assistants"])


class _Exchange(Response):
    """A response that the protocol's SDK writes; its work is given up when the client goes away."""

    def __init__(self, server: "Server[Any]", body: bytes) -> None:
        super().__init__()
        self._server = server
        self._received = [body]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        manager = StreamableHTTPSessionManager(self._server, json_response=True, stateless=True)
        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                tasks.cancel_scope.cancel()

            tasks.start_soon(watch)
            async with manager.run():
                await manager.handle_request(scope, self._receive, send)
            tasks.cancel_scope.cancel()

    async def _receive(self) -> Message:
        """The body, which was read before; what follows it is for the watch alone."""
        if not self._received:
            await anyio.sleep_forever()
        return {"type": "http.request", "body": self._received.pop()}


@router.post("/mcp", include_in_schema=False)
async def exchange(request: Request, context: Context) -> Response:
    """Answer a message of the protocol; what a caller may do comes from the key, as everywhere."""
    from rag_core.mcp.server import build_server

    access = ToolAccess(
        engine=context.engine,
        caller=context.caller,
        timeout_ms=context.timeout_ms,
        check_rate=context.count_question,
    )
    server = build_server(lambda: access, lambda error: _told(request, error), answering=request.app.state.answering)
    return _Exchange(server, await request.body())


def _told(request: Request, error: Exception) -> str:
    """The error in words; what is no refusal is logged and counted."""
    settings = request.app.state.engine.settings
    reply = reply_to(error, timeout_ms=settings.request_timeout_ms) if isinstance(error, RagError) else http_reply(500)
    if reply.status >= 500:
        tell(request, error, is_defect=reply.status == 500)
    return reply.details
