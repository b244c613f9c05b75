"""Ask the notes over the Model Context Protocol, as an assistant does."""

import os

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def ask() -> None:
    """Print the tools and an answer with its citations."""
    url = f"{os.environ.get('BRAIN_URL', 'http://127.0.0.1:8000')}/mcp"
    headers = {"Authorization": f"Bearer {key}"} if (key := os.environ.get("BRAIN_KEY")) else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        print(", ".join(tool.name for tool in (await client.list_tools()).tools))
        answered = await client.call_tool("ask", {"question": "¿Por qué se paró el ascensor?"})
        print(answered.structured_content["answer"])
        for cited in answered.structured_content["citations"]:
            print(f"- {cited['title']}: {cited['uri']}")


def main() -> None:
    """Run it."""
    anyio.run(ask)


if __name__ == "__main__":
    main()
