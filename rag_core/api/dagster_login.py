"""Signing in to Dagster where access is by keys: the same key, page and cookie as those of the search page.

Dagster works for all tenants at once, so a key of the installation's own tenant with the scope ``admin`` is needed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.types import Scope

from rag_core.access.callers import Callers
from rag_core.access.pseudonyms import pseudonyms
from rag_core.api.access import find_caller, shown_key
from rag_core.api.dagster_guard import DagsterRefusal
from rag_core.api.errors import DEFAULT, LOGIN_PAGE, accepted_tongue
from rag_core.api.messages.english import KEY_REFUSED, KINDS, NO_CONNECTION
from rag_core.api.pages import login
from rag_core.api.pages.texts import speak
from rag_core.api.pages.web import STATIC_FOLDER
from rag_core.errors import RagError, UnauthenticatedError
from rag_core.model.note import TenantId
from rag_core.runtime.engine import DEFAULT_TENANT
from rag_core.settings import Settings
from rag_core.storage.api_keys import NO_TENANT
from rag_core.storage.database import open_database

CONNECTIONS: Final = 2
_KEY_NEEDED: Final = KINDS["UnauthenticatedError"][1]


@contextmanager
def opened_sign_in(settings: Settings) -> Iterator["SignIn"]:
    """Signing in with the keys of the installation's database.

    Raises:
        DatabaseUnavailableError, DatabaseSetupError, ConfigurationError: it cannot be opened.
    """
    names = pseudonyms(settings.home, settings.secret)
    with open_database(settings, pool_size=CONNECTIONS) as database:
        callers = Callers(database, names, timeout_ms=settings.request_timeout_ms)
        yield SignIn(callers, tenant=TenantId(settings.tenant or DEFAULT_TENANT))


class SignIn:
    """Users of Dagster, and ``pages``, the application that asks them for a key."""

    def __init__(self, callers: Callers, *, tenant: TenantId) -> None:
        self._callers = callers
        self._tenant = tenant
        self.pages = _pages(callers)

    def has_page(self, scope: Scope) -> bool:
        """True when a request is for one of the pages, which are open to everybody."""
        path: str = scope["path"]
        return scope["type"] == "http" and (path in {LOGIN_PAGE, login.LEAVE} or path.startswith("/static/"))

    async def refusal(self, scope: Scope) -> DagsterRefusal | None:
        """Refusal of the sender of a request; None if it may use Dagster, as another process of the installation may."""
        text = shown_key(Headers(scope=scope))
        if text is None:
            return _unauthorized(_KEY_NEEDED)
        try:
            caller = await find_caller(self._callers, text)
        except UnauthenticatedError:
            return _unauthorized(KEY_REFUSED)
        except RagError:
            return DagsterRefusal(status=HTTPStatus.SERVICE_UNAVAILABLE, details=NO_CONNECTION)
        if caller.tenant == NO_TENANT or (caller.tenant == self._tenant and caller.may("admin")):
            return None
        return DagsterRefusal(
            status=HTTPStatus.FORBIDDEN,
            details=f"Dagster works for all tenants, so it needs a key of the tenant {self._tenant} with the scope admin: "
            f"`brain key create NAME --tenant {self._tenant} --scope admin`. Sign out on the page before you use another key",
        )


def _unauthorized(details: str) -> DagsterRefusal:
    headers = {"WWW-Authenticate": 'Bearer realm="Brain Sync"'}
    return DagsterRefusal(status=HTTPStatus.UNAUTHORIZED, details=details, headers=headers)


def _pages(callers: Callers) -> FastAPI:
    app = FastAPI(
        openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False, dependencies=[Depends(_speak)]
    )
    app.state.callers = callers
    app.state.login_template = "dagster_login.html"
    app.include_router(login.router)
    app.mount("/static", StaticFiles(directory=STATIC_FOLDER))
    app.add_exception_handler(RagError, _unavailable)
    return app


async def _speak(request: Request) -> None:
    speak(accepted_tongue(request.headers.get("accept-language", "")) or DEFAULT)


def _unavailable(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse(NO_CONNECTION, status_code=HTTPStatus.SERVICE_UNAVAILABLE)
