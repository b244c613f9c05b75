"""Fetching of documents: no address of a private network, no path out of the operator's folders, all within bounds."""

import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rag_core.errors import DocumentFailedError, DocumentRefusedError, DocumentTooLargeError, InvalidInputError
from rag_core.model.addresses import is_public
from rag_core.uploads.fetching import FetchedFile, FetchLimits, check_document_url, fetch_document

Answer = Callable[[BaseHTTPRequestHandler], None]


def limits(*hosts: str, folders: Sequence[Path] = (), max_bytes: int = 1_000, seconds: float = 20) -> FetchLimits:
    return FetchLimits(hosts=frozenset(hosts), folders=tuple(folders), max_bytes=max_bytes, seconds=seconds)


class Site:
    """A server on loopback that the names of ``names`` lead to; ``asked`` are the hosts and paths it was asked for."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.names: dict[str, str] = {"docs.example": "127.0.0.1"}
        self.stopping = threading.Event()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.port = self.server.server_port

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(f"{self.headers['Host'].partition(':')[0]}{self.path}")
                site.answers[self.path.partition("?")[0]](self)

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def url(self, path: str, host: str = "docs.example") -> str:
        return f"http://{host}:{self.port}{path}"

    def fetch(self, path: str, bounds: FetchLimits | None = None, host: str = "docs.example") -> FetchedFile:
        """Fetch with 127.0.0.1 taken for the one public address."""
        return fetch_document(
            self.url(path, host),
            bounds or limits("*"),
            resolve=lambda name, _port: [self.names[name]],
            is_allowed=lambda address: address == "127.0.0.1",
        )


@pytest.fixture
def site() -> Iterator[Site]:
    opened = Site()
    thread = threading.Thread(target=opened.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield opened
    opened.stopping.set()
    opened.server.shutdown()
    opened.server.server_close()


def answering(body: bytes = b"Hola", status: int = 200, **headers: str) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return answer


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::5db8:d822", True),
        ("2002:7f00:1::1", False),
        ("example.org", False),
    ],
)
def test_private_addresses_are_told_from_public_ones(address: str, expected: bool) -> None:
    assert is_public(address) == expected


@pytest.mark.parametrize(
    ("url", "hosts", "said"),
    [
        ("https://example.org/a.pdf", (), "BRAIN_INGEST_HOSTS"),
        ("https://other.org/a.pdf", ("example.org",), "add it to BRAIN_INGEST_HOSTS"),
        ("https://example.org.evil.org/a.pdf", ("example.org",), "add it to BRAIN_INGEST_HOSTS"),
        ("https://example.org@evil.org/a.pdf", ("example.org",), "user or password"),
        ("ftp://example.org/a.pdf", ("*",), "cannot be read"),
        ("file:///etc/passwd", ("*",), "cannot be read"),
        ("gopher://127.0.0.1:25/x", ("*",), "cannot be read"),
        ("http:///a.pdf", ("*",), "cannot be read"),
        ("http://[::1/a.pdf", ("*",), "cannot be read"),
        ("http://example.org:99999/a.pdf", ("*",), "cannot be read"),
        ("http://example.org/a b\r\nX: y", ("*",), "cannot be read"),
    ],
)
def test_addresses_that_are_not_allowed_are_refused_at_once(url: str, hosts: tuple[str, ...], said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        check_document_url(url, limits(*hosts))


def test_a_file_is_fetched_with_the_suffix_of_its_type(site: Site) -> None:
    site.answers["/guía"] = site.answers["/gu%C3%ADa"] = answering(b"<p>Hola", Content_Type="text/html; charset=utf-8")

    fetched = site.fetch("/guía")

    assert (fetched.name, fetched.suffix, fetched.content) == ("guía", ".html", b"<p>Hola")
    assert site.asked == ["docs.example/gu%C3%ADa"]


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1"])
def test_a_name_that_leads_to_a_private_address_is_refused(site: Site, address: str) -> None:
    site.answers["/"] = answering()

    with pytest.raises(DocumentRefusedError, match="is no public address"):
        fetch_document(site.url("/"), limits("*"), resolve=lambda *_: [address])

    assert site.asked == []


def test_a_name_with_a_public_and_a_private_address_is_refused() -> None:
    with pytest.raises(DocumentRefusedError, match="is no public address"):
        fetch_document("http://docs.example/", limits("*"), resolve=lambda *_: ["93.184.216.34", "127.0.0.1"])


def test_the_address_that_was_checked_is_the_one_that_is_asked(site: Site) -> None:
    """A name that leads elsewhere when it is asked again is not asked again."""
    site.answers["/a.md"] = answering()
    addresses = ["127.0.0.1", "192.0.2.1"]

    fetched = fetch_document(
        site.url("/a.md"),
        limits("*"),
        resolve=lambda *_: [addresses.pop(0)],
        is_allowed=lambda address: address == "127.0.0.1",
    )

    assert fetched.content == b"Hola"
    assert addresses == ["192.0.2.1"]


def test_a_redirect_is_followed(site: Site) -> None:
    site.answers["/a"] = answering(status=302, Location="/b/guide.md")
    site.answers["/b/guide.md"] = answering(b"# Hola")

    assert site.fetch("/a") == FetchedFile(name="guide.md", suffix="", content=b"# Hola")


def test_a_redirect_to_a_private_address_is_refused(site: Site) -> None:
    site.names["inside.example"] = "10.0.0.1"
    site.answers["/a"] = answering(status=302, Location="http://inside.example/secret")

    with pytest.raises(DocumentRefusedError, match=r"inside\.example is no public address"):
        site.fetch("/a")


def test_a_redirect_to_a_host_that_is_not_named_is_refused(site: Site) -> None:
    site.names["other.example"] = "127.0.0.1"
    site.answers["/a"] = answering(status=302, Location=site.url("/b", "other.example"))

    with pytest.raises(InvalidInputError, match=r"not fetched from other\.example"):
        site.fetch("/a", limits("docs.example"))

    assert site.asked == ["docs.example/a"]


def test_redirects_have_an_end(site: Site) -> None:
    site.answers["/a"] = answering(status=302, Location="/a")

    with pytest.raises(DocumentRefusedError, match="more than 5 times"):
        site.fetch("/a")


@pytest.mark.parametrize("headers", [{}, {"Content_Length": "2000"}])
def test_a_file_that_is_too_large_is_refused(site: Site, headers: dict[str, str]) -> None:
    site.answers["/a"] = answering(b"x" * 2_000, **headers)

    with pytest.raises(DocumentTooLargeError, match="BRAIN_DOCUMENT_MAX_MB"):
        site.fetch("/a")


def test_a_file_that_was_packed_unasked_is_refused(site: Site) -> None:
    site.answers["/a"] = answering(b"x", Content_Encoding="gzip")

    with pytest.raises(DocumentRefusedError, match="packed"):
        site.fetch("/a")


def test_a_file_that_breaks_off_has_failed(site: Site) -> None:
    site.answers["/a"] = answering(b"x", Content_Length="10")

    with pytest.raises(DocumentFailedError, match="try again later"):
        site.fetch("/a")


def test_another_status_is_told(site: Site) -> None:
    site.answers["/a"] = answering(status=404)

    with pytest.raises(DocumentFailedError, match="answers 404; check the address"):
        site.fetch("/a")


@pytest.mark.parametrize("is_of_head", [True, False])
def test_a_server_that_drips_is_left(site: Site, is_of_head: bool) -> None:
    def drip(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n" if is_of_head else b"HTTP/1.1 200 OK\r\n\r\n")
        while not site.stopping.wait(0.05):
            try:
                request.wfile.write(b"X-Drop: 1\r\n" if is_of_head else b"x")
            except OSError:
                return

    site.answers["/a"] = drip

    with pytest.raises(DocumentFailedError, match=r"more than 0\.5 seconds"):
        site.fetch("/a", limits("*", seconds=0.5))


def test_a_host_that_cannot_be_reached_has_failed(site: Site) -> None:
    port = site.port + 1 if site.port < 65_535 else 1
    with pytest.raises(DocumentFailedError, match=r"docs\.example cannot be reached"):
        fetch_document(
            f"http://docs.example:{port}/", limits("*"), resolve=lambda *_: ["127.0.0.1"], is_allowed=lambda _: True
        )


class TestPaths:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        inside = tmp_path / "inside"
        (inside / "sub").mkdir(parents=True)
        (inside / "sub" / "a.md").write_text("Hola", encoding="utf-8")
        (tmp_path / "secret.md").write_text("Secreto", encoding="utf-8")
        return inside

    @pytest.mark.parametrize("is_whole", [True, False])
    def test_a_file_below_a_folder_is_read(self, folder: Path, is_whole: bool) -> None:
        path = str(folder / "sub" / "a.md") if is_whole else "sub/a.md"

        assert fetch_document(path, limits(folders=[folder])).content == b"Hola"

    def test_without_folders_no_path_is_read(self, folder: Path) -> None:
        with pytest.raises(InvalidInputError, match="BRAIN_INGEST_FOLDERS"):
            check_document_url(str(folder / "sub" / "a.md"), limits("*"))

    @pytest.mark.parametrize("path", ["../secret.md", "sub/../../secret.md", "/etc/passwd", ".", "", "a\0b"])
    def test_a_path_that_leads_out_is_refused_whether_or_not_it_is_there(self, folder: Path, path: str) -> None:
        with pytest.raises(InvalidInputError, match="not below a folder"):
            check_document_url(path, limits(folders=[folder]))

    def test_a_link_that_leads_out_is_refused(self, folder: Path) -> None:
        (folder / "link.md").symlink_to(folder.parent / "secret.md")
        (folder / "up").symlink_to(folder.parent)

        for path in ("link.md", "up/secret.md"):
            with pytest.raises(InvalidInputError, match="not below a folder"):
                fetch_document(path, limits(folders=[folder]))

    def test_a_folder_or_a_pipe_is_no_document(self, folder: Path) -> None:
        import os

        os.mkfifo(folder / "pipe")

        for path in ("sub", "pipe"):
            with pytest.raises((DocumentRefusedError, DocumentFailedError)):
                fetch_document(path, limits(folders=[folder]))

    def test_a_file_that_is_too_large_is_refused(self, folder: Path) -> None:
        with pytest.raises(DocumentTooLargeError):
            fetch_document("sub/a.md", limits(folders=[folder], max_bytes=3))

    def test_a_file_that_is_not_there_has_failed(self, folder: Path) -> None:
        with pytest.raises(DocumentFailedError, match="check the path"):
            fetch_document("sub/b.md", limits(folders=[folder]))
