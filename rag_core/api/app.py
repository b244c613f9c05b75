"""The application, and the server that runs it on loopback."""

import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from rag_core.api import evaluation, golden_dataset, health, migration, notes, pages, performance, retrieval
from rag_core.api.errors import register_handlers
from rag_core.api.guard import Guard
from rag_core.api.web import STATIC_FOLDER
from rag_core.engine import Engine, open_engine
from rag_core.errors import ConfigurationError
from rag_core.live_engine import LiveEngine
from rag_core.settings import Settings
from rag_core.telemetry.logs import configure_logging
from rag_core.telemetry.service_minutes import recorded_minutes

HOST = "127.0.0.1"
GRACE_SECONDS = 10
_ROUTERS = tuple(
    module.router for module in (retrieval, evaluation, golden_dataset, notes, migration, health, performance, pages)
)
_ABOUT = """Search personal notes, and know how good the search is.

Errors are `{error, details}` in Spanish. Times are ISO 8601 in UTC. Offsets count code points.
"""


def create_app(engine: Engine) -> FastAPI:
    """The application over open resources; whoever opened them closes them."""
    app = FastAPI(
        title="Brain Sync",
        version=version("brain-sync"),
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.engine, app.state.live_engine = engine, LiveEngine(engine)
    app.state.routes = [route for router in _ROUTERS for route in router.routes]
    for router in _ROUTERS:
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC_FOLDER))
    app.add_middleware(Guard)
    register_handlers(app)
    _forget_framework_errors(app)
    return app


def _forget_framework_errors(app: FastAPI) -> None:
    """Take the framework's own 422 out of OpenAPI: an invalid request is answered with 400."""
    document = app.openapi()
    for path in document["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
    schemas: dict[str, Any] = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)


def serve(settings: Settings) -> None:
    """Serve the API and the page on 127.0.0.1 until SIGTERM or Ctrl-C; requests under way are finished first.

    Raises:
        ConfigurationError: the port is taken.
        DatabaseUnavailableError, DatabaseSetupError: see ``open_engine``.
        KeyboardInterrupt: Ctrl-C, once everything is closed.
    """
    signal.signal(signal.SIGTERM, _leave)
    configure_logging(level=settings.log_level, is_text_logged=settings.log_text)
    with (
        bound_socket(settings.api_port) as listener,
        open_engine(settings, pool_size=settings.pool_max_size) as engine,
        recorded_minutes(engine.database, engine.metrics),
    ):
        threading.Thread(target=engine.warm_up, name="warm-up", daemon=True).start()
        sys.stderr.write(f"Brain Sync: http://{HOST}:{listener.getsockname()[1]}/ (Ctrl-C stops it)\n")
        build_server(engine).run(sockets=[listener])


def build_server(engine: Engine) -> uvicorn.Server:
    """The server of the application, not yet running."""
    config = uvicorn.Config(
        create_app(engine),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return uvicorn.Server(config)


@contextmanager
def bound_socket(port: int) -> Iterator[socket.socket]:
    """Listen on loopback at the port, at any free one for 0; who connects early waits for the server.

    Raises:
        ConfigurationError: the port is taken, or may not be used.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
            listener.listen()
        except OSError as error:
            raise ConfigurationError(
                f"cannot serve on {HOST}:{port} ({error.strerror}); stop the other program or set BRAIN_API_PORT "
                "to a free port"
            ) from error
        yield listener


def _leave(_signal: int, _frame: FrameType | None) -> None:
    """Close everything and exit with 0; the server raises the signal again after its last answer."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(0)
