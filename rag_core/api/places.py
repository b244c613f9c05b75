"""Limits on concurrent requests of one tenant, and of one key, so that others find a place and time.

Only where requests carry keys: on an address that is open to everybody there is nobody to share with. Not here: the threads
themselves, and the rule of sharing (``rag_core.resilience.shares``).
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fastapi import Request

from rag_core.access import Caller
from rag_core.api.contracts import rule_of
from rag_core.api.streaming import ANSWERS_AT_ONCE
from rag_core.chat import ChatModel
from rag_core.embedding import provider_of
from rag_core.model.embedding import EmbeddingModel
from rag_core.reranking import RERANKERS
from rag_core.resilience.shares import FairShares, Pace
from rag_core.runtime.engine import Engine
from rag_core.settings import Settings

WAIT_SHARE = 0.5
"""Share of a request's time that it may wait for a place; the rest is for the work."""
WAITING_BESIDE_OTHERS = 1 / 6
"""Share of the places that a tenant gets while others are served, where requests wait for models on a server."""
COMPUTING_BESIDE_OTHERS = 1 / 12
"""Share of the places that a tenant gets while others are served, where requests only compute. Threads of Python compute one at a
time: a tenant's second request would end no sooner, and slow every other request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPlaces:
    """The places of one application. Answers that wait for a language model take others than requests that only compute."""

    computing: FairShares
    answering: FairShares
    wait_seconds: float

    @asynccontextmanager
    async def place(self, caller: Caller, path: str) -> AsyncIterator[None]:
        """Hold a place for the caller's request.

        Raises:
            ShareTakenError: the tenant or the key has as many requests under way as it may, and none ended in time.
        """
        rule = rule_of(path)
        shares = self.answering if rule is not None and rule.is_answering else self.computing
        async with shares.awaited_place(caller.tenant or "", caller.key_id, timeout_seconds=self.wait_seconds):
            yield

    def pace(self, caller: Caller) -> Callable[[], None]:
        """Return the function that a long computation for the caller calls to let other requests go on meanwhile."""
        return Pace(self.computing, caller.tenant or "")


def pace_of(request: Request, caller: Caller) -> Callable[[], None]:
    """Return the pace of a request, also of an application without places to share."""
    places: RequestPlaces | None = request.app.state.places
    return (lambda: None) if places is None else places.pace(caller)


def request_places(engine: Engine) -> RequestPlaces | None:
    """The places for requests with keys; None on an address that is open to everybody."""
    settings = engine.settings
    if settings.access != "keys":
        return None
    total = settings.requests_at_once
    share = WAITING_BESIDE_OTHERS if _waits(engine.chat, engine.model, engine.settings) else COMPUTING_BESIDE_OTHERS
    computing = FairShares(total, beside_others=max(1, round(share * total)))
    return RequestPlaces(
        computing=computing,
        answering=computing if engine.chat is None else FairShares(ANSWERS_AT_ONCE),
        wait_seconds=WAIT_SHARE * settings.request_timeout_ms / 1000,
    )


def _waits(chat: ChatModel | None, model: EmbeddingModel, settings: Settings) -> bool:
    """True when searches wait for models of other servers."""
    are_here = provider_of(model).is_in_process and RERANKERS.get(settings.reranker).is_in_process
    return chat is not None or not are_here
