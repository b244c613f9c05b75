"""``POST /api/terminal…``: who answers here, and the answers to ``brain search`` and ``brain ask`` as events.

For commands of this home alone: they show the key that its secret gives, and may name any tenant, as they may read the database.
"""

import hmac
from collections.abc import Callable, Generator, Iterator
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse

from rag_core.access.pseudonyms import pseudonyms
from rag_core.api.access import shown_key
from rag_core.api.streaming import streamed
from rag_core.api.terminal.same_settings import differing_variables
from rag_core.configuration.served import served_configuration
from rag_core.errors import InvalidPeriodError, RagError, UnauthenticatedError
from rag_core.resilience.cancellation import Cancellation
from rag_core.runtime.engine import Engine, with_configuration
from rag_core.runtime.live_engine import LiveEngine
from rag_core.terminal.asking import ask_events
from rag_core.terminal.home_proof import home_proof
from rag_core.terminal.requests import PATH, Event, TerminalQuestion, TerminalSearch
from rag_core.terminal.searching import search_events

router = APIRouter(include_in_schema=False)
Environment = Annotated[dict[str, str], Body()]


@router.post(PATH)
async def greet(nonce: Annotated[str, Body(embed=True)], request: Request) -> dict[str, str]:
    """Prove to a command that this is the API of its home, and say of which version."""
    settings = request.app.state.engine.settings
    names, (address, port) = pseudonyms(settings.home, settings.secret), request.scope["server"]
    return {
        "proof": home_proof(names, home=settings.home, address=address, port=port, nonce=nonce),
        "version": version("brain-sync"),
    }


@router.post(f"{PATH}/search")
async def search(asked: Annotated[TerminalSearch, Body()], environment: Environment, request: Request) -> Any:
    """Answer ``brain search``."""
    return await _answered(
        request, environment, lambda engine, gone: search_events(engine, asked, cancellation=gone), asked.tenant
    )


@router.post(f"{PATH}/ask")
async def ask(asked: Annotated[TerminalQuestion, Body()], environment: Environment, request: Request) -> Any:
    """Answer ``brain ask``."""
    return await _answered(
        request, environment, lambda engine, gone: ask_events(engine, asked, cancellation=gone), asked.tenant
    )


async def _answered(
    request: Request,
    environment: dict[str, str],
    answer: Callable[[Engine, Cancellation], Iterator[Event]],
    tenant: str | None,
) -> Any:
    """The events of a command's answer, or the variables by which its settings differ from this process's."""
    live: LiveEngine = request.app.state.live_engine
    _check_key(request, live.at_hand)
    if differing := differing_variables(live.at_hand.settings, environment):
        return JSONResponse({"differing": differing}, status_code=409)

    def work(cancellation: Cancellation) -> Generator[Event, None, None]:
        yield {"kind": "begun"}  # heartbeats follow it, however long the answer takes
        try:
            yield from answer(_current(live, tenant), cancellation)
        except RagError as error:
            yield {"kind": "error", "error": str(error), "isUsage": isinstance(error, InvalidPeriodError)}
        yield {"kind": "end"}

    return await streamed(request, work, on_failure=lambda _error: {"kind": "broken"})


def _check_key(request: Request, engine: Engine) -> None:
    """Let in who knows the home's secret.

    Raises:
        UnauthenticatedError: anybody else.
    """
    expected = pseudonyms(engine.settings.home, engine.settings.secret).terminal_key
    shown = shown_key(request.headers)
    if shown is None or not hmac.compare_digest(shown.encode(errors="replace"), expected.encode()):
        raise UnauthenticatedError("only commands of this home may ask here", is_key_refused=shown is not None)


def _current(live: LiveEngine, tenant: str | None) -> Engine:
    """The engine that a process begun now would open: with the model and the configuration of this moment."""
    engine = live.renewed()
    owner = engine.named_tenant(tenant)
    return with_configuration(engine, served_configuration(engine.database, owner, engine.model))
