"""The notes for assistants, over the Model Context Protocol."""

from typing import TYPE_CHECKING, Annotated

import typer

from rag_core.cli.app import app, command

if TYPE_CHECKING:
    from collections.abc import Callable

    from rag_core.mcp.access import ToolAccess
    from rag_core.runtime.engine import Engine


@app.command("mcp")
def mcp(
    is_http: Annotated[
        bool, typer.Option("--http", help="Serve the API in the foreground; assistants use its address /mcp.")
    ] = False,
) -> None:
    """Let an assistant search your notes and ask them, over MCP on stdin and stdout.

    An assistant starts it; its configuration names the command and the home of the notes:

    - `{"mcpServers": {"brain": {"command": "brain", "args": ["mcp"], "env": {"BRAIN_HOME": "/home/ana/.brain"}}}}`

    It reads only. With BRAIN_MCP_KEY, a key of `brain key create`, it does what the key allows: with the scope write it may create
    notes. A running API serves the same tools at http://127.0.0.1:8000/mcp, with keys where it asks for them.
    """
    with command(is_json=False):
        if is_http:
            from rag_core.api.app import serve
            from rag_core.settings import read_settings

            serve(read_settings())
        else:
            _serve_stdio()


def _serve_stdio() -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    from rag_core.mcp.server import build_server
    from rag_core.runtime.engine import open_engine
    from rag_core.runtime.homes import read_settings_to_read

    with open_engine(read_settings_to_read()) as engine:
        open_access = _access_of(engine)
        open_access()  # a key that opens nothing is told before an assistant connects
        engine.warm_up_embedder()
        server = build_server(open_access, _told)

        async def serve() -> None:
            async with stdio_server() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())

        anyio.run(serve)


def _access_of(engine: "Engine") -> "Callable[[], ToolAccess]":
    """The access of each call: the model that is active then, and the key as it stands then."""
    from rag_core.access.callers import Callers
    from rag_core.access.limits import QuestionLimits
    from rag_core.access.pseudonyms import pseudonyms
    from rag_core.api.access import bound
    from rag_core.mcp.access import ToolAccess
    from rag_core.runtime.live_engine import LiveEngine
    from rag_core.terminal.requests import COMMAND_TIMEOUT_MS

    settings, live = engine.settings, LiveEngine(engine)
    names = pseudonyms(settings.home, settings.secret)
    callers = Callers(engine.database, names, timeout_ms=settings.request_timeout_ms)
    key = None if settings.mcp_key is None else settings.mcp_key.get_secret_value()
    limits = QuestionLimits(per_minute=settings.questions_per_minute, per_hour=settings.questions_per_hour)

    def access() -> ToolAccess:
        caller = callers.nobody() if key is None else callers.remembered(key) or callers.find(key)
        return ToolAccess(
            engine=bound(live.current(), caller),
            caller=caller,
            timeout_ms=COMMAND_TIMEOUT_MS,
            check_rate=lambda: limits.check(caller),
        )

    return access


def _told(error: Exception) -> str:
    """The error in words; the stack of a defect goes to stderr."""
    from rag_core.api.errors import http_reply, reply_to
    from rag_core.errors import RagError
    from rag_core.telemetry.logs import log_failed
    from rag_core.terminal.requests import COMMAND_TIMEOUT_MS

    if isinstance(error, RagError):
        return reply_to(error, timeout_ms=COMMAND_TIMEOUT_MS).details
    log_failed("mcp", error, has_stack=True)
    return http_reply(500).details
