"""Rules of every address: who may ask, what a body may be, and that failures are told in Spanish."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from api_answers import assert_spanish
from fastapi.testclient import TestClient
from starlette.datastructures import URL
from starlette.requests import Request

from rag_core.access import Caller
from rag_core.api.guard import RequestGuard
from rag_core.errors import UnauthenticatedError

NOBODY = Caller(tenant=None, key_id=None, user_hash="h", scopes=frozenset({"admin"}))
JSON = {"Content-Type": "application/json"}


class TestHost:
    @pytest.mark.parametrize(
        "host", ["127.0.0.1", "127.0.0.1:8000", "localhost", "LOCALHOST:3000", "[::1]:8000", "localhost."]
    )
    def test_names_of_this_machine_are_served(self, refusing: TestClient, host: str) -> None:
        assert refusing.get("/healthz", headers={"Host": host}).status_code == 200

    @pytest.mark.parametrize(
        "host",
        [
            "evil.example",
            "evil.example:8000",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "192.168.1.5",
            "",
            "[::2]",
            "[::1",
            "[::1]evil.com",
            "[::1]/healthz?x",
            "[::1]:80:80",
            "localhost:evil.com",
            "localhost:80@evil.com",
            "127.0.0.1@evil.com",
            "127.0.0.1:18411/healthz?",
            "127.0.0.1/healthz#",
            "127.0.0.1:",
            "127.0.0.1:-1",
        ],
    )
    @pytest.mark.parametrize("path", ["/", "/api/notes", "/openapi.json", "/static/style.css"])
    def test_other_names_are_refused(self, refusing: TestClient, host: str, path: str) -> None:
        assert_spanish(refusing.get(path, headers={"Host": host}), 400)

    def test_two_names_are_refused_even_if_each_is_served(self, refusing: TestClient) -> None:
        for names in (("127.0.0.1", "evil.example"), ("127.0.0.1", "127.0.0.1")):
            assert_spanish(refusing.get("/healthz", headers=[("Host", name) for name in names]), 400)

    def test_no_other_origin_is_let_in(self, refusing: TestClient) -> None:
        origin = {"Origin": "http://evil.example"}

        read = refusing.get("/api/notes", headers=origin)
        asked = refusing.options("/api/notes", headers={**origin, "Access-Control-Request-Method": "POST"})

        for answer in (read, asked):
            assert [name for name in answer.headers if name.startswith("access-control")] == []
        assert asked.status_code == 405

    def test_a_key_is_asked_for_where_the_router_goes_whatever_the_requests_url(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A URL is put together with the Host header, so its path need not be the one that is answered."""
        monkeypatch.setattr(Request, "url", URL("http://127.0.0.1/healthz"))
        scope = {"type": "http", "method": "GET", "path": "/api/notes", "headers": [], "query_string": b""}
        guard = RequestGuard(cast("Any", None), nobody=NOBODY, callers=cast("Any", object()))

        with pytest.raises(UnauthenticatedError):
            asyncio.run(guard._let_in(Request(scope)))


class TestOtherSites:
    """A page of another site, or of another port of this machine, asks in open mode as the reader's own browser."""

    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    @pytest.mark.parametrize("path", ["/?q=sueldo", "/api/notes", "/healthz", "/static/style.css"])
    @pytest.mark.parametrize(
        "headers",
        [
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
            {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"},
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
            {"Sec-Fetch-Site": "cross-site"},
        ],
    )
    def test_get_nothing_in_passing(
        self, refusing: TestClient, method: str, path: str, headers: dict[str, str]
    ) -> None:
        assert refusing.request(method, path, headers=headers).status_code == 403

    @pytest.mark.parametrize(
        "headers",
        [
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
            {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"},
            {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
            {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "no-cors"},
            {},
        ],
    )
    def test_a_link_a_page_of_ours_and_a_program_do(self, refusing: TestClient, headers: dict[str, str]) -> None:
        assert refusing.get("/", headers=headers).status_code == 200


class TestBody:
    @pytest.mark.parametrize(
        "headers",
        [
            {"Content-Type": "application/x-www-form-urlencoded"},
            {"Content-Type": "text/plain"},
            {"Content-Type": "multipart/form-data; boundary=x"},
            {"Content-Type": "application/jsonp"},
            {},
        ],
    )
    @pytest.mark.parametrize("path", ["/api/notes", "/api/retrieve/evaluate", "/api/golden-dataset/import"])
    def test_a_form_of_another_site_cannot_write(
        self, refusing: TestClient, headers: dict[str, str], path: str
    ) -> None:
        answer = refusing.post(path, content=b'{"content": "x"}', headers=headers)

        assert_spanish(answer, 415, "Tipo de contenido no admitido")
        assert refusing.get("/api/notes").json()["notes"] == []

    @pytest.mark.parametrize(
        "kind", ["application/json; charset=utf-8", "APPLICATION/JSON", "application/merge-patch+json"]
    )
    def test_json_may_be_named_in_its_ways(self, client: TestClient, kind: str) -> None:
        answer = client.post("/api/notes", content=b'{"content": "x"}', headers={"Content-Type": kind})

        assert answer.status_code == 201

    @pytest.mark.parametrize(
        "body",
        [
            b"{",
            b"",
            b"nada",
            b'{"query": "\xff"}',
            b"[" * 100_000,
            b'{"query": "x"',
            b'{"topK": ' + b"9" * 5000 + b"}",
        ],
    )
    def test_what_is_no_json_is_refused_in_spanish(self, refusing: TestClient, body: bytes) -> None:
        answer = refusing.post("/api/retrieve", content=body, headers=JSON)

        assert_spanish(answer, 400, "Parámetros inválidos")

    def test_the_place_of_the_fault_is_named(self, refusing: TestClient) -> None:
        answer = refusing.post("/api/retrieve", content=b'{"query": }', headers=JSON)

        assert assert_spanish(answer, 400) == "El cuerpo no es JSON válido (posición 10)"

    def test_a_body_of_more_than_ten_megabytes_is_refused(self, refusing: TestClient) -> None:
        body = json.dumps({"content": "x" * (10 * 1024 * 1024)})

        answer = refusing.post("/api/notes", content=body, headers=JSON)

        assert_spanish(answer, 413, "Petición demasiado grande")

    def test_a_large_body_without_a_length_is_refused_too(self, refusing: TestClient) -> None:
        def pieces() -> Iterator[bytes]:
            for _ in range(12):
                yield b" " * (1024 * 1024)

        answer = refusing.post("/api/notes", content=pieces(), headers=JSON)

        assert_spanish(answer, 413, "Petición demasiado grande")


class TestAddresses:
    @pytest.mark.parametrize(
        "path",
        ["/api/no-such", "/api/notes/", "/api", "/static/nada.css", "/static/../app.py", "/docs", "/nada"],
    )
    def test_an_unknown_address_is_told_in_spanish(self, refusing: TestClient, path: str) -> None:
        assert_spanish(refusing.get(path), 404, "No encontrado")

    def test_a_method_that_is_not_served_names_those_that_are(self, refusing: TestClient) -> None:
        answer = refusing.get("/api/retrieve")
        several = refusing.patch("/api/notes", json={})

        assert assert_spanish(answer, 405, "Método no permitido") == "Esta dirección admite: POST"
        assert assert_spanish(several, 405) == "Esta dirección admite: GET, POST"
        assert several.headers["Allow"] == "GET, POST"

    def test_a_browser_gets_a_page_for_an_unknown_address(self, refusing: TestClient) -> None:
        answer = refusing.get("/nada", headers={"Accept": "text/html"})

        assert answer.status_code == 404
        assert answer.headers["Content-Type"].startswith("text/html")
        assert "No existe esta dirección" in answer.text

    @pytest.mark.parametrize("path", ["/", "/healthz", "/api/notes"])
    def test_head_is_get_without_the_body(self, refusing: TestClient, path: str) -> None:
        answer = refusing.head(path)

        assert (answer.status_code, answer.content) == (200, b"")

    @pytest.mark.parametrize("path", ["/", "/api/notes", "/api/no-such", "/static/style.css"])
    def test_every_answer_tells_the_browser_what_it_may_do(self, refusing: TestClient, path: str) -> None:
        headers = refusing.get(path).headers

        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


class TestOpenApi:
    def test_every_route_is_described_with_its_failures(self, refusing: TestClient) -> None:
        document = refusing.get("/openapi.json").json()

        assert {
            "/api/configuration",
            "/api/experiments",
            "/api/experiments/feedback",
            "/api/experiments/{name}",
            "/api/feedback",
            "/api/folders",
            "/api/folders/{source}",
            "/api/golden-dataset",
            "/api/golden-dataset/export",
            "/api/golden-dataset/import",
            "/api/golden-dataset/statistics",
            "/api/golden-dataset/{query_id}",
            "/api/ingest",
            "/api/ingest/{job_id}",
            "/api/migration/status",
            "/api/notes",
            "/api/notes/{note_id}",
            "/api/performance",
            "/api/query",
            "/api/retrieve",
            "/api/retrieve/compare",
            "/api/retrieve/evaluate",
            "/api/retrieve/metrics",
            "/api/sessions",
            "/api/sessions/{session_id}",
            "/api/v2/documents/upload",
            "/api/v2/documents/{document_id}",
            "/api/v2/documents/{document_id}/archive",
            "/api/v2/documents/{document_id}/graph",
            "/api/v2/documents/{document_id}/original",
            "/api/v2/documents/{document_id}/pages/{page}",
            "/api/v2/documents/{document_id}/restore",
            "/api/v2/documents/{document_id}/status",
            "/api/v2/documents/{document_id}/structure",
            "/api/v2/evaluation/compare",
            "/api/v2/evaluation/embedding-benchmark",
            "/api/v2/evaluation/embedding-benchmark/{run_id}",
            "/api/v2/evaluation/embedding-benchmark/{run_id}/cancel",
            "/api/v2/evaluation/golden-dataset",
            "/api/v2/evaluation/golden-dataset/{query_id}",
            "/api/v2/evaluation/history",
            "/api/v2/evaluation/run",
            "/api/v2/evaluation/runs/{run_id}",
            "/api/v2/evaluation/runs/{run_id}/cancel",
            "/api/v2/evaluation/tuning",
            "/api/v2/evaluation/tuning/{run_id}",
            "/api/v2/evaluation/tuning/{run_id}/cancel",
            "/api/v2/rag/chat",
            "/api/v2/rag/search",
            "/chat",
            "/healthz",
            "/readyz",
            "/v1/chat/completions",
            "/v1/models",
            "/v1/models/{model}",
        } == set(document["paths"])
        operations = [operation for path in document["paths"].values() for operation in path.values()]
        assert all(operation["description"] for operation in operations)
        assert not any("422" in operation["responses"] for operation in operations)
        assert "HTTPValidationError" not in document["components"]["schemas"]
        request = document["components"]["schemas"]["RetrieveRequest"]["properties"]
        assert request["query"]["examples"]
        assert "topK" in request

    def test_no_page_loads_anything_from_elsewhere(self, refusing: TestClient) -> None:
        page = refusing.get("/").text

        assert "http://" not in page.replace("http://www.w3.org/", "")
        assert "https://" not in page
        assert refusing.get("/docs").status_code == 404
