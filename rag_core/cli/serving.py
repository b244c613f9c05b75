"""The API in the foreground."""

from rag_core.cli.app import app, command


@app.command("serve")
def serve() -> None:
    """Serve the API and the page on 127.0.0.1 (BRAIN_API_PORT, 8000) until Ctrl-C."""
    from rag_core.api.app import serve as run
    from rag_core.settings import read_settings

    with command(is_json=False):
        run(read_settings())
