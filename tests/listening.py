"""An HTTP server of a test, on a free port of this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler], stopping: threading.Event) -> Iterator[int]:
    """A server in a thread, with its port; gone when the block ends, which sets ``stopping`` first for handlers that wait."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server.server_port
    finally:
        stopping.set()
        server.shutdown()
        server.server_close()
