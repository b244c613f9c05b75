"""``POST /mcp``: one message of the protocol a request, without a session, so that any process may answer the next.

The SDK is imported at the first request: it takes a third of a second.
"""

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response
from starlette.types import Receive, Scope, Send

from rag_core.api.access import Context
from rag_core.api.errors import http_reply, reply_to, tell
from rag_core.errors import RagError
from rag_core.mcp.access import ToolAccess

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

router = APIRouter(tags=["assistants"])


class _Exchange(Response):
    """A response that the protocol's SDK writes."""

    def __init__(self, server: "Server[Any]") -> None:
        super().__init__()
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        manager = StreamableHTTPSessionManager(self._server, json_response=True, stateless=True)
        async with manager.run():
            await manager.handle_request(scope, receive, send)


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
    return _Exchange(
        build_server(lambda: access, lambda error: _told(request, error), answering=request.app.state.answering)
    )


def _told(request: Request, error: Exception) -> str:
    """The error in words; what is no refusal is logged and counted."""
    settings = request.app.state.engine.settings
    reply = reply_to(error, timeout_ms=settings.request_timeout_ms) if isinstance(error, RagError) else http_reply(500)
    if reply.status >= 500:
        tell(request, error, is_defect=reply.status == 500)
    return reply.details
