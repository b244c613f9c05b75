"""``/entrar`` and ``/salir``: the page is told a key once, and the browser keeps it in a cookie that scripts cannot read.

The API serves them, and Dagster's guard at its own port, each with a template of its own.
"""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from rag_core.access.callers import Callers
from rag_core.api.access import COOKIE, shown_key
from rag_core.api.errors import LOGIN_PAGE, texts_in
from rag_core.api.origins import is_from_another_page
from rag_core.api.pages.texts import spoken
from rag_core.api.pages.web import render
from rag_core.errors import UnauthenticatedError

COOKIE_SECONDS = 30 * 24 * 3600
"""Seconds that a browser stays signed in; a key that ends or is revoked before opens nothing all the same."""
START = "/"
LEAVE = "/salir"

router = APIRouter(include_in_schema=False)


@router.get(LOGIN_PAGE)
def ask_for_key(request: Request, volver: str = START) -> Response:
    """The field for a key; who needs none is sent on.

    Who comes by a link of another origin's page is sent back to the page alone, without what the link asks of it: after signing in
    it is our own form that leads there, so that the page could not tell.
    """
    page, has_query, _ = volver.partition("?")
    if has_query and is_from_another_page(request.headers):
        return RedirectResponse(f"{LOGIN_PAGE}?{urlencode({'volver': page})}", status_code=303)
    callers: Callers | None = request.app.state.callers
    if callers is None or _is_known(callers, request):
        return RedirectResponse(_local(volver), status_code=303)
    return render(request.app.state.login_template, back=_local(volver), problem=None)


@router.post(LOGIN_PAGE)
def sign_in(request: Request, clave: Annotated[str, Form()] = "", volver: Annotated[str, Form()] = START) -> Response:
    """Keep the key in a cookie and go on to where somebody wanted to be.

    The guard lets forms of this site's own pages through to here, and to opinions of answers.
    """
    callers: Callers | None = request.app.state.callers
    if callers is None:
        return RedirectResponse(_local(volver), status_code=303)
    key = clave.strip()
    try:
        callers.find(key)
    except UnauthenticatedError:
        problem = texts_in(spoken()).KEY_REFUSED
        return render(request.app.state.login_template, status=401, back=_local(volver), problem=problem)
    answer = RedirectResponse(_local(volver), status_code=303)
    answer.set_cookie(
        COOKIE, key, max_age=COOKIE_SECONDS, path="/", httponly=True, samesite="strict", secure=_is_https(request)
    )
    return answer


@router.post(LEAVE)
def sign_out() -> Response:
    """Forget the key in this browser; the key itself goes on."""
    answer = RedirectResponse(LOGIN_PAGE, status_code=303)
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


def _is_known(callers: Callers, request: Request) -> bool:
    text = shown_key(request.headers)
    if text is None:
        return False
    try:
        return callers.find(text) is not None
    except UnauthenticatedError:
        return False


def _is_https(request: Request) -> bool:
    """True when the browser came by https, also through a proxy; a forged header harms only its sender."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")


def _local(address: str) -> str:
    """The address if it is one of ours, else the start page: a link must not lead elsewhere by way of signing in."""
    is_ours = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if is_ours else START
