"""The page's templates and static files, and how a template becomes an answer."""

from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from rag_core.api.pages.texts import counted, grouped, plural, spoken, tr

STATIC_FOLDER = Path(__file__).with_name("static")
is_signed_in: ContextVar[bool] = ContextVar("is_signed_in", default=False)
"""True when the request came with the page's cookie, so that the page offers to sign out."""

_TEMPLATES = Environment(
    loader=PackageLoader("rag_core.api.pages.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    extensions=["jinja2.ext.i18n"],
)
_TEMPLATES.policies["ext.i18n.trimmed"] = True
_TEMPLATES.globals |= {
    "_": tr,
    "gettext": tr,
    "ngettext": plural,
    "counted": counted,
    "grouped": grouped,
    "spoken": spoken,
}
_TEMPLATES.globals["is_signed_in"] = is_signed_in.get


def render(
    template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **values: Any
) -> HTMLResponse:
    """A template with its values, escaped, in the reader's language."""
    told = {"Content-Language": spoken(), "Vary": "Accept-Language"}
    return HTMLResponse(rendered(template, **values), status_code=status, headers={**told, **(headers or {})})


def rendered(template: str, **values: Any) -> str:
    """Render a template as text, for a file."""
    return _TEMPLATES.get_template(template).render(**values)
