"""Log records of requests and failures: the failed part, the place and the kind, and no text of users.

A record names the class of an error and PostgreSQL's code, never its message: drivers and models quote the query or the note
in it. The tenant and the query stand there as keyed hashes, which tell one from another and cannot be turned back; the
query's text only where ``log_text`` was asked for. Whatever else logs through ``logging`` is written in the same form.
"""

import hashlib
import hmac
import logging
import secrets
import sys
import traceback
from collections.abc import Iterator, Mapping, MutableMapping
from types import TracebackType
from typing import Any, TextIO

from rag_core.resilience.retries import keep_arguments_out_of_logs

COMPONENT = "brain"
_LOG = logging.getLogger(COMPONENT)
_CAUSES = 10
_USER_CHARACTERS = 16
_TOLD = "_is_in_the_log"


class LogPolicy:
    """Contents that logs may have, set once by the entry point; by default no text of users."""

    def __init__(self) -> None:
        self.is_text_logged = False
        self.key = secrets.token_bytes(32)


POLICY = LogPolicy()


def configure_logging(
    *, level: str = "INFO", is_text_logged: bool = False, key: bytes | None = None, stream: TextIO | None = None
) -> None:
    """Write the process's records as lines of JSON to stderr, or to ``stream``: ours from ``level`` on, others' warnings.

    ``key`` is for the hashes of tenants and queries; without one they differ from process to process.
    """
    import structlog  # 0.1 s, needed only where logs are written as JSON

    POLICY.is_text_logged = is_text_logged
    POLICY.key = key or secrets.token_bytes(32)
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.ExtraAdder(),
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _described,
            structlog.processors.JSONRenderer(ensure_ascii=False, default=lambda value: type(value).__name__),
        ],
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(formatter)
    handler.addFilter(_is_told_once)
    handler.addFilter(_without_messages)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)  # of other libraries only warnings: the pool tells of every connection it gives
    logging.getLogger("psycopg").setLevel(logging.NOTSET)  # a command leaves them out, a service tells them
    _LOG.setLevel(level)
    keep_arguments_out_of_logs()


def log_degraded(
    component: str,
    error: BaseException,
    *,
    config_hash: str | None = None,
    query: str | None = None,
    tenant: str | None = None,
    is_told: bool = False,
) -> None:
    """One record of a part that failed while the rest gave an answer; ``is_told`` where the result has a warning of it."""
    _log(
        logging.WARNING,
        "degraded",
        component,
        error,
        config_hash=config_hash,
        query=query,
        tenant=tenant,
        is_told=is_told or None,
    )


def log_failed(
    component: str,
    error: BaseException,
    *,
    config_hash: str | None = None,
    query: str | None = None,
    tenant: str | None = None,
    has_stack: bool = False,
    is_expected: bool = False,
) -> None:
    """One record of a request that got an error, by whoever knows most of it first; with the stack of a defect of ours.

    It is a warning where the failure is how the service protects itself (``is_expected``).
    """
    if getattr(error, _TOLD, False):
        return
    setattr(error, _TOLD, True)
    stack = stack_of(error) if has_stack else None
    level = logging.WARNING if is_expected else logging.ERROR
    _log(level, "failed", component, error, config_hash=config_hash, query=query, tenant=tenant, stack=stack)


def log_request(
    route: str,
    *,
    status: int | None,
    milliseconds: float,
    tenant: str | None,
    user_hash: str | None,
    routing: Mapping[str, Any] | None = None,
) -> None:
    """One record of a request: its route without what stood in the address; ``status`` None when the client did not wait.

    ``routing`` is what the router recognised in a search and chose for it, without names.
    """
    record = {
        **(routing or {}),
        "route": route,
        "status": status,
        "ms": round(milliseconds, 1),
        "tenant": None if tenant is None else keyed_hash(str(tenant)),
        "user": None if user_hash is None else user_hash[:_USER_CHARACTERS],
    }
    _LOG.info("request", extra={name: value for name, value in record.items() if value is not None})


def log_removed_citations(count: int, *, query_id: str, answerer: str, tenant: str | None = None) -> None:
    """One record of an answer that cited sources which do not exist; nothing of its text."""
    record = {
        "component": "citations",
        "removed": count,
        "query_id": query_id,
        "answerer": answerer,
        "tenant": None if tenant is None else keyed_hash(str(tenant)),
    }
    _LOG.warning("removed_citations", extra={name: value for name, value in record.items() if value is not None})


def _log(level: int, event: str, component: str, error: BaseException, **facts: str | list[str] | bool | None) -> None:
    query, tenant = facts.pop("query"), facts.pop("tenant")
    record = {
        "component": component,
        **described_error(error),
        **facts,
        "tenant": None if tenant is None else keyed_hash(str(tenant)),
        "query_hash": None if query is None else keyed_hash(str(query)),
        "query": query if POLICY.is_text_logged else None,
    }
    _LOG.log(level, event, extra={name: value for name, value in record.items() if value is not None})


def described_error(error: BaseException) -> dict[str, Any]:
    """The class of an error, those of its causes, and PostgreSQL's code; its message only where text may be logged."""
    chain = list(_chain(error))
    codes = [code for one in chain if isinstance(code := getattr(one, "sqlstate", None), str)]
    return {
        "error": type(error).__name__,
        "causes": [type(one).__name__ for one in chain[1:]] or None,
        "sqlstate": codes[0] if codes else None,
        "details": str(error) if POLICY.is_text_logged else None,
    }


def keyed_hash(text: str) -> str:
    """Sixteen hexadecimal digits that are the same for the same text, and tell nothing of it without the key."""
    return hmac.new(POLICY.key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:16]


def stack_of(error: BaseException) -> list[str]:
    """Return the frames of an error, outermost first, and after them those of each of its causes; no messages."""
    lines: list[str] = []
    for one in _chain(error):
        lines.append(type(one).__name__)
        lines.extend(_frames(one.__traceback__))
    return lines


def _frames(raised: TracebackType | None) -> list[str]:
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(raised)]


def _chain(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    for _ in range(_CAUSES):
        if found is None:
            return
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def _described(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A record of whoever logs an exception: its class and frames instead of the message and the source lines."""
    event.pop("is_told", None)  # of the terminal alone
    raised = event.pop("exc_info", None)
    error = raised[1] if isinstance(raised, tuple) else raised
    if isinstance(error, BaseException):
        event.update({name: value for name, value in described_error(error).items() if value is not None})
        event["stack"] = stack_of(error)
    event.setdefault("component", event.pop("logger", COMPONENT))
    return event


def _is_told_once(record: logging.LogRecord) -> bool:
    """The web server tells of a defect what the application has told of it already."""
    return not (record.name == "uvicorn.error" and record.exc_info and "ASGI application" in str(record.msg))


def _without_messages(record: logging.LogRecord) -> bool:
    """Errors that another library puts into its sentence become their class and PostgreSQL's code."""
    if isinstance(record.args, tuple) and not POLICY.is_text_logged:
        record.args = tuple(_shown(argument) for argument in record.args)
    return True


def _shown(argument: object) -> object:
    if not isinstance(argument, BaseException):
        return argument
    code = getattr(argument, "sqlstate", None)
    return f"{type(argument).__name__} {code}" if code else type(argument).__name__
