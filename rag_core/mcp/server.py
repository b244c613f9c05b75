"""Server of the protocol over the tools, for any transport: tools, their refusals, and notes as resources."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from typing import Any, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceLink,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)
from pydantic import ValidationError

from rag_core.errors import InvalidInputError
from rag_core.mcp.access import ToolAccess, ToolError
from rag_core.mcp.results import NOTES
from rag_core.mcp.tools import TOOLS, NoteTool, read_note
from rag_core.model.note import Note
from rag_core.resilience.cancellation import Cancellation
from rag_core.storage.notes import list_notes

INSTRUCTIONS = (
    "Las notas y los documentos de una persona. Busca con search, lee una nota entera con get_note y su id, y pregunta con ask, que "
    "responde solo con lo que dicen las notas y cita cada afirmación. Cita a la persona el título y el enlace de cada nota que uses."
)
NEWEST = 50
"""Notes that the list of resources names; all others are found by ``search`` and read by their URI."""
_MARKDOWN = "text/markdown"
_Context = ServerRequestContext[Any]
Result = TypeVar("Result")


def build_server(
    open_access: Callable[[], ToolAccess],
    tell: Callable[[Exception], str],
    *,
    answering: CapacityLimiter | None = None,
) -> Server[Any]:
    """A server whose every call opens its access anew and tells errors by ``tell``; ``answering`` are the threads for questions."""

    async def run(work: Callable[[ToolAccess, Cancellation], Result], limiter: CapacityLimiter | None = None) -> Result:
        cancellation = Cancellation()
        try:
            return await run_sync(lambda: work(open_access(), cancellation), limiter=limiter, abandon_on_cancel=True)
        finally:
            cancellation.cancel()

    async def list_tools(_context: _Context, _page: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[_described(tool) for tool in await _told(run(_offered), tell)])

    async def call_tool(_context: _Context, asked: CallToolRequestParams) -> CallToolResult:
        limiter = answering if any(tool.is_answering and tool.name == asked.name for tool in TOOLS) else None
        try:
            return _result(await run(partial(_called, asked.name, asked.arguments or {}), limiter))
        except Exception as error:  # noqa: BLE001  whoever serves tells and logs it
            text = str(error) if isinstance(error, ToolError) else tell(error)
            return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)

    async def list_resources(_context: _Context, _page: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=[_resource(note) for note in await _told(run(_newest), tell)])

    async def list_templates(_context: _Context, _page: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        named = "Una nota por el id que devuelven search y ask."
        template = ResourceTemplate(
            name="note", title="Nota", uri_template=f"{NOTES}{{id}}", description=named, mime_type=_MARKDOWN
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(_context: _Context, asked: ReadResourceRequestParams) -> ReadResourceResult:
        text = await _told(run(partial(_text_of, asked.uri)), tell)
        return ReadResourceResult(contents=[TextResourceContents(uri=asked.uri, mime_type=_MARKDOWN, text=text)])

    return Server(
        "brain-sync",
        title="Brain Sync",
        version=version("brain-sync"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


async def _told(working: Any, tell: Callable[[Exception], str]) -> Any:
    """The result of the work; an error of ours as one of the protocol."""
    try:
        return await working
    except Exception as error:
        message = str(error) if isinstance(error, ToolError) else tell(error)
        raise MCPError(INVALID_PARAMS, message) from error


def _offered(access: ToolAccess, _cancellation: Cancellation) -> list[NoteTool]:
    return [tool for tool in TOOLS if access.may_write or not tool.is_writing]


def _described(tool: NoteTool) -> Tool:
    return Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        annotations=ToolAnnotations(
            read_only_hint=not tool.is_writing, destructive_hint=False, idempotent_hint=False, open_world_hint=False
        ),
    )


def _called(name: str, arguments: Mapping[str, Any], access: ToolAccess, cancellation: Cancellation) -> dict[str, Any]:
    """The result of a tool.

    Raises:
        ToolError: no such tool, or one that the caller may not use.
        InvalidInputError: the arguments are not the tool's.
    """
    offered = {tool.name: tool for tool in _offered(access, cancellation)}
    if name not in offered:
        is_closed = any(tool.name == name for tool in TOOLS)
        reason = (
            "Solo se puede escribir con una clave que tenga el permiso write"
            if is_closed
            else f"No hay herramienta {name}"
        )
        raise ToolError(f"{reason}; usa una de: {', '.join(offered)}")
    try:
        given = offered[name].arguments.model_validate(arguments)
    except ValidationError as error:
        raise InvalidInputError(f"the arguments of {name} do not fit its schema") from error
    return offered[name].run(access, given, cancellation)


def _result(found: dict[str, Any]) -> CallToolResult:
    """JSON as text and as structure, and a link to each note in it."""
    text = TextContent(type="text", text=json.dumps(found, ensure_ascii=False))
    return CallToolResult(content=[text, *_links(found)], structured_content=found)


def _links(found: Mapping[str, Any]) -> Iterator[ResourceLink]:
    listed = [*found.get("results", ()), *found.get("citations", ())]
    titles = {place["uri"]: place["title"] for place in reversed(listed)}
    for uri in dict.fromkeys(place["uri"] for place in listed):
        yield ResourceLink(
            type="resource_link", uri=uri, name=titles[uri] or uri, title=titles[uri], mime_type=_MARKDOWN
        )


def _newest(access: ToolAccess, _cancellation: Cancellation) -> list[Note]:
    tenant = access.engine.tenant()
    with access.engine.database.transaction(tenant, timeout_ms=access.timeout_ms) as connection:
        return list(list_notes(connection, tenant, limit=NEWEST, before=None))


def _resource(note: Note) -> Resource:
    title = note.title or note.external_id
    return Resource(uri=f"{NOTES}{note.id}", name=title, title=title, mime_type=_MARKDOWN)


def _text_of(uri: str, access: ToolAccess, _cancellation: Cancellation) -> str:
    if not uri.startswith(NOTES):
        raise ToolError(f"«{uri}» no es una nota; las notas tienen direcciones como {NOTES}ID")
    return read_note(access, uri.removeprefix(NOTES)).content
