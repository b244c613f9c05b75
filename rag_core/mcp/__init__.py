"""Notes as tools and resources of the Model Context Protocol (MCP), for assistants of other makers.

Here: who uses a tool (``access``), the tools (``tools``), their results (``results``) and the server over them (``server``). Not here:
the transports, which are the API's (``rag_core.api.mcp``) and the command line's (``rag_core.cli.mcp``), and the words of errors that
other parts raise. Only ``server`` imports the protocol's SDK.
"""
