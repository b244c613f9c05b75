"""Documents fetched over HTTPS: from a host whose certificate is its own, by an authority that is trusted, and from no other."""

import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jobs_done import DoJobs

from rag_core.api.app import create_app
from rag_core.runtime.engine import Engine, open_engine
from rag_core.settings import read_settings
from rag_core.uploads import ingestion
from rag_core.uploads.fetching import fetch_document

HOST = "docs.example"


class Handler(BaseHTTPRequestHandler):
    """A site of one page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"# Taller\n\nEl destornillador.")

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """A server whose visitors may turn away."""

    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        pass


class Authority:
    """A certificate authority with files of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.certificate = folder / "authority.pem"
        self._make("authority", "-subj", "/CN=authority")

    def context_for(self, host: str) -> ssl.SSLContext:
        """The side of a server with a certificate for the host."""
        signed = ("-CA", self.certificate, "-CAkey", self.folder / "authority.key")
        self._make("site", "-subj", "/CN=site", "-addext", f"subjectAltName=DNS:{host}", *signed)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "site.pem", self.folder / "site.key")
        return context

    def _make(self, name: str, *words: str | Path) -> None:
        files = ("-keyout", self.folder / f"{name}.key", "-out", self.folder / f"{name}.pem")
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
        done = subprocess.run(
            ["openssl", "req", "-x509", *key, *files, *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


@contextmanager
def site(context: ssl.SSLContext) -> Iterator[int]:
    """Serve the page on loopback; its port."""
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    settings = read_settings(database_url=database_url, request_timeout_ms=10_000, ingest_hosts=HOST)
    with open_engine(settings, pool_size=4) as opened:
        yield opened


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """The one authority that is trusted; every host is on loopback, taken for a public address."""
    authority = Authority(tmp_path / "trusted")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
    here = {"resolve": lambda *_: ["127.0.0.1"], "is_allowed": lambda address: address == "127.0.0.1"}
    monkeypatch.setattr(ingestion, "fetch_document", partial(fetch_document, **here))
    return authority


@pytest.fixture
def ingested(engine: Engine, do_jobs: DoJobs) -> Iterator[Callable[..., dict[str, Any]]]:
    """Ask for the page at a port, do the job, and give what its state is then."""
    with TestClient(create_app(engine), base_url="http://127.0.0.1") as client:

        def ingest(port: int, language: str = "en") -> dict[str, Any]:
            answer = client.post("/api/ingest", json={"documentUrl": f"https://{HOST}:{port}/taller.md"})
            assert answer.status_code == 202, answer.text
            do_jobs()
            address = f"/api/ingest/{answer.json()['jobId']}"
            return dict(client.get(address, headers={"Accept-Language": language}).json())

        yield ingest


def test_a_document_is_fetched_from_a_host_with_a_certificate_of_its_own(
    trusted: Authority, ingested: Callable[..., dict[str, Any]], engine: Engine
) -> None:
    with site(trusted.context_for(HOST)) as port:
        state = ingested(port)

    assert (state["status"], state["errorMessage"]) == ("complete", None)
    with engine.database.owner() as owner:
        assert owner.execute("select content from brain.notes").fetchall() == [("# Taller\n\nEl destornillador.",)]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", f"the certificate of {HOST} cannot be trusted (Hostname mismatch"),
        ("es", f"el certificado de {HOST} no es de confianza (Hostname mismatch"),
        ("de", f"dem Zertifikat von {HOST} ist nicht zu trauen (Hostname mismatch"),
    ],
)
def test_a_certificate_of_another_host_is_refused(
    trusted: Authority, ingested: Callable[..., dict[str, Any]], engine: Engine, language: str, said: str
) -> None:
    with site(trusted.context_for("other.example")) as port:
        state = ingested(port, language)

    assert state["status"] == "failed"
    assert state["errorMessage"].startswith(said)
    with engine.database.owner() as owner:
        assert owner.execute("select count(*) from brain.notes").fetchall() == [(0,)]


@pytest.mark.usefixtures("trusted")
def test_a_certificate_of_an_unknown_authority_is_refused(
    ingested: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    with site(Authority(tmp_path / "unknown").context_for(HOST)) as port:
        state = ingested(port)

    assert state["status"] == "failed"
    assert "cannot be trusted (unable to get local issuer certificate)" in state["errorMessage"]
