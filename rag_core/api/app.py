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
from fastapi import Depends, FastAPI
from fastapi.staticfiles import StaticFiles

from rag_core.api import (
    comparison,
    configuration,
    evaluation,
    evaluation_overview,
    evaluation_pages,
    evaluation_work_pages,
    experiments,
    golden_dataset,
    health,
    migration,
    notes,
    opinions,
    pages,
    performance,
    retrieval,
)
from rag_core.api.address import check_address
from rag_core.api.errors import register_handlers
from rag_core.api.guard import Guard
from rag_core.api.v2 import benchmark, tuning
from rag_core.api.v2 import comparison as comparison_v2
from rag_core.api.v2 import evaluation as evaluation_v2
from rag_core.api.v2 import golden as golden_v2
from rag_core.api.web import STATIC_FOLDER
from rag_core.engine import Engine, open_engine
from rag_core.errors import ConfigurationError
from rag_core.evaluation.jobs import running_jobs
from rag_core.experiments.serving import LiveExperiments
from rag_core.live_engine import LiveEngine
from rag_core.settings import Settings
from rag_core.telemetry.logs import configure_logging
from rag_core.telemetry.service_minutes import recorded_minutes

HOST = "127.0.0.1"
GRACE_SECONDS = 10
_ROUTERS = tuple(
    module.router
    for module in (
        retrieval,
        configuration,
        evaluation,
        comparison,
        comparison_v2,
        evaluation_v2,
        benchmark,
        tuning,
        golden_dataset,
        golden_v2,
        notes,
        migration,
        health,
        performance,
        pages,
        evaluation_overview,
        evaluation_pages,
        evaluation_work_pages,
        experiments,
        opinions,
    )
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
        dependencies=[Depends(check_address)],
    )
    app.state.engine, app.state.live_engine = engine, LiveEngine(engine)
    app.state.experiments = LiveExperiments(engine.executors["experiments"])
    app.state.routes = [route for router in _ROUTERS for route in router.routes]
    for router in _ROUTERS:
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC_FOLDER))
    app.add_middleware(Guard)
    register_handlers(app)
    _describe_when_asked(app)
    return app


def _describe_when_asked(app: FastAPI) -> None:
    """Make the OpenAPI document when somebody asks for it, which takes a second, and without the framework's own 422.

    An invalid request is answered with 400.
    """
    describe = app.openapi

    def described() -> dict[str, Any]:
        is_made = app.openapi_schema is not None
        document = describe()
        if not is_made:
            _forget_framework_errors(document)
        return document

    app.openapi = described  # type: ignore[method-assign]  # the framework's own way to another document


def _forget_framework_errors(document: dict[str, Any]) -> None:
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
        app = create_app(engine)
        with running_jobs(engine.database, app.state.live_engine.current, prepare=_register_jobs):
            threading.Thread(target=engine.warm_up, name="warm-up", daemon=True).start()
            sys.stderr.write(f"Brain Sync: http://{HOST}:{listener.getsockname()[1]}/ (Ctrl-C stops it)\n")
            build_server(app).run(sockets=[listener])


def _register_jobs() -> None:
    """Load what does jobs; each module registers its kind."""
    from rag_core.evaluation import evaluation_job  # noqa: F401
    from rag_core.evaluation.tuning import job  # noqa: F401
    from rag_core.model_change import benchmark  # noqa: F401


def build_server(app: FastAPI) -> uvicorn.Server:
    """The server of an application, not yet running."""
    config = uvicorn.Config(
        app,
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
