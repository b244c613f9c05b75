"""Origin of a request, read from its headers alone; and the headers that keep answers from other pages.

Shared by the API's guard, the pages that change something when they are opened, and the guard of Dagster's web server.
Imports nothing but Starlette, because Dagster's process loads it too.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final

from starlette.datastructures import Headers

LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
SAFE_HEADERS: Final[Mapping[str, str]] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # without a referrer browsers send "Origin: null" with our own forms too
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""For every answer; Dagster's pages have a content security policy of their own."""
PAGE_POLICY: Final = (
    "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""The content security policy of our own pages and of the API."""
_OTHER_SITES = frozenset({"cross-site", "same-site"})
"""Values of Sec-Fetch-Site; another port of this machine is ``same-site``."""
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^\[\]:/?#@\s]+?)\.?(?::[0-9]{1,5})?")


def has_known_host(headers: Headers, hosts: Collection[str]) -> bool:
    """True when there is exactly one Host header, and it holds one of the names and perhaps a port."""
    given = headers.getlist("host")
    found = _HOST.fullmatch(given[0].strip().lower()) if len(given) == 1 else None
    return found is not None and found["name"] in hosts


def is_of_another_page(headers: Headers) -> bool:
    """True when a page of another origin sent a request that may change something.

    Another port of this machine is another origin, although it gets the same cookies. Programs send neither header.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").strip().lower()


def is_from_another_page(headers: Headers) -> bool:
    """True when a page of another origin asks, by a link too; browsers say so to loopback and over HTTPS."""
    return headers.get("sec-fetch-site") in _OTHER_SITES


def is_asked_in_passing(headers: Headers) -> bool:
    """True when a page of another origin loads it into itself or into a frame; following a link does not count."""
    is_navigation = headers.get("sec-fetch-mode") == "navigate"
    is_document = headers.get("sec-fetch-dest", "document") == "document"
    return is_from_another_page(headers) and not (is_navigation and is_document)


def content_type(headers: Headers) -> str:
    """The media type of the body, in lower case and without parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def is_json(headers: Headers) -> bool:
    """True when the body is JSON, which a form of another site cannot send."""
    kind = content_type(headers)
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
