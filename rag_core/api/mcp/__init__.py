"""``/mcp``: the notes over the Model Context Protocol, streamable HTTP; the tools are ``rag_core.mcp``'s."""
