"""Registration of the Model Context Protocol."""

from rag_core.api.contracts import CONTRACTS, Contract, Rule
from rag_core.api.mcp import streamable

CONTRACTS.register("mcp")(
    Contract(
        routers=(streamable.router,),
        rules={"/mcp": Rule(reading="read", changing="read", about="tools for assistants", is_answering=True)},
    )
)
