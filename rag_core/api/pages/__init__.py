"""Web pages, rendered on the server."""
