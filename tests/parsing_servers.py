"""Real HTTP servers on loopback that speak docling-serve's and LlamaParse's protocols, and misbehave when told to.

``running_parsing_server`` is the context manager, ``parsing_server`` the fixture; a test module imports either. Docling answers with
``docling``, which docling-core wrote (``tests/data/docling_document.json``) unless a test replaces it; LlamaParse with ``pages``.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Literal

import pytest
from listening import listening

Fault = Literal[
    "status",  # `status` with a message
    "stall",  # no answer until the server stops
    "drip",  # a byte of the body every 50 ms
    "garbage",  # status 200 and a body that is not JSON
    "truncate",  # promise the whole body, send half, close
    "huge",  # a body without an end
    "drop",  # close the connection without an answer
]
DOCLING_FIELDS = {
    "from_formats": {"pdf", "docx", "pptx", "html", "xlsx", "image"},
    "to_formats": {"json"},
    "image_export_mode": {"placeholder"},
    "include_images": {"true", "false"},
    "do_ocr": {"true", "false"},
    "table_mode": {"fast", "accurate"},
    "ocr_lang": None,
    "document_timeout": None,
}
LLAMAPARSE_FIELDS = {"user_prompt", "skip_diagonal_text", "invalidate_cache"}
JOB = "3b2f6a4e-0c1d-4f7e-9a55-1d2c3b4a5f60"


def docling_json() -> dict[str, Any]:
    """A DoclingDocument of two pages."""
    content: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "docling_document.json").read_text())
    return content


@dataclass(slots=True, kw_only=True)
class ParsingServer:
    """The handle a test holds; all of it may be changed while the server runs.

    ``forms`` are the fields of each file that was sent, its name and bytes under ``file``.
    """

    url: str = ""
    fault: Fault | None = None
    status: int = 500
    key: str = ""
    docling: dict[str, Any] = field(default_factory=docling_json)
    docling_status: str = "success"
    pages: list[dict[str, Any]] = field(default_factory=lambda: [{"page": 1, "md": "# Nube\n\nHola.", "text": "Hola."}])
    job_status: str = "SUCCESS"
    pending: int = 1
    job_id: str = JOB
    forms: list[dict[str, list[Any]]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)


@contextmanager
def running_parsing_server() -> Iterator[ParsingServer]:
    """A server on a free port, gone when the block ends."""
    handle = ParsingServer()
    with listening(_handler(handle), handle.stopping) as port:
        handle.url = f"http://127.0.0.1:{port}"
        yield handle


@pytest.fixture
def parsing_server() -> Iterator[ParsingServer]:
    """A server that behaves until it is told otherwise."""
    with running_parsing_server() as handle:
        yield handle


def _handler(handle: ParsingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            handle.paths.append(self.path)
            self._answer(*self._got())

        def do_POST(self) -> None:
            handle.paths.append(self.path)
            form = _form(self.headers, self.rfile.read(int(self.headers["Content-Length"])))
            self._answer(*self._posted(form))

        def _got(self) -> tuple[int, Any]:
            if self.path == "/health":
                return 200, {"status": "ok"}
            if self.headers["Authorization"] != f"Bearer {handle.key}":
                return 401, {"detail": "Invalid API key"}
            if self.path == f"/api/parsing/job/{JOB}":
                handle.pending -= 1
                return 200, {"id": JOB, "status": "PENDING" if handle.pending >= 0 else handle.job_status}
            if self.path == f"/api/parsing/job/{JOB}/result/json":
                return 200, {"pages": handle.pages, "job_metadata": {"job_pages": len(handle.pages)}}
            return 404, {"detail": "Not found"}

        def _posted(self, form: dict[str, list[Any]]) -> tuple[int, Any]:
            if self.path == "/v1/convert/file":
                return self._converted(form)
            if self.path != "/api/parsing/upload":
                return 404, {"detail": "Not Found"}
            if self.headers["Authorization"] != f"Bearer {handle.key}":
                return 401, {"detail": "Invalid API key"}
            if form.keys() - LLAMAPARSE_FIELDS - {"file"}:
                return 422, {"detail": "unknown"}
            handle.forms.append(form)
            return 200, {"id": handle.job_id, "status": "PENDING"}

        def _converted(self, form: dict[str, list[Any]]) -> tuple[int, Any]:
            if handle.key and self.headers["X-Api-Key"] != handle.key:
                return 401, {"detail": None}
            file = form.pop("files")
            if any(name not in DOCLING_FIELDS or not _fits(name, values) for name, values in form.items()):
                return 422, {"detail": [{"loc": ["body"], "msg": "invalid", "type": "enum"}]}
            handle.forms.append(form | {"file": file})
            document = {"filename": file[0][0], "json_content": handle.docling, "md_content": None}
            told = {"errors": [], "processing_time": 0.1, "timings": {}, "confidence": {"mean_score": 0.9}}
            return 200, {"document": document, "status": handle.docling_status, **told}

        def _answer(self, status: int, answer: Any) -> None:
            body = json.dumps(answer).encode()
            match handle.fault:
                case "status":
                    status = handle.status
                case "stall":
                    handle.stopping.wait()
                case "garbage":
                    body = b"<html>Bad gateway</html>"
                case "drop":
                    self.close_connection = True
                    return
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(10**12 if handle.fault == "huge" else len(body)))
            self.end_headers()
            self._send(body)

        def _send(self, body: bytes) -> None:
            try:
                match handle.fault:
                    case "drip":
                        for byte in body:
                            self.wfile.write(bytes([byte]))
                            time.sleep(0.05)
                    case "truncate":
                        self.wfile.write(body[: len(body) // 2])
                        self.close_connection = True
                    case "huge":
                        while not handle.stopping.is_set():
                            self.wfile.write(b" " * 1_000_000)
                    case _:
                        self.wfile.write(body)
            except OSError:
                self.close_connection = True

    return Handler


def _fits(name: str, values: list[Any]) -> bool:
    allowed = DOCLING_FIELDS[name]
    return allowed is None or set(values) <= allowed


def _form(headers: Message, body: bytes) -> dict[str, list[Any]]:
    """Fields of a multipart form; a file is its name and bytes."""
    message = BytesParser().parsebytes(b"Content-Type: " + headers["Content-Type"].encode() + b"\r\n\r\n" + body)
    form: dict[str, list[Any]] = {}
    for part in message.walk():
        name = part.get_param("name", header="content-disposition")
        if isinstance(name, str):
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            file = part.get_filename()
            form.setdefault(name, []).append((file, content) if file else content.decode())
    return form
