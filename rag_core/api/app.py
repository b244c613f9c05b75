"""The application, and the server that runs it: on loopback, and with keys elsewhere too."""

import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib.metadata import version
from types import FrameType
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.routing import BaseRoute

from rag_core.access.callers import Callers
from rag_core.access.exposure import OPEN_WARNING, allowed_hosts, check_exposure
from rag_core.access.limits import QuestionLimits
from rag_core.access.pseudonyms import pseudonyms
from rag_core.alerting.service_minutes import recorded_minutes
from rag_core.api import streaming
from rag_core.api.address import check_address
from rag_core.api.contracts import contracts, has_own_errors
from rag_core.api.errors import register_handlers
from rag_core.api.guard import RequestGuard
from rag_core.api.pages.web import STATIC_FOLDER
from rag_core.api.places import request_places
from rag_core.api.scopes import needed_scope
from rag_core.api.server import build_server
from rag_core.errors import ConfigurationError
from rag_core.evaluation.jobs.queue import running_jobs
from rag_core.experiments.serving import LiveExperiments
from rag_core.folders.opening import parsing_limits
from rag_core.runtime.engine import Engine, open_engine
from rag_core.runtime.live_engine import LiveEngine
from rag_core.settings import Settings
from rag_core.storage.database import Connection
from rag_core.telemetry.logs import configure_logging

HOST = "127.0.0.1"
_ABOUT = """Search personal notes, and know how good the search is.

Errors are `{error, details}`, under `/v1` OpenAI's.
They are in Spanish, under `/api/v2` in German, of `/chat` and `/api/query` in the question's language.
Messages of 401 and 403 at those addresses follow `Accept-Language`.
Times are ISO 8601 in UTC. Offsets count code points.
Where keys are asked for, a request carries one as `Authorization: Bearer KEY` or `X-API-Key: KEY`.
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
    app.state.experiments = LiveExperiments(engine.executors["experiments"])
    app.state.answering = streaming.answering_places()
    settings = engine.settings
    callers = Callers(
        engine.database, pseudonyms(settings.home, settings.secret), timeout_ms=settings.request_timeout_ms
    )
    app.state.callers = callers if settings.access == "keys" else None
    app.state.login_template = "login.html"
    app.state.question_limits = QuestionLimits(
        per_minute=settings.questions_per_minute, per_hour=settings.questions_per_hour
    )
    app.state.routes = [route for router in _routers() for route in router.routes]
    app.router.routes.extend(_routes())
    app.mount("/static", StaticFiles(directory=STATIC_FOLDER))
    app.state.places = request_places(engine)
    app.add_middleware(
        RequestGuard,
        nobody=callers.nobody(),
        callers=app.state.callers,
        hosts=allowed_hosts(settings),
        max_file_bytes=parsing_limits(settings).max_bytes,
        places=app.state.places,
    )
    register_handlers(app)
    _describe_when_asked(app)
    return app


def _routers() -> list[APIRouter]:
    return [router for contract in contracts() for router in contract.routers]


@cache
def _routes() -> Sequence[BaseRoute]:
    """The routes of every application of the process; FastAPI prepares them at the first request, which takes 130 ms."""
    every = APIRouter(dependencies=[Depends(check_address)])
    for router in _routers():
        every.include_router(router)
    return every.routes


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
            _describe_keys(document)
        return document

    app.openapi = described  # type: ignore[method-assign]  # the framework's own way to another document


def _forget_framework_errors(document: dict[str, Any]) -> None:
    for path in document["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
    schemas: dict[str, Any] = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)


def _describe_keys(document: dict[str, Any]) -> None:
    """Say of each operation which scope a key needs, and how it is turned away without."""
    document["components"]["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer"},
        "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    }
    usual = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}}}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            scope = needed_scope(method.upper(), path)
            if scope is None:
                continue
            told = next((told for status, told in operation["responses"].items() if status >= "400"), usual)
            failure = {"content": told["content"]} if has_own_errors(path) else usual
            operation["security"] = [{"bearer": []}, {"header": []}]
            operation["responses"]["401"] = {"description": "Keys are asked for, and none opens this."} | failure
            operation["responses"]["403"] = {
                "description": f"The key has not the scope `{scope}`, or the request is not from here."
            } | failure


def serve(settings: Settings) -> None:
    """Serve the API and the page until SIGTERM or Ctrl-C; requests under way are finished first.

    Raises:
        ConfigurationError: the port is taken, or access is open beyond this machine.
        DatabaseUnavailableError, DatabaseSetupError: see ``open_engine``.
        KeyboardInterrupt: Ctrl-C, once everything is closed.
    """
    signal.signal(signal.SIGTERM, _leave)
    check_exposure(settings)
    names = pseudonyms(settings.home, settings.secret)
    configure_logging(level=settings.log_level, is_text_logged=settings.log_text, key=names.key("log"))
    with (
        bound_sockets(settings.api_host, settings.api_port) as listeners,
        open_engine(settings, pool_size=settings.pool_max_size, is_shared=settings.access == "keys") as engine,
        recorded_minutes(engine.database, engine.metrics),
    ):
        app = create_app(engine)
        with (
            running_jobs(
                engine.database,
                app.state.live_engine.current,
                prepare=_register_jobs,
                takes=lambda kind: kind != "ingestion",
            ),
            running_jobs(
                engine.database,
                app.state.live_engine.current,
                prepare=_register_uploads,
                takes=lambda kind: kind == "ingestion",
                find_work=_queue_outdated_upload,
            ),
        ):
            threading.Thread(target=engine.warm_up, name="warm-up", daemon=True).start()
            for listener in listeners:
                sys.stderr.write(f"Brain Sync: {_address(listener)} (Ctrl-C stops it)\n")
            if settings.access == "open":
                sys.stderr.write(f"Brain Sync: {OPEN_WARNING}\n")
            build_server(app).run(sockets=listeners)


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _register_jobs() -> None:
    """Load what does jobs; each module registers its kind."""
    from rag_core.evaluation.tuning import job  # noqa: F401
    from rag_core.model_change import benchmark  # noqa: F401


def _register_uploads() -> None:
    """Load what parses uploads, which does not wait for evaluations."""
    from rag_core.uploads import ingestion  # noqa: F401


def _queue_outdated_upload(owner: Connection) -> bool:
    from rag_core.uploads.ingestion import queue_outdated

    return queue_outdated(owner)


@contextmanager
def bound_sockets(host: str, port: int) -> Iterator[list[socket.socket]]:
    """Listen at an address, and on loopback in any case: `brain status` and `brain up` ask there.

    Raises:
        ConfigurationError: see ``bound_socket``.
    """
    with ExitStack() as stack:
        if host == "0.0.0.0":  # noqa: S104  loopback is part of it
            yield [stack.enter_context(bound_socket(port, host=host))]
            return
        loopback = stack.enter_context(bound_socket(port))
        others = [] if host in {HOST, "localhost"} else [host]
        taken = int(loopback.getsockname()[1])
        yield [loopback, *(stack.enter_context(bound_socket(taken, host=other)) for other in others)]


@contextmanager
def bound_socket(port: int, *, host: str = HOST) -> Iterator[socket.socket]:
    """Listen on loopback, or another address, at the port, at any free one for 0; who connects early waits for the server.

    Raises:
        ConfigurationError: the port is taken or may not be used, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)  # the other family has a socket of its own
        try:
            listener.bind((host, port))
            listener.listen()
        except OSError as error:
            raise ConfigurationError(
                f"cannot serve on {host}:{port} ({error.strerror}); stop the other program or set BRAIN_API_PORT "
                "to a free port, and BRAIN_API_HOST to an address of this machine"
            ) from error
        yield listener


def _leave(_signal: int, _frame: FrameType | None) -> None:
    """Close everything and exit with 0; the server raises the signal again after its last answer."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(0)
