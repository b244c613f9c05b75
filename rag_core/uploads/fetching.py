"""Fetching of a document from an address or a path that the operator allows.

No address of a private network is reached, whatever a name resolves to and wherever a redirect leads: the connection goes to the
address that was checked. No path leads out of the operator's folders, by ``..`` or by a link.
"""

import os
import socket
import ssl
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path, PurePosixPath
from threading import Event, Timer
from time import monotonic
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from rag_core.errors import DocumentFailedError, DocumentRefusedError, DocumentTooLargeError, InvalidInputError
from rag_core.model.addresses import is_public
from rag_core.settings import Settings

MAX_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_PIECE = 65_536
_KEPT = "%/:@!$&'(),;=~-.*_[?]+"
_SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "text/plain": ".txt",
    "message/rfc822": ".eml",
}
"""Suffixes of text formats, which content does not tell, by the type that a server gives them."""

Resolve = Callable[[str, int], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedFile:
    """A file that was fetched: its name as the address ends, the suffix that its type suggests, its bytes."""

    name: str
    suffix: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Bounds of fetching; ``hosts`` are those that may be asked ("*": any), ``folders`` those that may be read."""

    hosts: frozenset[str]
    folders: tuple[Path, ...]
    max_bytes: int
    seconds: float


def fetch_limits(settings: Settings) -> FetchLimits:
    """The bounds that the settings name."""
    return FetchLimits(
        hosts=frozenset(name.strip().lower() for name in settings.ingest_hosts.split(",") if name.strip()),
        folders=tuple(Path(name).expanduser() for name in settings.ingest_folders.split(os.pathsep) if name.strip()),
        max_bytes=settings.document_max_mb * 1_000_000,
        seconds=settings.document_seconds,
    )


def is_address(document_url: str) -> bool:
    """Tell whether a document is named by an address with a scheme, not by a path."""
    return "://" in document_url


def check_document_url(document_url: str, limits: FetchLimits) -> str:
    """Check an address or path, without asking anybody; the path without links, or the address as it is.

    Raises:
        InvalidInputError: the operator does not allow it, or it is none.
    """
    if is_address(document_url):
        _checked_address(document_url, limits)
        return document_url
    return str(_checked_path(document_url, limits))


def fetch_document(
    document_url: str,
    limits: FetchLimits,
    *,
    resolve: Resolve | None = None,
    is_allowed: Callable[[str], bool] = is_public,
) -> FetchedFile:
    """Fetch a document.

    Raises:
        InvalidInputError: it is not allowed, too large, or not what can be fetched.
        DocumentFailedError: it cannot be reached, or not in time.
    """
    if not is_address(document_url):
        return _read_path(document_url, limits)
    until = monotonic() + limits.seconds
    for _ in range(MAX_REDIRECTS + 1):
        found = _ask(document_url, limits, until=until, resolve=resolve or _resolved, is_allowed=is_allowed)
        if isinstance(found, FetchedFile):
            return found
        document_url = urljoin(document_url, found)
    raise DocumentRefusedError(
        f"the address leads on more than {MAX_REDIRECTS} times; give the address that it ends at"
    )


# Paths --------------------------------------------------------------------------------------------------------------


def _checked_path(path: str, limits: FetchLimits) -> Path:
    if not limits.folders:
        raise InvalidInputError(
            "documents are not read from paths here; upload the file, or name its folder in BRAIN_INGEST_FOLDERS"
        )
    for folder in limits.folders:
        with suppress(OSError, ValueError, RuntimeError):  # NUL in it, links in a circle
            root = folder.resolve(strict=True)
            found = (root / path).resolve()
            if found.is_relative_to(root) and found != root:
                return found
    raise InvalidInputError(
        "the path is not below a folder of BRAIN_INGEST_FOLDERS; upload the file, or add its folder"
    )


def _read_path(path: str, limits: FetchLimits) -> FetchedFile:
    """Read a file; it is checked again once it is open, as links may have changed meanwhile."""
    found = _checked_path(path, limits)
    try:
        handle = os.open(found, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode):
                raise DocumentRefusedError("the path is no file; give the path of one file")
            if not os.path.samestat(facts, _checked_path(str(found), limits).stat()):
                raise DocumentRefusedError("the path changed while it was read; try again")
            return FetchedFile(name=found.name, suffix=found.suffix, content=_bounded(file.read, limits))
    except OSError as error:
        raise DocumentFailedError(f"the file cannot be read ({error.strerror}); check the path") from error


def _bounded(read: Callable[[int], bytes], limits: FetchLimits, until: float | None = None) -> bytes:
    """Everything that is read, of a bounded size, and before ``until`` by the monotonic clock."""
    pieces, size = [], 0
    while piece := read(_PIECE):
        size += len(piece)
        _check_size(size, limits)
        if until is not None and monotonic() > until:
            raise _late(limits)
        pieces.append(piece)
    return b"".join(pieces)


def _check_size(size: int, limits: FetchLimits) -> None:
    if size > limits.max_bytes:
        raise DocumentTooLargeError(
            f"the file has more than {limits.max_bytes / 1e6:,.0f} MB; split it, or raise BRAIN_DOCUMENT_MAX_MB"
        )


# Addresses ----------------------------------------------------------------------------------------------------------


def _checked_address(address: str, limits: FetchLimits) -> SplitResult:
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise InvalidInputError("the address cannot be read; give one such as https://example.org/guide.pdf") from error
    if parts.scheme not in {"http", "https"} or not host or any(mark.isspace() for mark in address):
        raise InvalidInputError("the address cannot be read; give one such as https://example.org/guide.pdf")
    if parts.username is not None or parts.password is not None:
        raise InvalidInputError("the address holds a user or password; leave them out, or upload the file")
    if not limits.hosts:
        raise InvalidInputError(
            "documents are not fetched from addresses here; upload the file, or name its host in BRAIN_INGEST_HOSTS"
        )
    if "*" not in limits.hosts and host.lower() not in limits.hosts:
        raise InvalidInputError(
            f"documents are not fetched from {host}; upload the file, or add it to BRAIN_INGEST_HOSTS"
        )
    return parts


def _ask(
    address: str, limits: FetchLimits, *, until: float, resolve: Resolve, is_allowed: Callable[[str], bool]
) -> FetchedFile | str:
    """The file at an address, or where the server says that it is.

    Raises:
        InvalidInputError, DocumentFailedError: see ``fetch_document``.
    """
    parts = _checked_address(address, limits)
    host = parts.hostname or ""
    target = _checked_host(host, parts, resolve=resolve, is_allowed=is_allowed)
    left = until - monotonic()
    if left <= 0:
        raise _late(limits)
    connection = (HTTPSConnection if parts.scheme == "https" else HTTPConnection)(host, _port(parts), timeout=left)
    try:
        with _ended_after(left, connection) as is_late:
            try:
                _open(connection, parts, target, timeout=left)
                wanted = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe=_KEPT)
                connection.request("GET", wanted, headers={"Accept-Encoding": "identity", "User-Agent": "brain-sync"})
                found = _answer(connection.getresponse(), parts, limits, until)
            except ssl.SSLCertVerificationError as error:
                reason = error.verify_message.rstrip(".")
                raise DocumentRefusedError(
                    f"the certificate of {host} cannot be trusted ({reason}); check the address, or upload the file"
                ) from error
            except (OSError, HTTPException, ValueError) as error:
                if is_late.is_set() or isinstance(error, TimeoutError):
                    raise _late(limits) from error
                raise DocumentFailedError(f"{host} cannot be reached or breaks off; try again later") from error
            if is_late.is_set():  # its end was then that of the answer
                raise _late(limits)
            return found
    finally:
        connection.close()


def _answer(response: HTTPResponse, parts: SplitResult, limits: FetchLimits, until: float) -> FetchedFile | str:
    location = response.getheader("Location")
    if response.status in _REDIRECTS and location:
        return location
    if response.status != 200:
        raise DocumentFailedError(f"{parts.hostname} answers {response.status}; check the address")
    if (response.getheader("Content-Encoding") or "identity").lower() != "identity":
        raise DocumentRefusedError(f"{parts.hostname} sends it packed though that was not asked for; upload the file")
    length = response.getheader("Content-Length") or ""
    if length.isdecimal():
        _check_size(int(length), limits)
    content = _bounded(response.read1, limits, until)
    if length.isdecimal() and len(content) != int(length):
        raise DocumentFailedError(f"{parts.hostname} cannot be reached or breaks off; try again later")
    kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
    name = PurePosixPath(unquote(parts.path)).name
    return FetchedFile(name=name, suffix=_SUFFIXES.get(kind, ""), content=content)


def _checked_host(host: str, parts: SplitResult, *, resolve: Resolve, is_allowed: Callable[[str], bool]) -> str:
    """An address of a host, all of which are checked.

    Raises:
        DocumentRefusedError: one is not public.
        DocumentFailedError: it has none.
    """
    try:
        addresses = resolve(host, _port(parts))
    except (OSError, UnicodeError) as error:
        raise DocumentFailedError(f"{host} has no address; check its name") from error
    if not addresses or not all(is_allowed(address) for address in addresses):
        raise DocumentRefusedError(f"{host} is no public address; upload the file, or read it from a folder")
    return addresses[0]


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _resolved(host: str, port: int) -> list[str]:
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def _open(connection: HTTPConnection, parts: SplitResult, target: str, *, timeout: float) -> None:
    """Connect to the checked address ``target``; the certificate must be the host's."""
    connection.sock = socket.create_connection((target, _port(parts)), timeout)
    if parts.scheme == "https":
        connection.sock = ssl.create_default_context().wrap_socket(connection.sock, server_hostname=parts.hostname)


@contextmanager
def _ended_after(seconds: float, connection: HTTPConnection) -> Iterator[Event]:
    """End a connection that is not done in time, however slowly it goes on; the event says that it was."""
    is_late = Event()

    def end() -> None:
        is_late.set()
        with suppress(OSError):
            if connection.sock is not None:
                connection.sock.shutdown(socket.SHUT_RDWR)

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()


def _late(limits: FetchLimits) -> DocumentFailedError:
    return DocumentFailedError(
        f"fetching took more than {limits.seconds:g} seconds; upload the file, or raise BRAIN_DOCUMENT_SECONDS"
    )
